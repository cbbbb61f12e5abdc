"""The methods of :class:`tabgrad.Tensor` that are ops: each is the function of the same name in ``tabgrad.ops``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tabgrad.ops.reduce import Dims
    from tabgrad.tensor import Tensor


class TensorMethods:
    """Operators and op methods; see the functions in ``tabgrad.ops`` for shapes and errors."""

    __slots__ = ()

    def __add__(self, other: Any) -> Tensor:
        return _ops().add(_me(self), other)

    def __radd__(self, other: Any) -> Tensor:
        return _ops().add(other, _me(self))

    def __sub__(self, other: Any) -> Tensor:
        return _ops().sub(_me(self), other)

    def __rsub__(self, other: Any) -> Tensor:
        return _ops().sub(other, _me(self))

    def __mul__(self, other: Any) -> Tensor:
        return _ops().mul(_me(self), other)

    def __rmul__(self, other: Any) -> Tensor:
        return _ops().mul(other, _me(self))

    def __truediv__(self, other: Any) -> Tensor:
        return _ops().div(_me(self), other)

    def __rtruediv__(self, other: Any) -> Tensor:
        return _ops().div(other, _me(self))

    def __floordiv__(self, other: Any) -> Tensor:
        return _ops().floor_divide(_me(self), other)

    def __rfloordiv__(self, other: Any) -> Tensor:
        return _ops().floor_divide(other, _me(self))

    def __mod__(self, other: Any) -> Tensor:
        return _ops().remainder(_me(self), other)

    def __rmod__(self, other: Any) -> Tensor:
        return _ops().remainder(other, _me(self))

    def __pow__(self, other: Any) -> Tensor:
        return _ops().pow(_me(self), other)

    def __rpow__(self, other: Any) -> Tensor:
        return _ops().pow(other, _me(self))

    def __matmul__(self, other: Any) -> Tensor:
        return _ops().matmul(_me(self), other)

    def __lt__(self, other: Any) -> Tensor:
        return _ops().lt(_me(self), other)

    def __le__(self, other: Any) -> Tensor:
        return _ops().le(_me(self), other)

    def __gt__(self, other: Any) -> Tensor:
        return _ops().gt(_me(self), other)

    def __ge__(self, other: Any) -> Tensor:
        return _ops().ge(_me(self), other)

    def __and__(self, other: Any) -> Tensor:
        return _ops().logical_and(_me(self), other)

    def __or__(self, other: Any) -> Tensor:
        return _ops().logical_or(_me(self), other)

    def __xor__(self, other: Any) -> Tensor:
        return _ops().logical_xor(_me(self), other)

    def __eq__(self, other: Any) -> Tensor:  # type: ignore[override]
        return _ops().eq(_me(self), other)

    def __ne__(self, other: Any) -> Tensor:  # type: ignore[override]
        return _ops().ne(_me(self), other)

    def __neg__(self) -> Tensor:
        return _ops().neg(_me(self))

    def __invert__(self) -> Tensor:
        return _ops().logical_not(_me(self))

    def __abs__(self) -> Tensor:
        return _ops().abs(_me(self))

    def __getitem__(self, index: Any) -> Tensor:
        return _ops().getitem(_me(self), index)

    # Elementwise

    def add(self, other: Any) -> Tensor:
        return _ops().add(_me(self), other)

    def sub(self, other: Any) -> Tensor:
        return _ops().sub(_me(self), other)

    def mul(self, other: Any) -> Tensor:
        return _ops().mul(_me(self), other)

    def div(self, other: Any) -> Tensor:
        return _ops().div(_me(self), other)

    def pow(self, other: Any) -> Tensor:
        return _ops().pow(_me(self), other)

    def maximum(self, other: Any) -> Tensor:
        return _ops().maximum(_me(self), other)

    def minimum(self, other: Any) -> Tensor:
        return _ops().minimum(_me(self), other)

    def remainder(self, other: Any) -> Tensor:
        return _ops().remainder(_me(self), other)

    def floor_divide(self, other: Any) -> Tensor:
        return _ops().floor_divide(_me(self), other)

    def eq(self, other: Any) -> Tensor:
        return _ops().eq(_me(self), other)

    def ne(self, other: Any) -> Tensor:
        return _ops().ne(_me(self), other)

    def lt(self, other: Any) -> Tensor:
        return _ops().lt(_me(self), other)

    def le(self, other: Any) -> Tensor:
        return _ops().le(_me(self), other)

    def gt(self, other: Any) -> Tensor:
        return _ops().gt(_me(self), other)

    def ge(self, other: Any) -> Tensor:
        return _ops().ge(_me(self), other)

    def logical_and(self, other: Any) -> Tensor:
        return _ops().logical_and(_me(self), other)

    def logical_or(self, other: Any) -> Tensor:
        return _ops().logical_or(_me(self), other)

    def logical_xor(self, other: Any) -> Tensor:
        return _ops().logical_xor(_me(self), other)

    def matmul(self, other: Any) -> Tensor:
        return _ops().matmul(_me(self), other)

    def exp(self) -> Tensor:
        return _ops().exp(_me(self))

    def log(self) -> Tensor:
        return _ops().log(_me(self))

    def log1p(self) -> Tensor:
        return _ops().log1p(_me(self))

    def expm1(self) -> Tensor:
        return _ops().expm1(_me(self))

    def sqrt(self) -> Tensor:
        return _ops().sqrt(_me(self))

    def square(self) -> Tensor:
        return _ops().square(_me(self))

    def rsqrt(self) -> Tensor:
        return _ops().rsqrt(_me(self))

    def reciprocal(self) -> Tensor:
        return _ops().reciprocal(_me(self))

    def sin(self) -> Tensor:
        return _ops().sin(_me(self))

    def cos(self) -> Tensor:
        return _ops().cos(_me(self))

    def tanh(self) -> Tensor:
        return _ops().tanh(_me(self))

    def sigmoid(self) -> Tensor:
        return _ops().sigmoid(_me(self))

    def relu(self) -> Tensor:
        return _ops().relu(_me(self))

    def erf(self) -> Tensor:
        return _ops().erf(_me(self))

    def abs(self) -> Tensor:
        return _ops().abs(_me(self))

    def sign(self) -> Tensor:
        return _ops().sign(_me(self))

    def neg(self) -> Tensor:
        return _ops().neg(_me(self))

    def floor(self) -> Tensor:
        return _ops().floor(_me(self))

    def ceil(self) -> Tensor:
        return _ops().ceil(_me(self))

    def round(self) -> Tensor:
        return _ops().round(_me(self))

    def isnan(self) -> Tensor:
        return _ops().isnan(_me(self))

    def isfinite(self) -> Tensor:
        return _ops().isfinite(_me(self))

    def logical_not(self) -> Tensor:
        return _ops().logical_not(_me(self))

    def clamp(self, min: float | None = None, max: float | None = None) -> Tensor:
        return _ops().clamp(_me(self), min, max)

    def masked_fill(self, mask: Tensor, value: float) -> Tensor:
        return _ops().masked_fill(_me(self), mask, value)

    def softmax(self, dim: int) -> Tensor:
        return _ops().softmax(_me(self), dim)

    def log_softmax(self, dim: int) -> Tensor:
        return _ops().log_softmax(_me(self), dim)

    def clone(self) -> Tensor:
        return _ops().mul(_me(self), 1) if _me(self).dtype.name != "bool" else _ops().logical_or(_me(self), _me(self))

    # Reductions

    def sum(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        return _ops().sum(_me(self), dim, keepdim)

    def mean(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        return _ops().mean(_me(self), dim, keepdim)

    def amax(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        return _ops().amax(_me(self), dim, keepdim)

    def amin(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        return _ops().amin(_me(self), dim, keepdim)

    def any(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        return _ops().any(_me(self), dim, keepdim)

    def all(self, dim: Dims = None, keepdim: bool = False) -> Tensor:
        return _ops().all(_me(self), dim, keepdim)

    def logsumexp(self, dim: Dims, keepdim: bool = False) -> Tensor:
        return _ops().logsumexp(_me(self), dim, keepdim)

    def var(self, dim: Dims = None, keepdim: bool = False, *, correction: int = 1) -> Tensor:
        return _ops().var(_me(self), dim, keepdim, correction=correction)

    def std(self, dim: Dims = None, keepdim: bool = False, *, correction: int = 1) -> Tensor:
        return _ops().std(_me(self), dim, keepdim, correction=correction)

    def max(self, dim: int | None = None, keepdim: bool = False) -> Any:
        return _ops().max(_me(self), dim, keepdim)

    def min(self, dim: int | None = None, keepdim: bool = False) -> Any:
        return _ops().min(_me(self), dim, keepdim)

    def argmax(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        return _ops().argmax(_me(self), dim, keepdim)

    def argmin(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        return _ops().argmin(_me(self), dim, keepdim)

    def prod(self, dim: int | None = None, keepdim: bool = False) -> Tensor:
        return _ops().prod(_me(self), dim, keepdim)

    # Views

    def reshape(self, *shape: Any) -> Tensor:
        return _ops().reshape(_me(self), *shape)

    def view(self, *shape: Any) -> Tensor:
        return _ops().reshape(_me(self), *shape)

    def flatten(self, start_dim: int = 0, end_dim: int = -1) -> Tensor:
        return _ops().flatten(_me(self), start_dim, end_dim)

    def unflatten(self, dim: int, sizes: Sequence[int]) -> Tensor:
        return _ops().unflatten(_me(self), dim, sizes)

    def squeeze(self, dim: int | None = None) -> Tensor:
        return _ops().squeeze(_me(self), dim)

    def unsqueeze(self, dim: int) -> Tensor:
        return _ops().unsqueeze(_me(self), dim)

    def expand(self, *sizes: Any) -> Tensor:
        return _ops().expand(_me(self), *sizes)

    def broadcast_to(self, shape: tuple[int, ...]) -> Tensor:
        return _ops().broadcast_to(_me(self), shape)

    def repeat(self, *sizes: Any) -> Tensor:
        return _ops().repeat(_me(self), *sizes)

    def permute(self, *dims: Any) -> Tensor:
        return _ops().permute(_me(self), *dims)

    def transpose(self, dim0: int, dim1: int) -> Tensor:
        return _ops().transpose(_me(self), dim0, dim1)

    def t(self) -> Tensor:
        return _ops().t(_me(self))

    @property
    def T(self) -> Tensor:
        return _ops().permute(_me(self), tuple(reversed(range(_me(self).ndim))))

    @property
    def mT(self) -> Tensor:
        return _ops().transpose(_me(self), -2, -1)

    def contiguous(self) -> Tensor:
        return _me(self)

    def flip(self, *dims: Any) -> Tensor:
        return _ops().flip(_me(self), *dims)

    def narrow(self, dim: int, start: int, length: int) -> Tensor:
        return _ops().narrow(_me(self), dim, start, length)

    def split(self, size: int | Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
        return _ops().split(_me(self), size, dim)

    def chunk(self, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
        return _ops().chunk(_me(self), chunks, dim)

    def gather(self, dim: int, index: Tensor) -> Tensor:
        return _ops().gather(_me(self), dim, index)

    def index_select(self, dim: int, index: Tensor) -> Tensor:
        return _ops().index_select(_me(self), dim, index)

    def tril(self, diagonal: int = 0) -> Tensor:
        return _ops().tril(_me(self), diagonal)

    def triu(self, diagonal: int = 0) -> Tensor:
        return _ops().triu(_me(self), diagonal)


_loaded: Any = None


def _ops() -> Any:
    global _loaded
    if _loaded is None:  # an import statement at each op would cost more than the op's rules
        from tabgrad import ops

        _loaded = ops
    return _loaded


def _me(methods: TensorMethods) -> Tensor:
    return methods  # type: ignore[return-value]  # the only class that has them
