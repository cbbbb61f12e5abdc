"""The methods of :class:`tabgrad.Tensor` that are functions: :mod:`tabgrad.names` adds those that are declared so.

What they are is in ``methods.pyi``, which ``build_scripts/stubs.py`` writes.
"""

from __future__ import annotations

from typing import Any

from tabgrad.errors import ShapeError
from tabgrad.late import load_function, missing_name
from tabgrad.placement import Layout, strided


class LateMethods(type):
    """Of a class whose methods are, some of them, in files that are imported when one is first used."""

    def __getattr__(cls, name: str) -> Any:
        if not load_function(name) or name not in TensorMethods.__dict__:
            raise missing_name("tabgrad.Tensor", name)
        return getattr(cls, name)


class TensorMethods(metaclass=LateMethods):
    """Operators and methods; each is the function of the same name, which takes the tensor first."""

    __slots__ = ()

    @property
    def T(self: Any) -> Any:
        """The dimensions in reverse order."""
        return self.permute(tuple(reversed(range(self.ndim))))

    @property
    def H(self: Any) -> Any:
        """A matrix transposed, as there are no complex numbers."""
        if self.ndim not in (0, 2):
            raise ShapeError(f"H: expected a matrix, got {list(self.shape)}; use mH, of the last two dimensions")
        return self.permute(tuple(reversed(range(self.ndim))))

    @property
    def mH(self: Any) -> Any:
        """As :attr:`mT`, as there are no complex numbers."""
        return self.mT

    @property
    def mT(self: Any) -> Any:
        """The last two dimensions swapped."""
        return self.transpose(-2, -1)

    @property
    def itemsize(self: Any) -> int:
        """Bytes of an element."""
        return int(self.dtype.itemsize)

    @property
    def layout(self: Any) -> Layout:
        """How it is stored: ``strided``, as all are."""
        return strided

    @property
    def is_cuda(self: Any) -> bool:
        """Whether it lies on a GPU of CUDA; False."""
        return False

    @property
    def is_cpu(self: Any) -> bool:
        """Whether NumPy computes with it."""
        return bool(self.device.type == "cpu")

    @property
    def is_sparse(self: Any) -> bool:
        """Whether it is sparse; False."""
        return False

    @property
    def is_quantized(self: Any) -> bool:
        """Whether it is quantized; False."""
        return False

    @property
    def is_meta(self: Any) -> bool:
        """Whether it has no values; False."""
        return False

    @property
    def is_mps(self: Any) -> bool:
        """Whether it lies on a GPU of Metal's; False: that would be WebGPU's."""
        return False
