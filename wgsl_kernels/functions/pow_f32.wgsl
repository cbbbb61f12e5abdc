// IEEE's pow: WGSL's is undefined for a negative base, and for what is not finite.
fn pow_f32(a: f32, b: f32) -> f32 {
  if (iszero_f32(b) || bitcast<u32>(a) == 0x3f800000u) { return 1.0; }
  if (isnan_f32(a) || isnan_f32(b)) { return nan_f32(); }
  let size = abs(a);
  if (isinf_f32(b)) { return select(select(0.0, inf_f32(), (size > 1.0) == (b > 0.0)), 1.0, size == 1.0); }
  let whole = b == floor(b);
  let odd = whole && abs(b - 2.0 * floor(b * 0.5)) == 1.0;
  let sign = select(1.0, a, odd);
  if (iszero_f32(a) || isinf_f32(a)) { return signed_f32(select(0.0, inf_f32(), iszero_f32(a) == (b < 0.0)), sign); }
  if (a < 0.0 && !whole) { return nan_f32(); }
  return select(signed_f32(pow(size, b), sign), a, b == 1.0);
}
