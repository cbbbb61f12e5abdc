"""Samplers: the order in which a dataset's samples are visited."""

from __future__ import annotations

from collections.abc import Iterator, Sized
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from tabgrad.errors import TabgradError
from tabgrad.random import Generator, threefry2x32
from tabgrad.session import current

T = TypeVar("T", covariant=True)


class Sampler(Generic[T]):
    """Each iteration gives the sample indices of one epoch; of a batch sampler, a list of them for each batch.

    A custom sampler needs ``__iter__``, and ``__len__`` where a length is asked for. Resuming a run needs
    ``state_dict`` and ``load_state_dict`` too if the order differs between epochs.
    """

    def __init__(self, data_source: Sized | None = None) -> None:
        pass

    def __iter__(self) -> Iterator[T]:
        """The indices of one epoch."""
        raise NotImplementedError(f"{type(self).__name__}: expected a sampler that defines __iter__")

    if TYPE_CHECKING:

        def __len__(self) -> int:
            """The number of indices in an epoch."""

    def next_order(self) -> np.ndarray:
        """One epoch's indices as int64 ``[len(self)]``, for the loader."""
        return np.fromiter(self, dtype=np.int64)

    def state_dict(self) -> dict[str, Any]:
        """The state that determines the order of later epochs; empty for a fixed order."""
        return {}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a state that :meth:`state_dict` returned."""
        if state:
            raise TabgradError(
                f"{type(self).__name__}.load_state_dict: expected an empty state, got {sorted(state)}; "
                "the state is another sampler's"
            )


class SequentialSampler(Sampler[int]):
    """``0, 1, 2, ...``, every epoch."""

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)

    def next_order(self) -> np.ndarray:
        return np.arange(len(self))


class SeededSampler(Sampler[int]):
    """A sampler whose order in epoch ``e`` depends on ``(seed, e)`` alone, so that a resumed run needs no replay.

    Args:
        generator: draws the sampler's seed when its first epoch starts; default the one that
            ``tabgrad.manual_seed`` seeds.
    """

    def __init__(self, generator: Generator | None = None) -> None:
        self._generator = generator
        self._seed: int | None = None
        self._epoch = 0

    def draw(self, source: Generator) -> np.ndarray:
        """One epoch's indices, of random numbers that ``source`` gives."""
        raise NotImplementedError(f"{type(self).__name__}: expected a sampler that defines draw")

    def torch_orders(self, source: Any) -> Iterator[np.ndarray]:
        """One epoch's indices, in the parts in which PyTorch draws them, of the numbers of a ``Twister``."""
        raise NotImplementedError(f"{type(self).__name__}: expected a sampler that defines torch_orders")

    @property
    def draws_torchs(self) -> bool:
        """Whether its numbers are PyTorch's: see :class:`tabgrad.compat.torch_rng`."""
        return self._source.twister is not None

    @property
    def _source(self) -> Generator:
        return self._generator or current().generator

    def __iter__(self) -> Iterator[int]:
        if self.draws_torchs:
            return (index for part in self.torch_orders(self._source.twister) for index in part.tolist())
        return iter(self.next_order().tolist())

    def next_order(self) -> np.ndarray:
        if self.draws_torchs:
            return np.concatenate([np.zeros(0, np.int64), *self.torch_orders(self._source.twister)])
        source = Generator.counting(self._drawn_seed())
        source.draw = self._epoch
        self._epoch += 1
        return self.draw(source)

    def state_dict(self) -> dict[str, Any]:
        if self.draws_torchs:
            raise NotImplementedError(
                f"{type(self).__name__}.state_dict: expected counter-based random numbers, got PyTorch's, whose orders "
                f"depend on all that was drawn before; keep tabgrad.get_rng_state() at the beginning of an epoch"
            )
        return {"seed": self._drawn_seed(), "epoch": self._epoch}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        if set(state) != {"seed", "epoch"}:
            raise TabgradError(
                f"{type(self).__name__}.load_state_dict: expected the keys ['epoch', 'seed'], got {sorted(state)}; "
                "the state is another sampler's"
            )
        self._seed, self._epoch = int(state["seed"]), int(state["epoch"])

    def _drawn_seed(self) -> int:
        if self._seed is None:
            source = self._source
            self._seed = int(threefry2x32(source.key, 0, source.next_draw()))
        return self._seed


class RandomSampler(SeededSampler):
    """A new random order each epoch, the same on every platform for the same seed.

    Args:
        data_source: the dataset; only its length is used.
        replacement: draw each index independently, so indices can repeat.
        num_samples: indices per epoch; default ``len(data_source)``. More than that without ``replacement`` are
            several orders, one after the other.
        generator: draws the sampler's seed when its first epoch starts; default the one that
            ``tabgrad.manual_seed`` seeds.
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Generator | None = None,
    ) -> None:
        n = len(data_source)
        self.data_source = data_source
        self.replacement = replacement
        self.num_samples = n if num_samples is None else num_samples
        super().__init__(generator)
        if num_samples is not None and num_samples < 1:
            raise TabgradError(f"RandomSampler: expected num_samples of at least 1, got {num_samples}")
        if self.num_samples and not n:
            raise TabgradError(
                f"RandomSampler: expected a dataset with samples, of which to draw {num_samples}, got an empty one"
            )

    def __len__(self) -> int:
        return self.num_samples

    def draw(self, source: Generator) -> np.ndarray:
        n = len(self.data_source)
        if self.replacement:
            bits = threefry2x32(source.key, np.arange(self.num_samples, dtype=np.uint32), source.next_draw())
            return bits.astype(np.int64) % max(n, 1)
        orders = [source.permutation(n)]
        for more in range(1, -(-self.num_samples // max(n, 1))):  # later draws are those of later epochs
            other = Generator.counting(int(threefry2x32(source.key, more, source.draw)))
            orders.append(other.permutation(n))
        return np.concatenate(orders)[: self.num_samples]

    def torch_orders(self, source: Any) -> Iterator[np.ndarray]:
        if self._generator is None:
            source = type(source)(source.seed_of_another())
        n, count = len(self.data_source), self.num_samples
        if self.replacement:
            for start in range(0, count // 32 * 32 + 1, 32):
                yield source.integers(min(32, count - start), 0, n)
        else:
            for _ in range(count // max(n, 1)):
                yield source.permutation(n)
            yield source.permutation(n)[: count % max(n, 1)]
