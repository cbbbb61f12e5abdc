// NaN equals nothing, itself included; by bits, as a compiler may assume that x == x.
fn eq_f32(a: f32, b: f32) -> bool { return a == b && !isnan_f32(a) && !isnan_f32(b); }
