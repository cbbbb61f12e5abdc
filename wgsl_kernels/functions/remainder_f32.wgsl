// a less whole multiples of b, with the sign of b, as Python's %; NaN where b is 0 or a infinite.
fn remainder_f32(a: f32, b: f32) -> f32 {
  if (!isfinite_f32(a) || isnan_f32(b) || iszero_f32(b)) { return nan_f32(); }
  if (isinf_f32(b)) { return select(a, b, !iszero_f32(a) && unlike_signs_f32(a, b)); }
  let rest = fmod_f32(a, b);
  return select(rest, rest + b, !iszero_f32(rest) && unlike_signs_f32(rest, b));
}
