// What is left of a after whole multiples of b, with the sign of a: exact, by long division of the two fractions.
// a and b are finite, b is not 0.
fn fmod_f32(a: f32, b: f32) -> f32 {
  let x = bitcast<u32>(a) & 0x7fffffffu;
  let y = bitcast<u32>(b) & 0x7fffffffu;
  if (x < y) { return a; }
  let divisor = (y & 0x7fffffu) | 0x800000u;
  var rest = (x & 0x7fffffu) | 0x800000u;
  for (var left = (x >> 23u) - (y >> 23u); left > 0u; left--) {
    if (rest >= divisor) { rest -= divisor; }
    rest <<= 1u;
  }
  if (rest >= divisor) { rest -= divisor; }
  if (rest == 0u) { return signed_f32(0.0, a); }
  let shift = countLeadingZeros(rest) - 8u;
  let exponent = y >> 23u;
  if (exponent <= shift) { return signed_f32(0.0, a); } // too small to be normal
  return signed_f32(bitcast<f32>(((exponent - shift) << 23u) | ((rest << shift) & 0x7fffffu)), a);
}
