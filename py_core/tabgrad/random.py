"""Counter-based random numbers: element ``i`` of draw ``d`` under seed ``s`` is threefry(s, i, d).

Nothing is shared between elements, so every device gives the same numbers in any order.
Source: Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3".
"""

from __future__ import annotations

import importlib
import math
import os
from typing import Any

import numpy as np

from tabgrad.checks import whole_number
from tabgrad.placement import check_placement, device, is_device

_ROTATIONS = (13, 15, 26, 6, 17, 29, 16, 24)
_PARITY = 0x1BD11BDA
_TORCH_SEED = 67280421310721  # of a torch.Generator that has not been seeded
_KEY1 = 0x7AB64AD5  # second key word, fixed: one 32-bit seed is the whole key


def threefry2x32(seed: Any, index: Any, draw: Any) -> np.ndarray:
    """First word of Threefry-2x32 with 20 rounds; u32 arrays that broadcast."""
    u = np.uint32
    with np.errstate(over="ignore"):
        k0, k1 = np.asarray(seed, u), u(_KEY1)
        keys = (k0, k1, k0 ^ k1 ^ u(_PARITY))
        x0 = np.asarray(index, u) + keys[0]
        x1 = np.asarray(draw, u) + keys[1]
        for group in range(5):
            for step in range(4):
                r = _ROTATIONS[(group % 2) * 4 + step]
                x0 = x0 + x1
                x1 = ((x1 << u(r)) | (x1 >> u(32 - r))) ^ x0
            x0 = x0 + keys[(group + 1) % 3]
            x1 = x1 + keys[(group + 2) % 3] + u(group + 1)
    return np.asarray(x0, u)


class Generator:
    """A seed and the number of draws made so far; its whole state is those two numbers.

    One that is made while :class:`tabgrad.compat.torch_rng` is on draws PyTorch's numbers instead, and so does the
    default one meanwhile; its state is PyTorch's then.

    Attributes:
        key: the seed's low 32 bits.
        draw: the number of draws.
        twister: what draws PyTorch's numbers, if it does.
    """

    twister: Any = None

    def __init__(self, seed: Any = None, device: Any = None) -> None:
        if is_device(seed):  # PyTorch's first argument
            seed, device = None, seed
        check_placement("Generator", {"device": device})
        twister = importlib.import_module("tabgrad.session").current().generator.twister
        if twister is not None:
            self.twister = type(twister)(0)
            seed = _TORCH_SEED if seed is None else seed
        self.manual_seed(0 if seed is None else seed)

    @classmethod
    def counting(cls, seed: int) -> Generator:
        """One of counter-based numbers, whatever the session's are."""
        made = cls.__new__(cls)
        return made.manual_seed(seed)

    def manual_seed(self, seed: int) -> Generator:
        """Start again from ``seed`` (its low 32 bits)."""
        whole = whole_number(seed, "manual_seed", "seed")
        self.key = whole & 0xFFFFFFFF
        self.draw = 0
        if self.twister is not None:
            self.twister.seed(whole)
        return self

    def seed(self) -> int:
        """Start again from a seed that nobody chose; returns it."""
        chosen = int.from_bytes(os.urandom(4), "little")
        self.manual_seed(chosen)
        return chosen

    def initial_seed(self) -> int:
        """The seed."""
        return self.key if self.twister is None else int(self.twister.initial_seed)

    @property
    def position(self) -> tuple[int, ...]:
        """Changes with each draw, and with each seed."""
        return (self.key, self.draw) if self.twister is None else (self.key, self.draw, self.twister.draws)

    @property
    def device(self) -> Any:
        """Where PyTorch's programs find it: the host."""
        return device("cpu")

    def next_draw(self) -> int:
        """The index of a new draw.

        Raises:
            NotImplementedError: it draws PyTorch's numbers, which the caller does not know.
        """
        if self.twister is not None:
            raise NotImplementedError(
                "torch_rng: expected a function whose numbers are PyTorch's there, such as rand, randn, randint, "
                "multinomial or exponential_, got one whose numbers would differ; call it outside of torch_rng()"
            )
        self.draw = (self.draw + 1) & 0xFFFFFFFF
        return self.draw

    def get_state(self) -> Any:
        """Seed and number of draws; PyTorch's state, a uint8 tensor, of one that draws PyTorch's numbers."""
        if self.twister is not None:
            return importlib.import_module("tabgrad.random_state").torch_state(self)
        return {"seed": self.key, "draw": self.draw}

    def set_state(self, state: Any) -> Generator:
        """Continue from :meth:`get_state`."""
        if self.twister is not None:
            importlib.import_module("tabgrad.random_state").set_torch_state(self, state)
        else:
            self.key, self.draw = state["seed"], state["draw"]
        return self

    # On the host: initial weights, so that they have the same bits on every device.

    def uniform_array(self, shape: tuple[int, ...], low: float = 0.0, high: float = 1.0) -> np.ndarray:
        """float32 ``shape``, uniform in [low, high)."""
        if self.twister is not None:
            return np.asarray(self.twister.uniform(math.prod(shape), np.float32, low, high)).reshape(shape)
        bits = threefry2x32(self.key, np.arange(math.prod(shape), dtype=np.uint32), self.next_draw())
        unit = (bits >> np.uint32(8)).astype(np.float64) * 2.0**-24
        return (unit * (high - low) + low).astype(np.float32).reshape(shape)

    def normal_array(self, shape: tuple[int, ...], mean: float = 0.0, std: float = 1.0) -> np.ndarray:
        """float32 ``shape`` from a normal distribution (Box and Muller 1958)."""
        if self.twister is not None:
            return np.asarray(self.twister.normal(math.prod(shape), np.float32, mean, std)).reshape(shape)
        first = self.uniform_array(shape).astype(np.float64)
        second = self.uniform_array(shape).astype(np.float64)
        return (np.sqrt(-2 * np.log(1 - first)) * np.cos(2 * math.pi * second) * std + mean).astype(np.float32)

    def permutation(self, n: int) -> np.ndarray:
        """A random order of ``range(n)``, int64: the indices sorted by a random key each."""
        if self.twister is not None:
            return np.asarray(self.twister.permutation(n))
        bits = threefry2x32(self.key, np.arange(n, dtype=np.uint32), self.next_draw())
        # By the low halves, then by the high ones: NumPy sorts 16 bits by radix, in a third of the time.
        low = np.argsort(bits.astype(np.uint16), kind="stable")
        return low[np.argsort((bits >> np.uint32(16)).astype(np.uint16)[low], kind="stable")]


def __getattr__(name: str) -> Any:
    """The functions of PyTorch's ``torch.random``, which need a session."""
    if not name.startswith("_"):
        found = importlib.import_module("tabgrad.random_state")
        if name in found.__all__:
            return getattr(found, name)
    error: Exception = importlib.import_module("tabgrad.late").missing_name("tabgrad.random", name)
    raise error
