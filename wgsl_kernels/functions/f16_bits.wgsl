// The half-precision number nearest to x, ties to even; by bits, so that subnormals, infinities and NaN stay.
fn f16_bits(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let sign = (bits >> 16u) & 0x8000u;
  let size = bits & 0x7fffffffu;
  if (size >= 0x7f800000u) { return sign | select(0x7c00u, 0x7e00u, size > 0x7f800000u); }
  if (size >= 0x477ff000u) { return sign | 0x7c00u; }
  if (size < 0x38800000u) { return sign | u32(round(bitcast<f32>(size) * 16777216.0)); }
  return sign | ((size + 0xfffu + ((size >> 13u) & 1u) - 0x38000000u) >> 13u);
}
