// Integer power, by squaring; the bits above 32 are lost. A negative exponent leaves 1 of 1, 1 or -1 of -1, and else 0.
fn pow_i32(a: i32, b: i32) -> i32 {
  if (b < 0) { return select(select(0, select(1, -1, (b & 1) != 0), a == -1), 1, a == 1); }
  var result = 1;
  var factor = a;
  for (var left = u32(b); left > 0u; left >>= 1u) {
    if ((left & 1u) != 0u) { result *= factor; }
    factor *= factor;
  }
  return result;
}
