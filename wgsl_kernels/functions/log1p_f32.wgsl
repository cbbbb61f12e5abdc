// log(1 + x) without cancellation: Kahan's correction of log(u) for u = 1 + x (Goldberg 1991, theorem 4).
fn log1p_f32(x: f32) -> f32 {
  let u = 1.0 + x;
  if (u == 1.0) { return x; }
  if (u <= 0.0 || !isfinite_f32(u)) { return log_ieee(u); }
  return log(u) * (x / (u - 1.0));
}
