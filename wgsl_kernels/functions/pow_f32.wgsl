// WGSL's pow is undefined for a negative base; whole exponents have a sign by their parity.
fn pow_f32(a: f32, b: f32) -> f32 {
  if (b == 0.0) { return 1.0; }
  if (a == 0.0) { return select(0.0, inf_f32(), b < 0.0); }
  let size = pow(abs(a), b);
  if (a > 0.0) { return size; }
  if (b != floor(b)) { return nan_f32(); }
  return select(size, -size, abs(b - 2.0 * floor(b * 0.5)) == 1.0);
}
