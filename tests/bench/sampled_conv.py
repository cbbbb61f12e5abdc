"""Single entries of a convolution and of its gradients, each as the sum that defines it, in float64.

``y[n,o,h,w] = Σ x[n,c,h·s+i-p,w·s+j-p] · k[o,c,i,j]`` with images ``x`` ``[N, C, H, W]``, a weight ``k``
``[O, C, I, J]``, stride s and padding p. ``at`` has one array of indices per dimension of what is asked for.
"""

from __future__ import annotations

import numpy as np

At = tuple[np.ndarray, ...]


def output(x: np.ndarray, k: np.ndarray, at: At, stride: int, padding: int) -> np.ndarray:
    """Entries of y."""
    edges = (padding, padding)
    wide = np.pad(x, ((0, 0), (0, 0), edges, edges))
    rows, columns = k.shape[2:]
    return np.array(
        [
            (wide[n, :, h * stride : h * stride + rows, w * stride : w * stride + columns] * k[o]).sum()
            for n, o, h, w in zip(*at, strict=True)
        ]
    )


def input_gradient(g: np.ndarray, k: np.ndarray, at: At, stride: int, padding: int) -> np.ndarray:
    """Entries of Σ g ∂y/∂x; also those of the transposed convolution of g."""
    found = []
    for n, c, row, column in zip(*at, strict=True):
        total = 0.0
        for i in range(k.shape[2]):
            for j in range(k.shape[3]):
                h, h_rest = divmod(row + padding - i, stride)
                w, w_rest = divmod(column + padding - j, stride)
                if not h_rest and not w_rest and 0 <= h < g.shape[2] and 0 <= w < g.shape[3]:
                    total += g[n, :, h, w] @ k[:, c, i, j]
        found.append(total)
    return np.array(found)


def weight_gradient(g: np.ndarray, x: np.ndarray, at: At, stride: int, padding: int) -> np.ndarray:
    """Entries of Σ g ∂y/∂k."""
    edges = (padding, padding)
    wide = np.pad(x, ((0, 0), (0, 0), edges, edges))
    rows, columns = g.shape[2:]
    return np.array(
        [
            (wide[:, c, i : i + rows * stride : stride, j : j + columns * stride : stride] * g[:, o]).sum()
            for o, c, i, j in zip(*at, strict=True)
        ]
    )
