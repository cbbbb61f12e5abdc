// Hyperbolic sine without cancellation near 0; the halves are multiplied one by one, so that it overflows where it must.
fn sinh_f32(x: f32) -> f32 {
  let a = abs(x);
  if (a < 1.0) {
    let u = expm1_f32(a);
    return signed_f32(0.5 * (u + u / (u + 1.0)), x);
  }
  let half = exp_f32(0.5 * a);
  return signed_f32((0.5 * half) * half - 0.5 / half / half, x);
}
