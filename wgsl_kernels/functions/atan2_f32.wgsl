// The angle of the point (x, y), with IEEE's results for zeros of both signs and infinities, which WGSL leaves open.
fn atan2_f32(y: f32, x: f32) -> f32 {
  if (isnan_f32(y) || isnan_f32(x)) { return nan_f32(); }
  let left = unlike_signs_f32(x, 1.0);
  var angle = 1.5707964;
  if (isinf_f32(x) && isinf_f32(y)) {
    angle = 0.7853982;
  } else if (iszero_f32(y) || isinf_f32(x)) {
    angle = 0.0;
  } else if (!iszero_f32(x) && !isinf_f32(y)) {
    angle = atan(abs(y) / abs(x));
  }
  return signed_f32(select(angle, 3.1415927 - angle, left), y);
}
