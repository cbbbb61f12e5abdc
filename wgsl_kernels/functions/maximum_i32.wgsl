fn maximum_i32(a: i32, b: i32) -> i32 { return max(a, b); }
