"""``constant_pad_nd``, another name of padding with a number."""

from __future__ import annotations

from collections.abc import Sequence

from tabgrad.names import public
from tabgrad.ops.slicing import pad as padded
from tabgrad.tensor import Tensor


@public()
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: float = 0) -> Tensor:
    """As ``nn.functional.pad``: ``value`` around the last dimensions.

    Raises:
        ShapeError: an odd number of amounts, or more pairs than dimensions.
    """
    return padded(input, pad, "constant", value)
