"""Samples as plain data: JSON with arrays beside it, in one npz file, so that Pythons without PyTorch can run them.

Numbers, strings and None stand for themselves; all else is a list of a kind and what it holds.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

RELATIVE, ABSOLUTE = 2e-4, 2e-5
LOOSE = {"float16": 2e-3, "bfloat16": 2e-2}  # their own digits
_SEQUENCES = {"list": list, "tuple": tuple}


class NotPlain(Exception):
    """A value has no plain form: a function, an object."""


class Writer:
    """Makes plain data of values; a tensor that comes twice is one tensor there, too.

    Args:
        tensor_of: a tensor's array, dtype's name and whether it requires grad; None of other values.
        other: ``[kind, text]`` of a dtype, a device and so on; None of what it does not know.
    """

    def __init__(self, tensor_of: Callable[[Any], Any], other: Callable[[Any], list[str] | None]) -> None:
        self.arrays: list[np.ndarray] = []
        self._tensor_of, self._other = tensor_of, other
        self._made: dict[int, tuple[Any, list[Any]]] = {}

    def __call__(self, value: Any) -> Any:
        if id(value) in self._made:
            return self._made[id(value)][1]
        if value is None or isinstance(value, str | bool | int):
            return value
        if isinstance(value, float):
            return ["float", repr(value)]
        found = self._tensor_of(value)
        if found is not None:
            array, dtype, grad = found
            self.arrays.append(array)
            form = ["tensor", len(self.arrays) - 1, dtype, grad]
            self._made[id(value)] = (value, form)
            return form
        if (other := self._other(value)) is not None:
            return other
        if isinstance(value, slice):
            return ["slice", [self(v) for v in (value.start, value.stop, value.step)]]
        if value is Ellipsis:
            return ["ellipsis"]
        if isinstance(value, list | tuple):
            return ["tuple" if isinstance(value, tuple) else "list", [self(v) for v in value]]
        if isinstance(value, dict) and all(isinstance(key, str) for key in value):
            return ["dict", {key: self(v) for key, v in value.items()}]
        raise NotPlain(f"{type(value).__name__} objects")


class Reader:
    """Makes tabgrad's values of plain data."""

    def __init__(self, tg: Any, arrays: list[np.ndarray]) -> None:
        self._tg, self._arrays = tg, arrays
        self.made: dict[int, Any] = {}

    def __call__(self, form: Any) -> Any:
        if not isinstance(form, list):
            return form
        kind, *held = form
        if kind == "tensor":
            number, dtype, grad = held
            if number not in self.made:
                made = self._tg.tensor(self._arrays[number], dtype=getattr(self._tg, dtype))
                self.made[number] = made.requires_grad_() if grad else made
            return self.made[number]
        if kind in _SEQUENCES:
            return _SEQUENCES[kind](map(self, held[0]))
        if kind == "dict":
            return {key: self(value) for key, value in held[0].items()}
        if kind == "slice":
            return slice(*map(self, held[0]))
        if kind == "ellipsis":
            return ...
        if kind == "float":
            return float(held[0])
        return self._tg.device(held[0]) if kind == "device" else getattr(self._tg, held[0])


def difference(tg: Any, form: Any, got: Any, arrays: list[np.ndarray], where: str, *, only_shape: bool) -> str | None:
    """What is different from the plain form of what is expected, in words; None where nothing is."""
    kind = form[0] if isinstance(form, list) else None
    if kind == "tensor":
        if not isinstance(got, tg.Tensor):
            return f"{where}: expected a tensor, got {type(got).__name__}"
        expected, dtype = arrays[form[1]], form[2]
        if expected.shape != tuple(got.shape) or getattr(tg, dtype) is not got.dtype:
            return f"{where}: expected {dtype} {list(expected.shape)}, got {got.dtype} {list(got.shape)}"
        if only_shape:
            return None
        held = got.detach().float() if got.dtype is tg.bfloat16 else got.detach()
        return values_differ(expected, held.numpy(), LOOSE.get(dtype, RELATIVE), where)
    if kind in _SEQUENCES:
        if not isinstance(got, list | tuple) or len(got) != len(form[1]):
            return f"{where}: expected {len(form[1])} values, got {type(got).__name__}"
        pairs = enumerate(zip(form[1], got, strict=True))
        found = (difference(tg, e, g, arrays, f"{where}[{n}]", only_shape=only_shape) for n, (e, g) in pairs)
        return next((d for d in found if d), None)
    expected = Reader(tg, arrays)(form)
    if isinstance(expected, float):
        return values_differ(np.asarray(expected), np.asarray(float(got)), RELATIVE, where)
    return None if expected == got else f"{where}: expected {expected!r}, got {got!r}"


def values_differ(expected: np.ndarray, got: np.ndarray, relative: float, where: str) -> str | None:
    """The first element that is different, in words; integers and bools must be equal."""
    if expected.size == 0:
        return None
    if expected.dtype.kind == "f":
        expected, got = expected.astype(np.float64), got.astype(np.float64)
        largest = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
        tolerance = max(ABSOLUTE, relative * 0.1 * largest)
        near = np.isclose(got, expected, rtol=relative, atol=tolerance, equal_nan=True)
    else:
        near = got == expected
    if near.all():
        return None
    at = tuple(int(i[0]) for i in np.nonzero(~near)) if near.ndim else ()
    return f"{where}: expected {expected[at]!r} at {list(at)}, got {got[at]!r} ({(~near).sum()} of {near.size} differ)"


def pack(samples: Iterable[dict[str, Any]], arrays: list[np.ndarray]) -> bytes:
    """One npz file."""
    file = io.BytesIO()
    text = np.frombuffer(json.dumps(list(samples)).encode(), np.uint8)
    np.savez(file, samples=text, **{f"a{n}": array for n, array in enumerate(arrays)})
    return file.getvalue()


def unpack(data: bytes) -> tuple[list[dict[str, Any]], list[np.ndarray]]:
    """What :func:`pack` made a file of."""
    with np.load(io.BytesIO(data)) as file:
        arrays = [file[f"a{n}"] for n in range(len(file.files) - 1)]
        return json.loads(file["samples"].tobytes()), arrays
