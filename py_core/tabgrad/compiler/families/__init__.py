"""Kernel families: each renders the kernels around one kind of heavy value."""
