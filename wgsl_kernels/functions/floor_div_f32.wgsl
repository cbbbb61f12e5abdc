// a / b rounded toward minus infinity, as Python's //: from the exact remainder, so that rounding of a / b never shows.
fn floor_div_f32(a: f32, b: f32) -> f32 {
  if (isnan_f32(a) || isnan_f32(b)) { return nan_f32(); }
  if (iszero_f32(b)) { return select(signed_f32(inf_f32(), select(a, -a, unlike_signs_f32(b, 1.0))), nan_f32(), iszero_f32(a)); }
  if (isinf_f32(a)) { return nan_f32(); }
  if (isinf_f32(b)) { return select(0.0, -1.0, !iszero_f32(a) && unlike_signs_f32(a, b)); }
  let rest = fmod_f32(a, b);
  var quotient = (a - rest) / b;
  if (!iszero_f32(rest) && unlike_signs_f32(rest, b)) { quotient -= 1.0; }
  return round(quotient);
}
