// sign(x) log(|x| + sqrt(x^2 + 1)), without cancellation near 0 and without overflow of x^2.
fn asinh_f32(x: f32) -> f32 {
  let a = abs(x);
  if (a > 1e9) { return signed_f32(log_ieee(a) + 0.6931472, x); }
  return signed_f32(log1p_f32(a + a * a / (1.0 + sqrt(a * a + 1.0))), x);
}
