// log(x + sqrt(x^2 - 1)); NaN below 1.
fn acosh_f32(x: f32) -> f32 {
  if (isnan_f32(x) || x < 1.0) { return nan_f32(); }
  if (x > 1e9) { return log_ieee(x) + 0.6931472; }
  let rest = x - 1.0;
  return log1p_f32(rest + sqrt(rest * (x + 1.0)));
}
