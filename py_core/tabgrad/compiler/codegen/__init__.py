"""From kernels to WGSL and to instructions for devices that interpret."""
