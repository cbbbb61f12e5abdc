"""Run a script up to its first training program, and explain that program."""

from __future__ import annotations

from collections.abc import Sequence

from tabgrad.errors import TabgradError
from tabgrad.graph.linearize import Linear
from tabgrad.graph.op import Kind
from tabgrad.inspection import Explanation, explain
from tabgrad.runtime.observers import Launch, Observer
from tabgrad.script import run_script
from tabgrad.session import current

ENOUGH = 32  # runs of one program after which all programs of a loop are assumed to be known


class _Seen(BaseException):
    """All graphs are collected. A BaseException, so that the script's handlers do not catch it."""


class GraphCollector(Observer):
    """Collects the graphs that a script compiles, then ends the script.

    Args:
        everything: continue after the first training program, until a trainer has recorded all its programs or
            one program has run :data:`ENOUGH` times.
    """

    def __init__(self, everything: bool) -> None:
        self.graphs: list[Linear] = []
        self._everything = everything
        self._runs: dict[int, int] = {}

    def graph(self, linear: Linear) -> None:
        """As :meth:`tabgrad.runtime.observers.Observer.graph`."""
        self.graphs.append(linear)
        if _trains(linear) and not self._everything:
            raise _Seen

    def recorded(self) -> None:
        """As :meth:`tabgrad.runtime.observers.Observer.recorded`."""
        raise _Seen

    def run(self, launch: Launch) -> None:
        """Run a program, and count; as :meth:`tabgrad.runtime.observers.Profiler.run`."""
        executable = launch.bound.executable
        key = id(executable)
        self._runs[key] = self._runs.get(key, 0) + 1
        if self._runs[key] > ENOUGH and (launch.name or any(b.role == "state" for b in executable.program.buffers)):
            raise _Seen
        launch.on(current().device)

    def span(self, what: str, start_s: float) -> None:
        """Ignore times."""


def _trains(linear: Linear) -> bool:
    return any(linear.entries[root].op.kind is Kind.ASSIGN for root in linear.roots)


async def graphs_of(source: str, filename: str, arguments: Sequence[str], *, everything: bool = False) -> list[Linear]:
    """The graphs that a script compiles, up to its first training program, or as :class:`GraphCollector` says.

    Raises:
        BaseException: what the script raises before.
    """
    collector = GraphCollector(everything)
    session = current()
    session.observer = collector
    if everything:
        session.profiler = collector
    try:
        await run_script(source, filename=filename, argv=arguments)
    except _Seen:
        pass
    finally:
        session.observer = session.profiler = None
    return collector.graphs


def programs_of(
    graphs: Sequence[Linear],
    *,
    everything: bool = False,
    target: str | None = None,
    tflops: float | None = None,
    gbps: float | None = None,
) -> list[Explanation]:
    """The training programs of graphs, followed by the others if ``everything``.

    Raises:
        TabgradError: there is no training program.
    """
    training = [g for g in graphs if _trains(g)]
    if not training:
        raise TabgradError(
            f"explain: expected a script that trains, got one that ended after compiling {len(graphs)} programs, "
            f"none of which overwrites anything; call the training step in it"
        )
    chosen = [*training, *(g for g in graphs if not _trains(g))] if everything else training
    return [explain(g, target=target, tflops=tflops, gbps=gbps) for g in chosen]
