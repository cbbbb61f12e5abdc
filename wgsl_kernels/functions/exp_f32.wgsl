// NaN stays NaN: some software drivers make an infinity of it.
fn exp_f32(x: f32) -> f32 { return select(exp(x), x, isnan_f32(x)); }
