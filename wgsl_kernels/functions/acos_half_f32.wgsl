// Half of the arc cosine of a number in [1/2, 1]: the arc sine of sqrt((1 - a) / 2), which is at most 1/2.
fn acos_half_f32(a: f32) -> f32 {
  return atan(sqrt((1.0 - a) / (1.0 + a)));
}
