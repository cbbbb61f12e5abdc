// Hyperbolic cosine; the halves are multiplied one by one, so that it overflows where it must.
fn cosh_f32(x: f32) -> f32 {
  let half = exp_f32(0.5 * abs(x));
  return (0.5 * half) * half + 0.5 / half / half;
}
