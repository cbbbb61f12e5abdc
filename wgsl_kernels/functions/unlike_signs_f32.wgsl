fn unlike_signs_f32(a: f32, b: f32) -> bool { return ((bitcast<u32>(a) ^ bitcast<u32>(b)) >> 31u) != 0u; }
