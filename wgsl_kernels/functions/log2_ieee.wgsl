// log2 with IEEE's results outside the domain, which WGSL leaves open.
fn log2_ieee(x: f32) -> f32 {
  if (isnan_f32(x) || x < 0.0) { return nan_f32(); }
  if (iszero_f32(x)) { return -inf_f32(); }
  return select(log2(x), x, isinf_f32(x));
}
