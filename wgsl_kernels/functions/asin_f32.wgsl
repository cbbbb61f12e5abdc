// NaN outside of [-1, 1], where WGSL leaves it open; from 1/2 on by the angle of the half, which does not cancel.
fn asin_f32(x: f32) -> f32 {
  let a = abs(x);
  if (isnan_f32(x) || a > 1.0) { return nan_f32(); }
  if (a <= 0.5) { return atan(x / sqrt((1.0 - a) * (1.0 + a))); }
  return signed_f32(1.5707964 - 2.0 * acos_half_f32(a), x);
}
