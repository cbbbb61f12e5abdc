"""Results of several tensors, named as PyTorch's ``torch.return_types``."""

from __future__ import annotations

from typing import NamedTuple

from tabgrad.tensor import Tensor


class ValuesAndIndices(NamedTuple):
    """Elements, and where along the dimension they were."""

    values: Tensor
    indices: Tensor


__all__ = ["ValuesAndIndices"]
