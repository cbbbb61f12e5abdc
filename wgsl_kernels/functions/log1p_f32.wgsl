// log(1 + x). Near zero by 2 atanh(x / (2 + x)) as a series, since WGSL's log may err by 2^-21 around 1.
fn log1p_f32(x: f32) -> f32 {
  if (abs(x) < 0.3) {
    let s = x / (2.0 + x);
    let q = s * s;
    return 2.0 * s * (1.0 + q * (0.33333334 + q * (0.2 + q * (0.14285715 + q * 0.11111111))));
  }
  return log_ieee(1.0 + x);
}
