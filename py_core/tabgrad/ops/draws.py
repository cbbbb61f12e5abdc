"""Random draws that are made a second time: what is recomputed is to see the same numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from tabgrad.session import Session
from tabgrad.tensor import Tensor
from tabgrad.watched import Watched

Draw = tuple[Tensor, ...]
"""The two numbers that a draw is a function of, which have one value in each run of a recorded step; or PyTorch's."""


class NumbersKind(Watched):
    """A session's: tells recordings of steps that its random numbers are of another kind now."""

    def __init__(self, _: Session) -> None:
        super().__init__()


class Draws:
    """A session's: notes the draws of a block, and repeats them in another one."""

    def __init__(self, _: Session) -> None:
        self._noted: list[list[Draw]] = []  # of the blocks under way
        self._repeated: Iterator[Draw] | None = None

    def next(self, make: Callable[[], Draw]) -> Draw:
        """The next draw: one that came before, if they are repeated, and another one otherwise.

        Raises:
            RuntimeError: more are asked for than came before.
        """
        if self._repeated is None:
            found = make()
        else:
            again = next(self._repeated, None)
            if again is None:
                raise RuntimeError(
                    "random numbers: expected a function that draws as often as it did the first time, got one that "
                    "draws more often; let it depend on its arguments alone"
                )
            found = again
        for noted in self._noted:
            noted.append(found)
        return found

    @contextmanager
    def noted(self) -> Iterator[list[Draw]]:
        """The draws of the block."""
        found: list[Draw] = []
        self._noted.append(found)
        try:
            yield found
        finally:
            self._noted.pop()

    @contextmanager
    def repeated(self, draws: Sequence[Draw]) -> Iterator[None]:
        """The block draws these."""
        before, self._repeated = self._repeated, iter(draws)
        try:
            yield
        finally:
            self._repeated = before


__all__ = ["Draw", "Draws", "NumbersKind"]
