fn minimum_i32(a: i32, b: i32) -> i32 { return min(a, b); }
