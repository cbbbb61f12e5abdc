// log((1 + x) / (1 - x)) / 2; infinite at -1 and 1, NaN beyond.
fn atanh_f32(x: f32) -> f32 {
  let a = abs(x);
  if (isnan_f32(x) || a > 1.0) { return nan_f32(); }
  if (a == 1.0) { return signed_f32(inf_f32(), x); }
  return signed_f32(0.5 * log1p_f32(2.0 * a / (1.0 - a)), x);
}
