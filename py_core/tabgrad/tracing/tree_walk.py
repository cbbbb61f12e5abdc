"""Where a session is in its trace tree, and where a round begins and ends."""

from __future__ import annotations

from collections.abc import Iterable

from tabgrad.session import Session
from tabgrad.tracing.call import Position
from tabgrad.tracing.pending import Pending
from tabgrad.tracing.segment import Segment


class TreeWalk(Pending):
    """Goes along the calls of a round, and back to the root when it is over."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self.segment = Segment(self, session)
        self._root = Position()
        self._size = 0
        self._position: Position | None = self._root  # None: until a program has run, calls are just executed
        self._may_end = False  # whether the call before ran a program: here a round of a loop may be over
        self._moves = 0
        self._is_stale = False
        self.why = ""  # why calls were last executed without a place in the tree

    def _end_if_done(self, history: Iterable[int]) -> None:
        segment = self.segment
        if segment.any_alive(history):
            return
        if segment.is_needed():
            self._may_end = True
        else:
            self._begin()

    def _begin(self) -> None:
        """A new round begins at the root of the tree."""
        self._leave(self.segment)
        self.segment = Segment(self, self._session)
        self._position = self._root
        self._may_end = False

    def _lose(self, why: str = "") -> None:
        """Where this is, is not known: calls are just executed until a program has run."""
        if self._position is not None:
            self.why = why
            self._position = None
            self.segment.is_open = False
            if not self.segment.hidden and not self.segment.pending:
                self.segment.clear()

    def forget(self) -> None:
        """Begin the tree anew: memory has moved or is no more, or there is too much of it."""
        self.catch_up()
        self._lose()
        self._root, self._size, self._is_stale = Position(), 0, False
        self._moves = self._session.moves

    def gone(self, _: object) -> None:
        """A model or an optimizer is no more: its programs are to let go of its memory."""
        self._is_stale = True


__all__ = ["TreeWalk"]
