fn maximum_bool(a: bool, b: bool) -> bool { return a || b; }
