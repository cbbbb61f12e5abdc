"""Parameters as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterable

from tabgrad import ops
from tabgrad.autograd import no_grad
from tabgrad.errors import ShapeError
from tabgrad.tensor import Tensor


def parameters_to_vector(parameters: Iterable[Tensor]) -> Tensor:
    """All elements of all tensors, one after the other."""
    return ops.cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor]) -> None:
    """Give parameters the values of :func:`parameters_to_vector`, in place.

    Raises:
        ShapeError: the vector has not as many elements as they have.
    """
    if not isinstance(vec, Tensor):
        raise TypeError(f"expected torch.Tensor, but got: {type(vec).__name__}")
    found = list(parameters)
    count = sum(p.numel() for p in found)
    if vec.shape != (count,):
        raise ShapeError(f"vector_to_parameters: expected a vector [{count}], got {list(vec.shape)}")
    start = 0
    with no_grad():
        for p in found:
            p.copy_(vec[start : start + p.numel()].reshape(p.shape))
            start += p.numel()


__all__ = ["parameters_to_vector", "vector_to_parameters"]
