"""Runs one of the programs under PyTorch or under tabgrad, from the same weights and the same random numbers.

Importable without pytest, PyTorch or tabgrad; a page's script holds its source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

STEPS = 10
Weights = dict[str, np.ndarray]
Program = Callable[[int, Callable[[Any], Any]], list[Any]]
"""``main(steps, start)``: gives losses; ``start`` is called with each model, and returns it."""
FLOAT64 = ("gcn",)
"""Programs that compute in float64: where a GPU computes they need the line that its error names."""


def saved_losses(torch: Any, main: Program) -> tuple[list[float], Weights]:
    """A program's losses, and the weights that its models began with."""
    weights: Weights = {}
    models = 0

    def start(model: Any) -> Any:
        nonlocal models
        weights.update({f"{models} {key}": value.detach().numpy().copy() for key, value in model.state_dict().items()})
        models += 1
        return model

    return _losses(torch, main, start), weights


def loaded_losses(torch: Any, main: Program, weights: Weights) -> list[float]:
    """A program's losses; its models begin with weights that were saved."""
    models = 0

    def start(model: Any) -> Any:
        nonlocal models
        own = {key.partition(" ")[2]: value for key, value in weights.items() if int(key.partition(" ")[0]) == models}
        models += 1
        names = set(model.state_dict())
        assert set(own) == names, f"weights {sorted(set(own) ^ names)}"
        model.load_state_dict({key: torch.from_numpy(value.astype(_narrow(value))) for key, value in own.items()})
        return model

    return _losses(torch, main, start)


def _losses(torch: Any, main: Program, start: Callable[[Any], Any]) -> list[float]:
    torch.manual_seed(0)
    with numpy_random(torch):
        return [float(loss) for loss in main(STEPS, start)]


@contextmanager
def float64_taken(torch: Any, name: str) -> Iterator[None]:
    """Inside, tabgrad takes float32 for float64 if the program needs that on this device."""
    needed = name in FLOAT64 and torch.current_session().device.name != "reference"
    if needed:
        torch.float64_as_float32()
    try:
        yield
    finally:
        if needed:
            torch.float64_as_float32(enabled=False)


@contextmanager
def numpy_random(torch: Any) -> Iterator[None]:
    """Inside, PyTorch's functions that draw random numbers give NumPy's."""
    source = np.random.RandomState(0)

    def sizes(shape: Any) -> tuple[int, ...]:
        return tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape

    def made(values: Any, dtype: Any = np.float32) -> Any:
        return torch.from_numpy(np.asarray(values, dtype))

    def randint(low: int, high: Any, size: Any = None, **_: Any) -> Any:
        low, high, size = (low, high, size) if size is not None else (0, low, high)
        drawn = source.randint(low, high, size)
        return torch.tensor(drawn.tolist(), dtype=torch.long)

    replaced = {
        "rand": lambda *shape, **_: made(source.random_sample(sizes(shape))),
        "rand_like": lambda x, **_: made(source.random_sample(tuple(x.shape))),
        "randint": randint,
        "randn": lambda *shape, **_: made(source.standard_normal(sizes(shape))),
        "randn_like": lambda x, **_: made(source.standard_normal(tuple(x.shape))),
    }
    before = {key: getattr(torch, key) for key in replaced}
    for key, function in replaced.items():
        setattr(torch, key, function)
    try:
        yield
    finally:
        for key, function in before.items():
            setattr(torch, key, function)


def _narrow(array: np.ndarray) -> np.dtype:
    return np.dtype(np.int32) if array.dtype == np.int64 else array.dtype
