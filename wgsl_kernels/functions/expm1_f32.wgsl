// exp(x) - 1 without cancellation: Kahan's correction for u = exp(x); a series where u rounds to 1.
fn expm1_f32(x: f32) -> f32 {
  if (abs(x) < 0.03) { return x * (1.0 + x * (0.5 + x * (0.16666667 + x * 0.041666668))); }
  let u = exp_f32(x);
  if (u == 0.0 || !isfinite_f32(u)) { return u - 1.0; }
  return (u - 1.0) * (x / log(u));
}
