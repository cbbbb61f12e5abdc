"""``state["step"]``: a tensor that tells its optimizer when it is changed in place."""

from __future__ import annotations

from collections.abc import Callable

from tabgrad.graph.node import Node
from tabgrad.session import Session
from tabgrad.tensor import Tensor


class StateNumber(Tensor):
    """A 0-d tensor of a number that an optimizer keeps on the host.

    Args:
        value: the number.
        changed: is called with the tensor after each change in place.
    """

    __slots__ = ("_changed",)

    def __init__(self, value: float, changed: Callable[[Tensor], None]) -> None:
        source = Tensor._of(float(value))
        self._changed: Callable[[Tensor], None] | None = None
        self._set(source._node, source._session)
        self._changed = changed

    def _become(self, node: Node, session: Session | None) -> None:
        super()._become(node, session)
        if self._changed is not None:
            self._changed(self)

    def __deepcopy__(self, memo: dict[int, object]) -> Tensor:
        """A plain tensor, which no optimizer knows."""
        return self.detach().clone()


__all__ = ["StateNumber"]
