"""The bilinear product."""

from __future__ import annotations

from tabgrad.errors import ShapeError
from tabgrad.names import public
from tabgrad.ops import reduce as red
from tabgrad.ops.matmul import matmul
from tabgrad.ops.movement import permute, reshape, unsqueeze
from tabgrad.tensor import Tensor


@public(functional=True)
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """``y[o] = input1 · weight[o] · input2 + bias[o]``.

    Args:
        input1, input2: ``[..., I1]`` and ``[..., I2]``.
        weight: ``[O, I1, I2]``.

    Returns:
        ``[..., O]``.

    Raises:
        ShapeError: shapes do not fit.
    """
    fits = weight.ndim == 3 and input1.ndim > 0 and input1.shape[:-1] == input2.shape[:-1]
    if not fits or (input1.shape[-1], input2.shape[-1]) != weight.shape[1:]:
        raise ShapeError(
            f"bilinear: expected inputs [..., I1] and [..., I2], and weight [O, I1, I2], got {list(input1.shape)}, "
            f"{list(input2.shape)} and {list(weight.shape)}"
        )
    out, first, second = weight.shape
    rows1, rows2 = reshape(input1, (-1, first)), reshape(input2, (-1, second))
    flat = reshape(permute(weight, (1, 0, 2)), (first, out * second))
    products = reshape(matmul(rows1, flat), (rows1.shape[0], out, second))
    found = reshape(red.sum(products * unsqueeze(rows2, 1), 2), (*input1.shape[:-1], out))
    return found if bias is None else found + bias


__all__ = ["bilinear"]
