"""An explanation as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tabgrad.inspection.peaks import Peaks
from tabgrad.sheet import Sheet, number, size

if TYPE_CHECKING:
    from tabgrad.inspection.explanation import BufferView, Explanation, KernelView, Operand

_MOST_LIVES = 3  # values named for each scratch buffer


def sheets(e: Explanation) -> list[Sheet]:
    """Kernels, memory, what must live."""
    return [kernel_sheet(e), buffer_sheet(e), memory_sheet(e)]


def kernel_sheet(e: Explanation) -> Sheet:
    """A line for each kernel, and under it its template, its tile, and what it reads and writes."""
    rows = []
    for k in e.kernels:
        rows.append(
            (
                str(k.number),
                k.label,
                "×".join(map(str, k.workgroups)),
                size(k.bytes_moved),
                number(k.flops),
                k.bound,
                f"{100 * k.share:.1f} %",
            )
        )
        rows.append(("", f"{_short(k.variant)}: {_shapes(k.reads)} → {_shapes(k.writes)}", "", "", "", "", ""))
        if k.measured:
            rows.append(("", f"measured: {_apart(k.measured, k.heuristic)}", "", "", "", "", ""))
            rows.append(("", f"heuristic: {_apart(k.heuristic, k.measured)}", "", "", "", "", ""))
    return Sheet(
        title=f"{e.name}: {len(e.kernels)} kernels (dispatches), {len(e.shaders)} distinct shaders, for {e.target}",
        columns=(">#", "kernel", ">groups", ">moved", ">FLOPs", "bound", ">share"),
        rows=rows,
        notes=[
            f"in all: {size(e.bytes_moved)} moved, {number(e.flops)} FLOPs, at least {e.estimated_us / 1000:.3g} ms",
            _assumed(e.peaks),
            f"scalars: {_scalars(e)}",
            *_tuned(e),
        ],
    )


def _tuned(e: Explanation) -> list[str]:
    count = sum(bool(k.measured) for k in e.kernels)
    return [f"tuned: {count} kernels are faster variants than the heuristic's"] if count else []


def _apart(variant: str, other: str) -> str:
    """A variant's words that another variant does not have."""
    common = other.split()
    return " ".join(word for word in variant.split() if word not in common)


def _assumed(peaks: Peaks) -> str:
    rates = f"{peaks.flops_per_s / 1e12:.4g} TFLOP/s and {peaks.bytes_per_s / 1e9:.4g} GB/s"
    return f"assumed: {rates} ({peaks.balance:.3g} FLOPs a byte), {peaks.launch_s * 1e6:.3g} µs to launch a kernel"


def buffer_sheet(e: Explanation) -> Sheet:
    """A line for each buffer."""
    return Sheet(
        title=f"{len(e.buffers)} buffers",
        columns=(">#", "role", "holds", ">size", ">kernels"),
        rows=[(str(b.index), b.role, _holds(b), size(b.size_bytes), _span(e, b)) for b in e.buffers],
    )


def memory_sheet(e: Explanation) -> Sheet:
    """Sums by role, the peak, and the bytes that every plan needs."""
    rows = [(f"buffers of role {role}", size(n)) for role, n in e.bytes_by_role().items()]
    rows.append(("all buffers", size(sum(e.bytes_by_role().values()))))
    rows.append((f"scratch in use at the peak, kernel {e.scratch_peak_at}", size(e.scratch_peak_bytes)))
    rows += [(f"must live: {name}", size(n)) for name, n in e.must_live.items()]
    return Sheet(title="memory", columns=("what", ">size"), rows=rows)


def kernel_details(e: Explanation, k: KernelView) -> list[str]:
    """Details that do not fit in the kernel's row of the table."""
    return [
        f"kernel {k.number}: {k.label}",
        f"variant {k.variant or 'unknown'}, {'×'.join(map(str, k.workgroups))} workgroups",
        *([f"measured to be faster: {k.measured}", f"than the heuristic's: {k.heuristic}"] if k.measured else []),
        *(f"reads  {_operand(o, e.buffers)}" for o in k.reads),
        *(f"writes {_operand(o, e.buffers)}" for o in k.writes),
    ]


def _operand(operand: Operand, buffers: Sequence[BufferView]) -> str:
    b = buffers[operand.buffer]
    return f"{operand.dtype} {list(operand.shape)}, {size(operand.size_bytes)}, buffer {b.index} ({b.purpose})"


def _short(variant: str) -> str:
    """``gemm/shared 8×8``: the template and its tile, if it has one."""
    template, *numbers = variant.split(" ")
    values = dict(n.split("=", 1) for n in numbers)
    if "tile_m" not in values:
        return template
    return f"{template} {values['tile_m']}×{values.get('tile_n', '?')}"


def _shapes(operands: Sequence[Operand]) -> str:
    return ", ".join(dict.fromkeys("×".join(map(str, o.shape)) or "1" for o in operands)) or "–"


def _scalars(e: Explanation) -> str:
    if not e.scalars:
        return "none"
    users = sorted({k for s in e.scalars for k in s.kernels})
    kinds = [s.dtype for s in e.scalars]
    counts = ", ".join(f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds))
    return f"{counts}, used by kernels {', '.join(map(str, users))}"


def _holds(b: BufferView) -> str:
    if not b.lives:
        return b.purpose
    named = [f"{label} ({first}–{last})" for label, first, last, _ in b.lives[:_MOST_LIVES]]
    more = len(b.lives) - _MOST_LIVES
    return "; ".join(named) + (f"; {more} more" if more > 0 else "")


def _span(e: Explanation, b: BufferView) -> str:
    users = [k.number for k in e.kernels if any(o.buffer == b.index for o in (*k.reads, *k.writes))]
    if not users:
        return "–"
    return str(users[0]) if users[0] == users[-1] else f"{users[0]}–{users[-1]}"
