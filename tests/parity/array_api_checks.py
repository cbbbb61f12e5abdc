"""One call of a function of the array API standard, in tabgrad's namespace and in another one that follows it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from parity.array_api_cases import Call, Dtype

DEFAULTS = {"int64": "int32", "uint64": "int32", "float64": "float32"}
"""Default dtypes of other namespaces, and tabgrad's. Of an unsigned sum it is int32, as PyTorch's is int64."""

RTOL = {"float32": 2e-4, "float64": 1e-9}  # the standard asks for no accuracy; float32 sums differ by their order


class Difference(AssertionError):
    """What is not as the standard has it."""


def converted(value: Any, namespace: Any) -> Any:
    """Arguments for a namespace: arrays and dtypes as its own."""
    if isinstance(value, np.ndarray):
        return namespace.asarray(value, dtype=getattr(namespace, value.dtype.name))
    if isinstance(value, Dtype):
        return getattr(namespace, value)
    if isinstance(value, list):
        return [converted(v, namespace) for v in value]
    return value


def run(namespace: Any, name: str, given: Call) -> Any:
    function = namespace
    for part in name.split("."):
        function = getattr(function, part)
    args = [converted(a, namespace) for a in given.args]
    return function(*args, **{k: converted(v, namespace) for k, v in given.kwargs.items()})


def compare(name: str, given: Call, ours: Any, theirs: Any) -> None:
    """Raise where our result is not the other namespace's: shape, dtype, values.

    Raises:
        Difference: the first one that is found.
    """
    if name in _FACTORS:
        parts = [np.asarray(p) for p in ours]
        _FACTORS[name](given.args[0], parts)
        for one, other in zip(ours, theirs, strict=True):
            _same_form(given, one, other)
    elif isinstance(theirs, tuple | list):
        if not isinstance(ours, tuple | list) or len(ours) != len(theirs):
            raise Difference(f"{len(theirs)} results, got {ours!r}")
        for one, other in zip(ours, theirs, strict=True):
            compare("", given, one, other)
        if getattr(theirs, "_fields", None) != getattr(ours, "_fields", None):
            raise Difference(f"fields {getattr(theirs, '_fields', None)}, got {getattr(ours, '_fields', None)}")
    elif hasattr(theirs, "dtype") and hasattr(theirs, "shape"):
        _same_form(given, ours, theirs)
        same_values(np.asarray(ours), np.asarray(theirs))
    elif ours != theirs:
        raise Difference(f"{theirs!r}, got {ours!r}")


def _dtype_name(x: Any) -> str:
    return getattr(x.dtype, "name", None) or str(x.dtype).rpartition(".")[2]


def _same_form(given: Call, ours: Any, theirs: Any) -> None:
    if tuple(ours.shape) != tuple(theirs.shape):
        raise Difference(f"shape {tuple(theirs.shape)}, got {tuple(ours.shape)}")
    expected = _dtype_name(theirs)
    named = {a.dtype.name if isinstance(a, np.ndarray) else str(a) for a in _arguments(given)}
    if expected not in named:
        expected = DEFAULTS.get(expected, expected)
    if _dtype_name(ours) != expected:
        raise Difference(f"dtype {expected}, got {_dtype_name(ours)}")


def _arguments(given: Call) -> list[Any]:
    flat = []
    for value in (*given.args, *given.kwargs.values()):
        flat += value if isinstance(value, list) else [value]
    return flat


def same_values(ours: np.ndarray, theirs: np.ndarray, *, signs: bool = False) -> None:
    """Raise where values differ; with ``signs``, zeros of other signs do."""
    rtol = RTOL.get(ours.dtype.name, 0)
    theirs = theirs.astype(ours.dtype)
    scale = float(np.max(np.abs(theirs[np.isfinite(theirs)]), initial=0)) if rtol else 0
    atol = rtol * min(scale, 1e3) * 0.1
    with np.errstate(all="ignore"):
        good = np.isclose(ours, theirs, rtol=rtol, atol=atol, equal_nan=True) if rtol else ours == theirs
    if signs:
        good &= np.isnan(theirs) | (theirs != 0) | (np.signbit(ours) == np.signbit(theirs))
    if not good.all():
        place = tuple(int(n) for n in np.argwhere(~np.asarray(good))[0]) if ours.ndim else ()
        raise Difference(f"{theirs[place]!r} at {place}, got {ours[place]!r}")


def _product(x: np.ndarray, *factors: np.ndarray) -> None:
    found = factors[0]
    for factor in factors[1:]:
        found = found @ factor
    np.testing.assert_allclose(found, x, rtol=1e-3, atol=1e-3 * float(np.abs(x).max(initial=1)))


def _orthogonal(q: np.ndarray) -> None:
    np.testing.assert_allclose(
        np.swapaxes(q, -1, -2) @ q,
        np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], q.shape[-1], q.shape[-1])),
        atol=1e-3,
    )


def _eigh(x: np.ndarray, parts: list[np.ndarray]) -> None:
    values, vectors = parts
    _product(x, vectors * values[..., None, :], np.swapaxes(vectors, -1, -2))
    _orthogonal(vectors)


def _qr(x: np.ndarray, parts: list[np.ndarray]) -> None:
    _product(x, *parts)
    _orthogonal(parts[0])
    if not math.isclose(float(np.abs(np.tril(parts[1], -1)).max(initial=0)), 0, abs_tol=1e-4):
        raise Difference("an upper triangular R")


def _svd(x: np.ndarray, parts: list[np.ndarray]) -> None:
    u, s, vh = parts
    k = s.shape[-1]
    _product(x, u[..., :k] * s[..., None, :], vh[..., :k, :])
    _orthogonal(u)
    _orthogonal(np.swapaxes(vh, -1, -2))


_FACTORS = {"linalg.eigh": _eigh, "linalg.qr": _qr, "linalg.svd": _svd}  # which are not unique

__all__ = ["Difference", "compare", "converted", "run", "same_values"]
