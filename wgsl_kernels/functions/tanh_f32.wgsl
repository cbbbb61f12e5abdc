// Some drivers overflow in tanh; near zero the quotient cancels, so a series serves there.
fn tanh_f32(x: f32) -> f32 {
  let s = x * x;
  if (s < 0.01) { return x * (1.0 - s * (0.33333334 - s * (0.13333334 - s * 0.053968254))); }
  let e = exp(-2.0 * abs(x));
  return sign(x) * (1.0 - e) / (1.0 + e);
}
