// log(exp(a) + exp(b)), also of infinities
fn log_add_f32(a: f32, b: f32) -> f32 {
  let high = maximum_f32(a, b);
  let low = minimum_f32(a, b);
  return select(high + log1p_f32(exp_f32(low - high)), high + 0.6931471805599453, eq_f32(high, low));
}
