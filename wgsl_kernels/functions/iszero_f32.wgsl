// Also numbers too small to be normal, which a device may take for 0.
fn iszero_f32(x: f32) -> bool { return (bitcast<u32>(x) & 0x7f800000u) == 0u; }
