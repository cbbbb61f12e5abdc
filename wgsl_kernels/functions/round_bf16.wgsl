// x as bfloat16 holds it.
fn round_bf16(x: f32) -> f32 { return bitcast<f32>(bf16_bits(x) << 16u); }
