"""What PyTorch leaves open of a result, so that two right answers may differ; the table names the functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from parity.plain import RELATIVE
from parity.values import array_of, difference

Rule = Callable[[str, dict[str, Any], Any, Any], str | None]
"""What is wrong with a result: of the function's name, its arguments, PyTorch's result and tabgrad's."""

_PARAMETERS = {
    "topk": ("input", "k", "dim", "largest", "sorted"),
    "kthvalue": ("input", "k", "dim", "keepdim"),
    "mode": ("input", "dim", "keepdim"),
    "sort": ("input", "dim", "descending"),
    "argsort": ("input", "dim", "descending"),
    "linalg.eigh": ("A", "UPLO"),
    "svd": ("A", "some"),
    "linalg.svd": ("A", "full_matrices"),
}


def _of_equals(name: str, given: dict[str, Any], expected: Any, got: Any) -> str | None:
    """Indices may name any of equal elements: they must be different ones, and the elements must be PyTorch's."""
    stable = given.get("stable", False)
    if name == "argsort":
        different = difference(expected, got, only_shape=not stable)
    else:
        different = difference(expected[0], got[0], where="values") or difference(expected, got, only_shape=not stable)
    if different or stable:
        return different
    theirs, ours = (array_of(r if name == "argsort" else r[1]) for r in (expected, got))
    x, dim = array_of(given["input"]), given.get("dim", -1)
    if not x.ndim:
        return None if ours.item() == 0 else f"indices: expected 0, got {ours.item()}"
    if theirs.ndim < x.ndim:
        theirs, ours = np.expand_dims(theirs, dim), np.expand_dims(ours, dim)
    if ours.size and not (ours.min() >= 0 and ours.max() < x.shape[dim]):
        return f"indices: expected 0 to {x.shape[dim] - 1}, got {ours.min()} to {ours.max()}"
    if not np.array_equal(*(np.take_along_axis(x, i, dim) for i in (theirs, ours)), equal_nan=True):
        return "indices: they name other elements than PyTorch's"
    if (np.diff(np.sort(ours, dim), axis=dim) == 0).any():
        return "indices: an element is named twice"
    return None


def _orthonormal(where: str, matrix: np.ndarray) -> str | None:
    """Columns have length 1 and are at right angles."""
    return _equal(
        f"{where}: its columns are not orthonormal", _product(_turned(matrix), matrix), np.eye(matrix.shape[-1])
    )


def _turned(matrix: np.ndarray) -> np.ndarray:
    return np.swapaxes(matrix, -1, -2)


def _product(*matrices: np.ndarray) -> np.ndarray:
    found = matrices[0]
    for matrix in matrices[1:]:
        found = found @ matrix
    return found


def _equal(what: str, got: np.ndarray, expected: np.ndarray) -> str | None:
    size = np.abs(expected).max(initial=0.0)
    off = np.abs(got - expected).max(initial=0.0)
    return None if off <= RELATIVE * size else f"{what}; off by {off:.3g} of {size:.3g}"


def _svd(name: str, given: dict[str, Any], expected: Any, got: Any) -> str | None:
    """Each pair of singular vectors may have the other sign, and what completes them to a basis is free."""
    different = difference(expected, got, only_shape=True) or difference(expected[1], got[1], where="singular values")
    if different:
        return different
    u, s, v = (array_of(part) for part in got)
    v = _turned(v) if name == "linalg.svd" else v
    k = s.shape[-1]
    back = _product(u[..., :k] * s[..., None, :], _turned(v[..., :k]))
    return _orthonormal("U", u) or _orthonormal("V", v) or _equal("U S Vh is not A", back, array_of(given["A"]))


def _eigh(name: str, given: dict[str, Any], expected: Any, got: Any) -> str | None:
    """Each eigenvector may have the other sign."""
    different = difference(expected, got, only_shape=True) or difference(expected[0], got[0], where="eigenvalues")
    if different:
        return different
    values, vectors = (array_of(part) for part in got)
    a = array_of(given["A"])
    half = np.triu(a) if given.get("UPLO", "L").upper() == "U" else np.tril(a)
    whole = half + _turned(half) - half * np.eye(a.shape[-1])
    back = _product(vectors * values[..., None, :], _turned(vectors))
    return _orthonormal("eigenvectors", vectors) or _equal("Q L Qh is not A", back, whole)


_RULES: dict[str, Rule] = {
    "topk": _of_equals,
    "kthvalue": _of_equals,
    "mode": _of_equals,
    "sort": _of_equals,
    "argsort": _of_equals,
    "svd": _svd,
    "linalg.svd": _svd,
    "linalg.eigh": _eigh,
}

UP_TO_SIGNS = frozenset(("svd", "linalg.svd", "linalg.eigh"))
"""Of these gradients are of what PyTorch's own tests derive: functions that the free choice does not change."""

ROUNDED = frozenset(("logcumsumexp", "nn.functional.ctc_loss", "special.log_ndtr"))
"""PyTorch's gradients in float32 are off by more than the tolerance: they may be as far from those in float64."""

NOT_DERIVED = frozenset(("as_strided_scatter",))
"""PyTorch's gradient is not the derivative (it keeps what was written over): finite differences decide."""


def result_difference(name: str, values: Any, keywords: dict[str, Any], expected: Any, got: Any) -> str | None:
    """What is wrong with a result of the function, in words; None where nothing is."""
    rule = _RULES.get(name)
    if rule is None or not isinstance(expected, torch.Tensor | tuple):
        return difference(expected, got)
    return rule(name, {**dict(zip(_PARAMETERS[name], values, strict=False)), **keywords}, expected, got)


__all__ = ["NOT_DERIVED", "ROUNDED", "UP_TO_SIGNS", "result_difference"]
