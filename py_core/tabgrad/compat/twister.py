"""The Mersenne Twister, and the numbers that PyTorch makes of its words on a CPU, as NumPy arrays."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tabgrad.compat.single_precision import log, sine_and_cosine

_STATE_BYTES = 5056
_WORDS = 624
_MANTISSA = {np.dtype(np.float32): 24, np.dtype(np.float64): 53}
_AT_ONCE = 2**14  # numbers, which a processor's cache holds with all that is computed of them
_WIDE = 2**28  # integers of so many different ones take two words each


class Twister:
    """A stream of 32-bit words, and what is drawn from it; NumPy's own twister advances it.

    Numbers are those of PyTorch 2.13 on x86-64 with AVX2. All but those of ``exponential`` and the like, which go
    through the platform's own logarithm, have the same bits.

    Attributes:
        initial_seed: 64 bits, of which the lower 32 are the twister's seed.
        draws: how often something was drawn or seeded.

    Source: Matsumoto & Nishimura 1998, "Mersenne twister".
    """

    def __init__(self, seed: int) -> None:
        self._random = np.random.RandomState(np.random.MT19937(0))
        self.draws = 0
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Start again."""
        self.initial_seed = seed % 2**64
        self._random.seed(seed & 0xFFFFFFFF)
        self._normal: float | None = None  # the second one of a pair, which the next draw begins with
        self._is_new = True
        self.draws += 1

    # Words and uniform numbers

    def words(self, count: int) -> np.ndarray:
        """uint32."""
        self.draws += 1
        self._is_new = self._is_new and not count
        return self._random.randint(0, 2**32, count, dtype=np.uint32)

    def long_words(self, count: int) -> np.ndarray:
        """uint64, of two words each."""
        words = self.words(2 * count).astype(np.uint64)
        return (words[::2] << np.uint64(32)) | words[1::2]

    def seed_of_another(self) -> int:
        """What PyTorch seeds a generator of its own with: 63 bits."""
        return int(self.long_words(1)[0]) & (2**63 - 1)

    def units(self, count: int, dtype: Any = np.float64) -> np.ndarray:
        """Uniform in [0, 1): float32 of one word, float64 of two."""
        bits = _MANTISSA[np.dtype(dtype)]
        words = self.words(count) if bits == 24 else self.long_words(count)
        return (words & words.dtype.type(2**bits - 1)).astype(dtype) * np.dtype(dtype).type(2.0**-bits)

    def uniform(self, count: int, dtype: Any, low: float = 0.0, high: float = 1.0) -> np.ndarray:
        """Uniform in [low, high)."""
        units, kind = self.units(count, dtype), np.dtype(dtype).type
        width = np.float64(kind(high) - kind(low))  # rounded once, as by a fused multiplication and addition
        return (units.astype(np.float64) * width + np.float64(kind(low))).astype(dtype)

    # Normal numbers

    def normal(
        self, count: int, dtype: Any, mean: float, std: float, *, one_by_one: bool = False, whole_blocks: bool = False
    ) -> np.ndarray:
        """Normal (Box & Muller 1958): in blocks of 16; if the last one is not whole, the last 16 are drawn again.

        Args:
            one_by_one: in pairs and in float64, as fewer than 16 are; those of a tensor that is not contiguous.
            whole_blocks: nothing is drawn for a block that is not whole; those of a dtype of two bytes.
        """
        if count < 16 or one_by_one:
            return (self.pairs(count) * std + mean).astype(dtype)
        rest = count % 16
        units = self.units(count - rest if whole_blocks else count, dtype)
        made = _blocks(units[: count - rest], mean, std)
        return np.concatenate([made[: count - 16], _blocks(self.units(16, dtype), mean, std)]) if rest else made

    def pairs(self, count: int) -> np.ndarray:
        """Standard normal float64 numbers, drawn two by two; one that is left over comes first the next time."""
        first = [] if self._normal is None or not count else [self._normal]
        missing = count - len(first)
        units = self.units(2 * (-(-missing // 2))).reshape(-1, 2)
        radius, angle = np.sqrt(-2 * np.log1p(-units[:, 1])), 2 * math.pi * units[:, 0]
        made = np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1)
        if count:
            self._normal = float(made[-1]) if missing % 2 else None
        return np.concatenate([np.array(first), made[:missing]])

    def truncated(self, count: int, mean: float, std: float, low: float, high: float) -> np.ndarray:
        """float32, normal from ``low`` to ``high``: all are drawn again while one that is taken is refused."""
        inside = math.erf((high - mean) / std / math.sqrt(2)) - math.erf((low - mean) / std / math.sqrt(2))
        values, refused = np.zeros(count, np.float32), np.ones(count, np.bool_)
        if inside > 0.6:
            while refused.any():
                values = np.where(refused, self.normal(count, np.float32, mean, std), values)
                refused = (values < np.float32(low)) | (values > np.float32(high))
            return values
        peak = -0.5 * ((max(low, min(mean, high)) - mean) / std) ** 2
        while refused.any():  # uniform proposals, accepted as often as the density says
            proposed = self.uniform(count, np.float32, low, high)
            density = ((proposed - np.float32(mean)) / np.float32(std)) ** 2 * np.float32(-0.5) - np.float32(peak)
            values = np.where(refused, proposed, values)
            with np.errstate(divide="ignore"):
                refused = refused & (np.log(self.uniform(count, np.float32)) > density)
        return values

    # Others

    def integers(self, count: int, low: int, high: int) -> np.ndarray:
        """int64 in [low, high)."""
        span = high - low
        words = self.words(count).astype(np.uint64) if span < _WIDE else self.long_words(count)
        return (words % np.uint64(span)).astype(np.int64) + low

    def permutation(self, n: int) -> np.ndarray:
        """int64: ``range(n)`` in a random order (Fisher & Yates 1938)."""
        places = np.arange(max(n - 1, 0))
        others = (self.words(len(places)).astype(np.int64) % (n - places) + places).tolist()
        order = list(range(n))
        for place, other in enumerate(others):
            order[place], order[other] = order[other], order[place]
        return np.array(order, np.int64)

    def exponential(self, count: int, lambd: float = 1.0) -> np.ndarray:
        """float64 of mean ``1 / lambd``."""
        return -1.0 / lambd * np.log1p(-self.units(count))

    def chosen(self, weights: np.ndarray, count: int, replacement: bool) -> np.ndarray:
        """int64 ``[rows, count]``: places of each row of ``weights`` ``[rows, n]``, as likely as these say."""
        rows = len(weights)
        if count == 1 or not replacement:
            waits = self.exponential(weights.size).astype(weights.dtype).reshape(weights.shape)
            return np.argsort(-(weights / waits), axis=1, kind="stable")[:, :count]
        limits = np.cumsum(weights, axis=1, dtype=weights.dtype)
        limits /= limits[:, -1:].copy()
        limits[:, -1] = 1
        drawn = self.units(rows * count).reshape(rows, count)
        return np.stack([np.searchsorted(one, u, side="left") for one, u in zip(limits, drawn, strict=True)])

    # The state, in the bytes that PyTorch keeps it in

    def get_bytes(self) -> np.ndarray:
        """uint8 ``[5056]``, as ``torch.get_rng_state()``."""
        state: Any = self._random.get_state(legacy=False)
        key, position = state["state"]["key"], state["state"]["pos"]
        out = np.zeros(_STATE_BYTES, np.uint8)
        out[:8].view(np.uint64)[0] = self.initial_seed
        out[8:16].view(np.int32)[:] = 1 if self._is_new else _WORDS + 1 - position, 1
        out[16:24].view(np.uint64)[0] = 0 if self._is_new else position
        out[24:5016].view(np.uint64)[:] = key
        if self._normal is not None:
            out[5024:5032].view(np.float64)[0] = self._normal
            out[5040:5044].view(np.int32)[0] = 1
        return out

    def set_bytes(self, raw: np.ndarray) -> None:
        """Continue from a state that PyTorch or :meth:`get_bytes` gave.

        Raises:
            RuntimeError: it is no such state.
        """
        if raw.dtype != np.uint8 or raw.shape != (_STATE_BYTES,):
            raise RuntimeError(
                f"set_rng_state: expected a state of PyTorch's CPU generator, uint8 [{_STATE_BYTES}], got "
                f"{raw.dtype} {list(raw.shape)}; pass what get_rng_state() returned inside torch_rng()"
            )
        raw = raw.copy()
        left, seeded = (int(n) for n in raw[8:16].view(np.int32))
        at = int(raw[16:24].view(np.uint64)[0])
        if not seeded or not 1 <= left <= _WORDS or at > _WORDS:
            raise RuntimeError("set_rng_state: expected a state of PyTorch's CPU generator, got bytes of another kind")
        key = raw[24:5016].view(np.uint64).astype(np.uint32)
        self._random.set_state(("MT19937", key, _WORDS if left == 1 else at, 0, 0.0))
        self.initial_seed = int(raw[:8].view(np.uint64)[0])
        self._is_new = left == 1 and at == 0
        self._normal = float(raw[5024:5032].view(np.float64)[0]) if raw[5040:5044].any() else None
        self.draws += 1


def _blocks(units: np.ndarray, mean: float, std: float) -> np.ndarray:
    """Normal numbers of uniform ones, 16 by 16: eight give radii, eight angles."""
    made = np.empty_like(units)
    for start in range(0, len(units), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        made[part] = _some_blocks(units[part], mean, std)
    return made


def _some_blocks(units: np.ndarray, mean: float, std: float) -> np.ndarray:
    kind = units.dtype.type
    pairs = units.reshape(-1, 2, 8)
    first, angle = 1 - pairs[:, 0], kind(2 * math.pi) * pairs[:, 1]
    if kind is np.float64:
        logs, sine, cosine = np.log(first), np.sin(angle), np.cos(angle)
    else:
        logs, (sine, cosine) = log(first), sine_and_cosine(angle)
    radius = np.sqrt(kind(-2) * logs)
    made = np.stack([radius * cosine, radius * sine], 1)
    wide = made.astype(np.float64) * np.float64(kind(std)) + np.float64(kind(mean))
    return wide.astype(kind).reshape(-1)


__all__ = ["Twister"]
