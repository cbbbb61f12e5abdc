"""A tensor's sizes as programs see them: ``torch.Size``, a tuple that prints as PyTorch's."""

from __future__ import annotations

import functools
import math
from typing import Any, Self, overload


class Size(tuple[int, ...]):
    """A tuple of sizes; slices and sums of it are sizes, too."""

    __slots__ = ()

    def numel(self) -> int:
        """The number of elements."""
        return math.prod(self)

    @overload  # type: ignore[override]
    def __getitem__(self, index: slice) -> Self: ...

    @overload
    def __getitem__(self, index: Any) -> int: ...

    def __getitem__(self, index: Any) -> Any:
        found = tuple.__getitem__(self, index)
        return type(self)(found) if type(index) is slice else found

    def __add__(self, other: Any) -> Any:
        return type(self)(tuple.__add__(self, other)) if isinstance(other, tuple) else NotImplemented

    def __radd__(self, other: Any) -> Any:
        return type(self)(tuple.__add__(other, self)) if isinstance(other, tuple) else NotImplemented

    def __mul__(self, times: Any) -> Self:
        return type(self)(tuple.__mul__(self, times))

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __reduce__(self) -> Any:
        return Size, (tuple(self),)


size_of = functools.lru_cache(maxsize=1024)(Size)
"""The same object for the same sizes, so that asking a tensor for its shape builds nothing."""


__all__ = ["Size", "size_of"]
