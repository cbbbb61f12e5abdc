// The number that half-precision bits stand for.
fn f16_value(half: u32) -> f32 {
  let sign = (half & 0x8000u) << 16u;
  let size = half & 0x7fffu;
  if (size < 0x0400u) { return bitcast<f32>(sign | bitcast<u32>(f32(size) * 5.9604644775390625e-8)); }
  return bitcast<f32>(sign | ((size << 13u) + select(0x38000000u, 0x70000000u, size >= 0x7c00u)));
}
