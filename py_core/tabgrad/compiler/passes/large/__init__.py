"""Values too large for a binding: they become grids of smaller ones, before anything is fused."""
