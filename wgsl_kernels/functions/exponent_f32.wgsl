// The exponent with a mantissa in [1/2, 1); 0 of 0, and of what is not finite. Numbers too small to be normal count as 0.
fn exponent_f32(x: f32) -> i32 {
  let exponent = i32((bitcast<u32>(x) >> 23u) & 255u);
  return select(exponent - 126, 0, exponent == 0 || exponent == 255);
}
