"""A function of one sample, called for each of a batch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import ExitStack, nullcontext
from typing import Any

from tabgrad import ops
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.ops.draws import Draw, Draws
from tabgrad.session import current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer
from tabgrad.trees import in_place_of, tensors_of


def vmap(
    func: Callable[..., Any],
    in_dims: Any = 0,
    out_dims: Any = 0,
    randomness: str = "error",
    *,
    chunk_size: int | None = None,
) -> Callable[..., Any]:
    """A function that calls ``func`` for each slice of its arguments, and stacks the results.

    A loop, which is right for every op and for Python code that looks at shapes; the graph grows with the batch. Where
    an op takes a batch itself (``matmul``, a layer), give it the whole.

    Args:
        func: of tensors, or of nested tuples, lists and dicts of such; returns tensors alone.
        in_dims: the dimension to slice, or None for what each call is given whole; one for all arguments, or of their
            structure. Keyword arguments are given whole.
        out_dims: where the results' dimension goes; one for all, or of their structure.
        randomness: what random ops do: ``"error"``, ``"different"`` numbers in each call, or ``"same"``.
        chunk_size: accepted; calls are made one by one.

    Raises, when it is called:
        ShapeError: the sizes along the dimensions differ, or are 0.
        ArgumentError: ``in_dims`` does not fit the arguments.
        TypeError: ``func`` returns something else than tensors.
        RuntimeError: it draws random numbers, and ``randomness`` is ``"error"``.
    """
    if randomness not in ("error", "same", "different"):
        raise ArgumentError(f"vmap: expected randomness 'error', 'same' or 'different', got {randomness!r}")

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        dims = _spread("in_dims", list(in_dims) if isinstance(in_dims, tuple) else in_dims, list(args))
        count = _count(list(zip(tensors_of(args), dims, strict=True)))
        found, draws = [], current().own(Draws)
        with ExitStack() as stack:
            if randomness == "same" and current().capturing() is None:
                stack.enter_context(current().own(Tracer).executing("its random draws are repeated"))
            drawn = stack.enter_context(draws.noted())
            first: list[Draw] = []
            for n in range(count):
                sliced = in_place_of([_slice(t, d, n) for t, d in zip(tensors_of(args), dims, strict=True)], args)
                with draws.repeated(first) if randomness == "same" and n else nullcontext():
                    found.append(func(*sliced, **kwargs))
                first = first or list(drawn)
                if drawn and randomness == "error":
                    raise RuntimeError(
                        "vmap: expected a function without random numbers, as randomness='error', got one that draws; "
                        "pass randomness='different' or 'same'"
                    )
        return _stacked(found, out_dims)

    return wrapper


def _spread(name: str, dims: Any, tree: Any) -> list[int | None]:
    """A dimension for each tensor of the tree."""
    if isinstance(tree, Tensor):
        if dims is not None and (not isinstance(dims, int) or not -tree.ndim <= dims < tree.ndim):
            raise ArgumentError(
                f"vmap: expected {name} as a dimension of a tensor {list(tree.shape)}, or None, got {dims!r}"
            )
        return [None if dims is None else dims % tree.ndim]
    if not isinstance(tree, tuple | list | dict):
        return []
    parts = list(tree.values()) if isinstance(tree, dict) else list(tree)
    if dims is None or isinstance(dims, int):
        each = [dims] * len(parts)
    elif isinstance(dims, dict) and isinstance(tree, dict) and dims.keys() == tree.keys():
        each = [dims[key] for key in tree]
    elif isinstance(dims, tuple | list) and not isinstance(tree, dict) and len(dims) == len(parts):
        each = list(dims)
    else:
        raise ArgumentError(f"vmap: expected {name} with the structure of what they are of, got {dims!r}")
    return [found for dim, part in zip(each, parts, strict=True) for found in _spread(name, dim, part)]


def _count(dims: list[tuple[Tensor, int | None]]) -> int:
    sizes = {t.shape[dim] for t, dim in dims if dim is not None and t.ndim}
    if len(sizes) != 1 or sizes == {0}:
        raise ShapeError(
            f"vmap: expected at least one tensor to slice, and one positive size along the sliced dimensions, got "
            f"{[list(t.shape) for t, _ in dims]} along {[dim for _, dim in dims]}"
        )
    (count,) = sizes
    return count


def _slice(tensor: Tensor, dim: int | None, n: int) -> Tensor:
    if dim is None:
        return tensor
    found: Tensor = tensor[(*[slice(None)] * dim, n)]
    return found


def _stacked(found: list[Any], out_dims: Any) -> Any:
    first = found[0]
    if isinstance(first, Tensor):
        dim = out_dims
        if not isinstance(dim, int) or not -first.ndim - 1 <= dim <= first.ndim:
            raise ArgumentError(
                f"vmap: expected out_dims as a dimension of a result with {first.ndim + 1} dimensions, got {dim!r}"
            )
        return ops.stack(found, dim)
    if isinstance(first, tuple | list | dict):
        keys = list(first) if isinstance(first, dict) else list(range(len(first)))
        each = [out_dims] * len(keys) if isinstance(out_dims, int) else out_dims
        if isinstance(each, dict):
            each = [each[key] for key in keys]
        if not isinstance(each, tuple | list) or len(each) != len(keys):
            raise ArgumentError(f"vmap: expected out_dims with the structure of the result, got {out_dims!r}")
        parts = [_stacked([f[key] for f in found], dim) for key, dim in zip(keys, each, strict=True)]
        if isinstance(first, dict):
            return type(first)(zip(keys, parts, strict=True))
        return type(first)(*parts) if hasattr(first, "_fields") else type(first)(parts)
    raise TypeError(f"vmap: expected a function that returns tensors only, got {type(first).__name__}")


__all__ = ["vmap"]
