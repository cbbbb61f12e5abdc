"""From graph to program: simplify, split, fuse, schedule, plan memory, render."""
