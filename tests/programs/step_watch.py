"""What each training step of a program took: time, objects made on the device, calls that were not recognised.

Importable without pytest; a page's script holds its source.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

CREATED = ("buffers_created", "bind_groups_created", "layouts_created", "pipelines_created")
Step = dict[str, float]
"""``ms``, calls ``executed``, ``submits``, objects ``created``."""


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
        self._ends: list[Step] = []
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
        created = sum(counters[name] for name in CREATED)
        now_ms = time.perf_counter() * 1000
        self._ends.append(
            {"ms": now_ms, "executed": self._executed, "submits": counters["submits"], "created": created}
        )

    def steps(self) -> list[Step]:
        """All steps; the first holds what came before it, too."""
        pairs = zip(self._ends[:-1], self._ends[1:], strict=True)
        return [{name: round(after[name] - before[name], 2) for name in after} for before, after in pairs]


def outcome(torch: Any, run: Callable[[], list[float]]) -> dict[str, Any]:
    """What a program gave: its ``losses`` and ``steps``, or its ``error`` and ``traceback``."""
    watch = StepWatch(torch)
    try:
        with watch.watching():
            losses = run()
    except Exception as error:  # noqa: BLE001 - the test shows it
        return {"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()[-1500:]}
    return {"losses": [float(f"{loss:.9g}") for loss in losses], "steps": watch.steps()}
