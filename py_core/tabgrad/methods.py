"""The methods of :class:`tabgrad.Tensor` that are functions: :mod:`tabgrad.names` adds those that are declared so.

What they are is in ``methods.pyi``, which ``build_scripts/stubs.py`` writes.
"""

from __future__ import annotations

from typing import Any


class TensorMethods:
    """Operators and methods; each is the function of the same name, which takes the tensor first."""

    __slots__ = ()

    @property
    def T(self: Any) -> Any:
        """The dimensions in reverse order."""
        return self.permute(tuple(reversed(range(self.ndim))))

    @property
    def mT(self: Any) -> Any:
        """The last two dimensions swapped."""
        return self.transpose(-2, -1)
