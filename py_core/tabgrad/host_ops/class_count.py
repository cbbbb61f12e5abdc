"""How many classes labels name: read back, for ``one_hot`` without ``num_classes``."""

from __future__ import annotations

from tabgrad.errors import ShapeError
from tabgrad.host_ops.places import read_values
from tabgrad.names import public
from tabgrad.tensor import Tensor


@public(top=False)
def class_count(index: Tensor) -> int:
    """One more than the largest label.

    Raises:
        DeviceError: this platform cannot wait.
        NotImplementedError: a step is being recorded.
        ShapeError: there is no label, or a negative one.
    """
    values = read_values("one_hot without num_classes", index)
    if not values.size or values.min() < 0:
        got = f"{values.min()}" if values.size else "none"
        raise ShapeError(f"one_hot: expected labels from 0 on where num_classes is left out, got {got}")
    return int(values.max()) + 1


__all__ = ["class_count"]
