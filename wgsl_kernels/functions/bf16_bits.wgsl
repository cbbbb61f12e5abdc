// The upper half of x, rounded to nearest, ties to even; NaN stays one.
fn bf16_bits(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
  return select((bits + 0x7fffu + ((bits >> 16u) & 1u)) >> 16u, (bits >> 16u) | 0x40u, is_nan);
}
