// The neighbour of a in the direction of b: one more or less among the bits, which order floats of one sign.
fn nextafter_f32(a: f32, b: f32) -> f32 {
  if (isnan_f32(a) || isnan_f32(b)) { return nan_f32(); }
  let x = bitcast<u32>(a);
  let y = bitcast<u32>(b);
  if (x == y || ((x | y) & 0x7fffffffu) == 0u) { return b; }
  if ((x & 0x7fffffffu) == 0u) { return bitcast<f32>((y & 0x80000000u) | 1u); }
  let smaller = unlike_signs_f32(a, b) || (x & 0x7fffffffu) > (y & 0x7fffffffu);
  return bitcast<f32>(select(x + 1u, x - 1u, smaller));
}
