"""What the compiler does with a graph before code is written: simplify, split, fuse, merge, order, plan memory."""
