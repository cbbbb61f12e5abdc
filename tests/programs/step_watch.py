"""What each training step of a program took: time, objects made on the device, calls that were not recognised.

Importable without pytest; a page's script holds its source.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

CREATED = ("buffers_created", "bind_groups_created", "layouts_created", "pipelines_created")


class StepWatch:
    """Watches tabgrad. A step ends where a value is first read after its last ``backward()``.

    Args:
        torch: tabgrad, as the program knows it.
    """

    def __init__(self, torch: Any) -> None:
        from tabgrad.tracing.tracer import Tracer

        self._tensor, self._session = torch.Tensor, torch.current_session()
        self._tracer = self._session.own(Tracer)
        self._executed = 0
        self._ends: list[dict[str, float]] = []
        self._is_due = False

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Inside, steps are noted."""
        backward, item, execute = self._tensor.backward, self._tensor.item, self._tracer._execute

        def noted_backward(tensor: Any, *args: Any, **kwargs: Any) -> None:
            backward(tensor, *args, **kwargs)
            self._is_due = True

        def noted_item(tensor: Any) -> Any:
            value = item(tensor)
            if self._is_due:
                self._is_due = False
                self._note()
            return value

        def noted_execute(*args: Any) -> Any:
            self._executed += 1
            return execute(*args)

        self._note()
        self._tensor.backward, self._tensor.item = noted_backward, noted_item
        self._tracer._execute = noted_execute  # type: ignore[method-assign]
        try:
            yield
        finally:
            self._tensor.backward, self._tensor.item = backward, item
            del self._tracer._execute

    def _note(self) -> None:
        counters = self._session.device.counters.snapshot()
        created = {name: counters[name] for name in CREATED}
        self._ends.append({"s": time.perf_counter(), "executed": self._executed, "submits": counters["submits"], **created})

    def steps(self) -> list[dict[str, float]]:
        """Of each step, by name: seconds, calls executed, submits, objects created. The first holds what came before it."""
        pairs = zip(self._ends[:-1], self._ends[1:], strict=True)
        return [{name: after[name] - before[name] for name in after} for before, after in pairs]
