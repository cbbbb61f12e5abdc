// The smaller of two; NaN if either is, as PyTorch's minimum.
fn minimum_f32(a: f32, b: f32) -> f32 { return select(select(b, a, a < b || isnan_f32(a)), b, isnan_f32(b)); }
