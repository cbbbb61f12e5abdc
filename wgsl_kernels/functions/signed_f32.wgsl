// The size of a with the sign of b: no arithmetic, which would be free to lose infinities.
fn signed_f32(a: f32, b: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(a) & 0x7fffffffu) | (bitcast<u32>(b) & 0x80000000u));
}
