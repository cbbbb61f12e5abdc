// NaN differs from everything; WGSL's != becomes an ordered comparison, which is false for NaN.
fn ne_f32(a: f32, b: f32) -> bool { return a != b || isnan_f32(a) || isnan_f32(b); }
