"""PyTorch's ``torch.random``: seeds and the default generator's state."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from tabgrad.errors import TabgradError
from tabgrad.random import Generator
from tabgrad.session import current, initial_seed, manual_seed
from tabgrad.tensor import Tensor


def seed() -> int:
    """Seed the default generator with a number that nobody chose; returns it."""
    return current().generator.seed()


def manual_seed_all(seed: int) -> None:
    """As :func:`tabgrad.manual_seed`: there is one generator for all devices."""
    manual_seed(seed)


def seed_all() -> None:
    """As :func:`seed`."""
    seed()


def get_rng_state() -> Tensor:
    """The default generator's seed and number of draws, as a tensor for :func:`set_rng_state`.

    Inside :class:`tabgrad.compat.torch_rng` it is the state of PyTorch's CPU generator, with the same bytes.
    """
    state = current().generator.get_state()
    if isinstance(state, Tensor):
        return state
    words = np.array([state["seed"], state["draw"]], np.uint32)
    return Tensor._of(words.view(np.uint8))


def set_rng_state(new_state: Tensor) -> None:
    """Continue from :func:`get_rng_state`.

    Raises:
        TabgradError: a state of another kind; PyTorch's are taken inside :class:`tabgrad.compat.torch_rng`.
    """
    if current().generator.twister is not None:
        set_torch_state(current().generator, new_state)
        return
    raw = _array(new_state)
    if raw.dtype != np.uint8 or raw.shape != (8,):
        raise TabgradError(
            f"set_rng_state: expected what tabgrad's get_rng_state() returned, uint8 [8], got {raw.dtype} "
            f"{list(raw.shape)}; seed with manual_seed(...), or call tabgrad.compat.torch_rng() to use PyTorch's states"
        )
    words = np.ascontiguousarray(raw).view(np.uint32)
    current().generator.set_state({"seed": int(words[0]), "draw": int(words[1])})


def torch_state(generator: Generator) -> Tensor:
    """The state of a generator of PyTorch's numbers: uint8 ``[5056]``."""
    return Tensor._of(generator.twister.get_bytes())


def set_torch_state(generator: Generator, new_state: Any) -> None:
    """Continue from a state of PyTorch's, a tensor of it or of tabgrad."""
    generator.twister.set_bytes(_array(new_state))
    generator.key = generator.twister.initial_seed & 0xFFFFFFFF


def _array(state: Any) -> np.ndarray:
    return np.asarray(state.numpy() if isinstance(state, Tensor) else state)


@contextlib.contextmanager
def fork_rng(devices: Any = None, enabled: bool = True, device_type: str = "cuda") -> Iterator[None]:
    """A context after which the default generator continues from where it was before."""
    before = current().generator.get_state() if enabled else None
    try:
        yield
    finally:
        if before is not None:
            current().generator.set_state(before)


__all__ = [
    "fork_rng", "get_rng_state", "initial_seed", "manual_seed", "manual_seed_all", "seed",
    "seed_all", "set_rng_state",
]  # fmt: skip
