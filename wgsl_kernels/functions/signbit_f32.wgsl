// Whether the sign of x is set, also of zeros and NaN.
fn signbit_f32(x: f32) -> bool { return (bitcast<u32>(x) >> 31u) != 0u; }
