"""What a run has reported, in a bounded number of points: a long run takes no more memory than a short one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

Point = dict[str, float]

NEWEST = 1024  # points that are all kept
MOST_EARLIER = 2048  # points that are kept of those before, evenly


class History:
    """The first point and the newest :data:`NEWEST`; of those between, every n-th, where n doubles as there are more.

    Args:
        points: what to begin with.
    """

    def __init__(self, points: Iterable[Point] = ()) -> None:
        self._earlier: list[Point] = []
        self._newest: deque[Point] = deque()
        self._every = 1
        self._left = 0  # points that are no longer among the newest
        self.extend(points)

    def extend(self, points: Iterable[Point]) -> None:
        """Add newer points."""
        for point in points:
            self.add(point)

    def add(self, point: Point) -> None:
        """Add a newer point."""
        self._newest.append(point)
        if len(self._newest) <= NEWEST:
            return
        left = self._newest.popleft()
        if self._left % self._every == 0:
            self._earlier.append(left)
            if len(self._earlier) > MOST_EARLIER:
                del self._earlier[1::2]
                self._every *= 2
        self._left += 1

    def points(self) -> list[Point]:
        """All that are kept, in order."""
        return [*self._earlier, *self._newest]


__all__ = ["History", "Point"]
