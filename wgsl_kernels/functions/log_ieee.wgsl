// log with IEEE results outside the domain, which WGSL leaves open.
fn log_ieee(x: f32) -> f32 {
  if (isnan_f32(x) || x < 0.0) { return nan_f32(); }
  if (x == 0.0) { return -inf_f32(); }
  return log(x);
}
