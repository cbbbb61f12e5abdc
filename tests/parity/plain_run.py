"""Run plain samples on whichever tabgrad device is selected, and compare them with PyTorch's results in the file."""

from __future__ import annotations

import functools
import itertools
import json
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from parity.plain import Reader, difference, unpack


def lines(tg: Any, data: bytes) -> Iterator[str]:
    """For each function, as JSON: its name, the device, counts by outcome, and the first of each that does not work."""
    samples, arrays = unpack(data)
    device = tg.current_session().device.name
    for name, group in itertools.groupby(sorted(samples, key=lambda s: s["name"]), lambda s: s["name"]):
        counts: dict[str, int] = {}
        first: dict[str, str] = {}
        for sample in group:
            outcome, why = _outcome(tg, sample, arrays)
            counts[outcome] = counts.get(outcome, 0) + 1
            if outcome != "works":
                first.setdefault(outcome, f"{why}; {sample['told']}")
        yield json.dumps({"function": name, "device": device, "counts": counts, "first": first})


def _outcome(tg: Any, sample: dict[str, Any], arrays: list[np.ndarray]) -> tuple[str, str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            different = _difference(tg, sample, arrays)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
        kind = "refused" if isinstance(error, tg.TabgradError | NotImplementedError) else "crashed"
        return kind, f"{type(error).__name__}: {str(error)[:300]}"
    return ("wrong", different) if different else ("works", "")


def _difference(tg: Any, sample: dict[str, Any], arrays: list[np.ndarray]) -> str | None:
    read = Reader(tg, arrays)
    function = functools.reduce(getattr, sample["call"].split("."), tg)
    got = function(*read(sample["args"]), **read(sample["keywords"]))
    found = difference(tg, sample["result"], got, arrays, "result", only_shape=sample["random"])
    gradient = sample["gradient"]
    if found or gradient is None:
        return found
    results = list(_tensors(got, tg.Tensor))
    outputs = [results[n] for n in gradient["outputs"]]
    if not all(t.requires_grad for t in outputs):
        return "gradient: expected a result that requires grad, got one that does not"
    gradients = tg.autograd.grad(outputs, read(gradient["inputs"]), read(gradient["seeds"]), allow_unused=True)
    for n, (form, made) in enumerate(zip(gradient["expected"][1], gradients, strict=True)):
        where = f"gradient {n}"
        if form is None or made is None:
            filled = made.numpy() if form is None and made is not None else arrays[form[1]] if form else np.zeros(1)
            found = None if not filled.any() else f"{where}: expected {form}, got {made}"
        else:
            found = difference(tg, form, made, arrays, where, only_shape=False)
        if found:
            return found
    return None


def _tensors(value: Any, kind: type) -> Iterator[Any]:
    if isinstance(value, kind):
        yield value
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _tensors(one, kind)


__all__ = ["lines"]
