var<private> nan_bits: u32 = 0x7fc00000u;
fn nan_f32() -> f32 { return bitcast<f32>(nan_bits); }
