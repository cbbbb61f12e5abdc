// x as half precision holds it.
fn round_f16(x: f32) -> f32 { return f16_value(f16_bits(x)); }
