// sqrt(a^2 + b^2) without overflow of the squares.
fn hypot_f32(a: f32, b: f32) -> f32 {
  if (isinf_f32(a) || isinf_f32(b)) { return inf_f32(); }
  if (isnan_f32(a) || isnan_f32(b)) { return nan_f32(); }
  let large = max(abs(a), abs(b));
  if (iszero_f32(large)) { return 0.0; }
  let share = min(abs(a), abs(b)) / large;
  return large * sqrt(1.0 + share * share);
}
