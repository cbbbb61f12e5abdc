"""The trigonometric and hyperbolic functions beyond sine, cosine and tanh."""

from __future__ import annotations

import numpy as np

from tabgrad.ops.elementwise import unary

tan = unary("tan", "tan({0})", np.tan, lambda g, out, x: (g * (1.0 + out * out),), "Tangent of radians.", cost=6)
atan = unary(
    "atan", "atan({0})", np.arctan, lambda g, out, x: (g / (x * x + 1.0),), "Inverse tangent.", cost=6,
    aliases=("arctan",),
)  # fmt: skip
