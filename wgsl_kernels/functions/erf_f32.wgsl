// Maclaurin series below 1, Abramowitz & Stegun 7.1.26-style rational times exp above (Numerical Recipes' erfc fit, 1.2e-7).
fn erf_f32(x: f32) -> f32 {
  let a = abs(x);
  if (a < 1.0) {
    let s = x * x;
    return 1.1283792 * x * (1.0 + s * (-0.33333334 + s * (0.1 + s * (-0.023809524 + s * (0.0046296296
      + s * (-0.00075757577 + s * (0.00010683761 + s * (-0.000013227513 + s * 0.0000014589169))))))));
  }
  let t = 1.0 / (1.0 + 0.5 * a);
  let p = -1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * (-0.18628806
    + t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))))))));
  return sign(x) * (1.0 - t * exp(-a * a + p));
}
