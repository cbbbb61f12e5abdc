// NaN stays NaN, and infinities are those of IEEE.
fn exp2_f32(x: f32) -> f32 {
  if (isnan_f32(x)) { return x; }
  if (x >= 128.0) { return inf_f32(); }
  return select(exp2(x), 0.0, x < -150.0);
}
