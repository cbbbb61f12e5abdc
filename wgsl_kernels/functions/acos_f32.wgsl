// NaN outside of [-1, 1], where WGSL leaves it open.
fn acos_f32(x: f32) -> f32 {
  if (isnan_f32(x) || abs(x) > 1.0) { return nan_f32(); }
  if (abs(x) <= 0.5) { return 1.5707964 - atan(x / sqrt((1.0 - x) * (1.0 + x))); }
  let angle = 2.0 * acos_half_f32(abs(x));
  return select(angle, 3.1415927 - angle, x < 0.0);
}
