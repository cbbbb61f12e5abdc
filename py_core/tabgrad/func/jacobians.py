"""Whole Jacobians, one row or column after the other."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tabgrad import ops
from tabgrad.errors import ArgumentError
from tabgrad.func.levels import Level
from tabgrad.func.transforms import (
    Argnums,
    chosen,
    forward_product,
    gradients_of,
    split_aux,
    with_variables,
)
from tabgrad.grad_mode import enable_grad
from tabgrad.tensor import Tensor
from tabgrad.trees import in_place_of, mapped, tensors_of

Rows = list[list[Tensor]]
"""Of each output, by each input."""


def units(tensor: Tensor) -> list[Tensor]:
    """Of the tensor's shape: one for each of its elements, which is 1 there and 0 elsewhere."""
    rows = ops.eye(tensor.numel(), dtype=tensor.dtype)
    return [rows[n].reshape(tensor.shape) for n in range(tensor.numel())]


def by_rows(outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> Rows:
    """``[*output, *input]`` of each pair: one backward pass for each element of the outputs."""
    found: Rows = []
    for output in outputs:
        rows = [gradients_of([output], inputs, [unit]) for unit in units(output)]
        found.append([_stacked([row[k] for row in rows], output.shape, i) for k, i in enumerate(inputs)])
    return found


def _stacked(rows: list[Tensor], shape: tuple[int, ...], input: Tensor) -> Tensor:
    if not rows:
        return ops.zeros(*shape, *input.shape, dtype=input.dtype)
    return ops.stack(rows, 0).reshape((*shape, *input.shape))


def by_columns(outputs: Sequence[Tensor], inputs: Sequence[Tensor]) -> Rows:
    """As :func:`by_rows`: one pass for each element of the inputs, through the gradient of a gradient."""
    found: Rows = [[] for _ in outputs]
    for k, input in enumerate(inputs):
        others = [ops.zeros_like(i) for i in inputs]
        columns = [forward_product(outputs, inputs, [*others[:k], unit, *others[k + 1 :]]) for unit in units(input)]
        for n, output in enumerate(outputs):
            if columns:
                whole = ops.stack([column[n] for column in columns], -1).reshape((*output.shape, *input.shape))
            else:
                whole = ops.zeros(*output.shape, *input.shape, dtype=output.dtype)
            found[n].append(whole)
    return found


def _jacobian(
    caller: str, rule: Callable[..., Rows], func: Callable[..., Any], argnums: Argnums, has_aux: bool
) -> Callable[..., Any]:
    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        places = chosen(caller, args, argnums)
        level = Level(caller)
        with enable_grad():
            given = with_variables(level, args, places)
            output, aux = split_aux(caller, func(*given, **kwargs), has_aux)
            asked = [given[n] for n in places]
            rows = iter(rule(list(tensors_of(output)), list(tensors_of(asked))))

            def of_output(_: Tensor) -> Any:
                found = in_place_of(next(rows), asked)
                return found[0] if isinstance(argnums, int) else tuple(found)

            whole = mapped(of_output, output)
        result, aux = level.results((whole, aux))
        return (result, aux) if has_aux else result

    return wrapper


def jacrev(
    func: Callable[..., Any],
    argnums: Argnums = 0,
    *,
    has_aux: bool = False,
    chunk_size: int | None = None,
    _preallocate_and_copy: bool = False,
) -> Callable[..., Any]:
    """A function that returns the Jacobian of ``func`` by its arguments ``argnums``, in reverse mode.

    One backward pass for each element of the output; the step's program computes them together.

    Args:
        func: of tensors, or of nested tuples, lists and dicts of such.
        argnums: one, or several; the Jacobian has the structure of the output, and in it that of these arguments.
        has_aux: ``func`` returns ``(output, aux)``; so does the Jacobian.
        chunk_size: accepted; rows are computed one by one.

    Returns:
        ``[*output, *argument]`` of each pair.
    """
    if chunk_size is not None and chunk_size < 1:
        raise ArgumentError(f"jacrev: expected chunk_size as a positive number or None, got {chunk_size}")
    return _jacobian("jacrev", by_rows, func, argnums, has_aux)


def jacfwd(
    func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False, *, randomness: str = "error"
) -> Callable[..., Any]:
    """As :func:`jacrev`, with one pass for each element of the arguments: for few of them and large outputs.

    Through the gradient of a gradient, which ops without a second derivative refuse.
    """
    if randomness not in ("error", "same", "different"):
        raise ArgumentError(f"jacfwd: expected randomness 'error', 'same' or 'different', got {randomness!r}")
    return _jacobian("jacfwd", by_columns, func, argnums, has_aux)


def hessian(func: Callable[..., Any], argnums: Argnums = 0) -> Callable[..., Any]:
    """A function that returns the second derivatives of ``func``: the Jacobian, by rows, of its Jacobian."""
    return jacrev(jacrev(func, argnums), argnums)


__all__ = ["by_columns", "by_rows", "hessian", "jacfwd", "jacrev"]
