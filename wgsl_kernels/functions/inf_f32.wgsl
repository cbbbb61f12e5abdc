// WGSL has no literal for infinity, and rejects one that it can compute beforehand.
var<private> inf_bits: u32 = 0x7f800000u;
fn inf_f32() -> f32 { return bitcast<f32>(inf_bits); }
