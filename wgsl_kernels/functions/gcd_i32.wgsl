// Euclid's algorithm on sizes.
fn gcd_i32(a: i32, b: i32) -> i32 {
  var x = u32(abs(a));
  var y = u32(abs(b));
  while (y != 0u) {
    let rest = x % y;
    x = y;
    y = rest;
  }
  return i32(x);
}
