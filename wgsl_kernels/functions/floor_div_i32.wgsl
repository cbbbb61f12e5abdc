// Rounds toward minus infinity, as Python and PyTorch do.
fn floor_div_i32(a: i32, b: i32) -> i32 {
  let q = a / b;
  return select(q, q - 1, (a % b != 0) && ((a < 0) != (b < 0)));
}
