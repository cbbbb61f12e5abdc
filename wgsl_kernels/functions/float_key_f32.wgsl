// integers in the order of numbers: NaN is the largest, -0.0 equals 0.0
fn float_key_f32(x: f32) -> i32 {
  let bits = bitcast<i32>(x);
  let size = bits & 0x7fffffff;
  return select(select(bits ^ ((bits >> 31u) & 0x7fffffff), 0, size == 0), 0x7fffffff, size > 0x7f800000);
}
