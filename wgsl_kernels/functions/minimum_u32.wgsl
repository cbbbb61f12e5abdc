fn minimum_u32(a: u32, b: u32) -> u32 { return min(a, b); }
