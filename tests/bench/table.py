"""Reports as an aligned table for a terminal. Standard library only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Report = dict[str, Any]
Column = tuple[str, int, Callable[[Report], str]]  # heading, least width, cell


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}" if value >= 1 else f"{value:.3g}"


def _range(low: float, high: float) -> str:
    return f"{_short(low)}-{_short(high)}"


_SHARED: tuple[Column, ...] = (
    ("host ms", 8, lambda r: f"{r['host_ms']:.3f}"),
    ("host", 5, lambda r: f"{r['host_share']:.0%}"),
    ("submits", 7, lambda r: f"{r['submits']:g}"),
    ("created", 7, lambda r: f"{r['objects_created']:g}"),
    ("crossings", 9, lambda r: f"{r['crossings']:g}"),
    ("GPU MB", 8, lambda r: f"{r['peak_gpu_bytes'] / 1e6:.1f}"),
    ("check", 5, lambda r: str(r["check"])),
)
_COLUMNS: dict[str, tuple[Column, ...]] = {
    "workload": (
        ("workload", 10, lambda r: str(r["name"])),
        ("device", 9, lambda r: str(r["device"])),
        ("ms/step", 8, lambda r: f"{r['ms_per_step']:.3f}"),
        ("range", 17, lambda r: _range(*r["spread_ms"])),
        ("first ms", 8, lambda r: f"{r['first_step_ms']:.0f}"),
        ("dispatches", 10, lambda r: f"{r['dispatches']:g}"),
        *_SHARED,
    ),
    "plain": (
        ("plain loop", 15, lambda r: str(r["name"]).removeprefix("plain ")),
        ("device", 9, lambda r: str(r["device"])),
        ("ms/step", 8, lambda r: f"{r['ms_per_step']:.3f}"),
        ("range", 17, lambda r: _range(*r["spread_ms"])),
        ("compiled", 8, lambda r: f"{r['compiled_ms']:.3f}"),
        ("ratio", 5, lambda r: f"{r['ratio']:.2f}"),
        ("its host ms", 11, lambda r: f"{r['compiled_host_ms']:.3f}"),
        *_SHARED,
    ),
    "kernel": (
        ("kernel", 38, lambda r: str(r["name"])),
        ("device", 9, lambda r: str(r["device"])),
        ("rate", 16, lambda r: f"{_short(r['rate'])} {r['unit']}"),
        ("range", 17, lambda r: _range(*r["spread"])),
        ("µs each", 9, lambda r: f"{r['us_each']:.1f}"),
        ("first ms", 8, lambda r: f"{r['first_run_ms']:.0f}"),
        ("dispatches", 10, lambda r: f"{r['dispatches']:g}"),
        *_SHARED,
    ),
    "cold": (
        ("cold start", 14, lambda r: str(r["name"])),
        ("device", 9, lambda r: str(r["device"])),
        ("first ms", 8, lambda r: f"{r['first_step_ms']:.0f}"),
        ("tenth ms", 8, lambda r: f"{r['tenth_ms']:.2f}"),
        ("last ms", 8, lambda r: f"{r['last_ms']:.2f}"),
        ("steps", 6, lambda r: str(r["steps"])),
        ("pipelines", 9, lambda r: str(r["pipelines"])),
        ("check", 5, lambda r: str(r["check"])),
    ),
    "fit": (
        ("trainer", 10, lambda r: str(r["name"])),
        ("device", 9, lambda r: str(r["device"])),
        ("ms/step", 8, lambda r: f"{r['ms_per_step']:.3f}"),
        ("compiled", 8, lambda r: f"{r['compiled_ms']:.3f}"),
        ("ratio", 5, lambda r: f"{r['ratio']:.2f}"),
        ("submits", 7, lambda r: f"{r['submits']:g}"),
        ("created", 7, lambda r: f"{r['objects_created']:g}"),
        ("crossings", 9, lambda r: f"{r['crossings']:g}"),
        ("bytes up", 8, lambda r: f"{r['bytes_uploaded']:g}"),
        ("GPU MB", 8, lambda r: f"{r['peak_gpu_bytes'] / 1e6:.1f}"),
        ("check", 5, lambda r: str(r["check"])),
    ),
    "failed": (
        ("failed", 10, lambda r: str(r["name"])),
        ("device", 9, lambda r: str(r["device"])),
        ("why", 3, lambda r: str(r["check"])),
    ),
}


def header(kind: str) -> str:
    """The headings of a kind of report."""
    return _line([(name, width) for name, width, _ in _COLUMNS[kind]])


def row(report: Report) -> str:
    """One report; what is wider than its column pushes the rest of its line to the right."""
    return _line([(cell(report), width) for _, width, cell in _COLUMNS[report["kind"]]])


def _line(cells: Sequence[tuple[str, int]]) -> str:
    first, *rest = [text.rjust(width) if n > 1 else text.ljust(width) for n, (text, width) in enumerate(cells)]
    return "  ".join([first, *rest]).rstrip()


class Table:
    """Prints reports as they come, with a header wherever their kind changes."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._kind = ""
        self._adapters: set[str] = set()

    def add(self, report: Report) -> None:
        """Print one report."""
        adapter = f"{report['device']}: {report['adapter']}" if "adapter" in report else ""
        if adapter and adapter not in self._adapters:
            self._adapters.add(adapter)
            self._write(adapter)
        if report["kind"] != self._kind:
            self._kind = report["kind"]
            self._write(header(self._kind))
        self._write(row(report))
