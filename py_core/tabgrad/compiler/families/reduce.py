"""Reduction kernels: elementwise values before and after are computed on the way."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tabgrad.compiler.emit import Scopes
from tabgrad.compiler.families.family import single
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.index import Coords, Index, variable
from tabgrad.compiler.shader import Shader
from tabgrad.compiler.target import Target

WORKGROUP = 64


@dataclass(frozen=True)
class _Rule:
    """How a kind of reduction accumulates; ``{t}`` is the element's WGSL type."""

    state: tuple[tuple[str, str, str], ...]  # (name, type, initial value)
    step: str  # takes in x, the element with reduced index r
    combine: str  # takes in another thread's <name>_b
    result: str


_LOWEST = {"f32": "-inf_f32()", "i32": "(-2147483647i - 1i)", "u32": "0u"}
_HIGHEST = {"f32": "inf_f32()", "i32": "2147483647i", "u32": "4294967295u"}


def _extreme(sign: str, initial: dict[str, str], t: str) -> _Rule:
    nan = "isnan_f32({0})" if t == "f32" else "false"
    return _Rule(
        (("s", t, initial[t]),),
        f"if (x {sign} s || {nan.format('x')}) {{ s = x; }}",
        f"if (s_b {sign} s || {nan.format('s_b')}) {{ s = s_b; }}",
        "s",
    )


def _arg_extreme(sign: str, t: str) -> _Rule:
    # `at` is 0xffffffff while nothing has been seen; equal values keep the lower index
    unset = "4294967295u"
    return _Rule(
        (("s", t, f"{t}(0)"), ("at", "u32", unset)),
        f"if (at == {unset} || x {sign} s) {{ s = x; at = r; }}",
        f"if (at_b != {unset} && (at == {unset} || s_b {sign} s || (s_b == s && at_b < at))) {{ s = s_b; at = at_b; }}",
        "i32(at)",
    )


def _rule(kind: str, t: str, blocked: bool) -> _Rule:
    if kind == "sum" and t == "f32" and blocked:
        # a long sum in blocks of 512: rounding errors grow with the number of blocks, not of elements
        step = "part += x; if ((r & 511u) == 511u) { s += part; part = 0.0; }"
        return _Rule((("s", t, "0.0"), ("part", t, "0.0")), step, "", "s + part")
    if kind == "sum":
        return _Rule((("s", t, f"{t}(0)"),), "s += x;", "s += s_b;", "s")
    if kind == "prod":
        return _Rule((("s", t, f"{t}(1)"),), "s *= x;", "s *= s_b;", "s")
    if kind == "max":
        return _extreme(">", _LOWEST, t)
    if kind == "min":
        return _extreme("<", _HIGHEST, t)
    if kind in ("argmax", "argmin"):
        return _arg_extreme(">" if kind == "argmax" else "<", t)
    assert kind == "logsumexp", kind
    # s is the sum of exp(x - top): rescaled whenever a larger element comes (Milakov & Gimelshein 2018)
    return _Rule(
        (("top", "f32", "-3.4028234e38"), ("s", "f32", "0.0")),
        "if (x > top) { s = s * exp(top - x) + 1.0; top = x; } else { s += exp(x - top); }",
        "let high = max(top, top_b); s = s * exp(top - high) + s_b * exp(top_b - high); top = high;",
        "top + log_ieee(s)",
    )


def render_reduce(shader: Shader, target: Target) -> Rendered:
    """A kernel around a reduction."""
    assert shader.kernel.heavy is not None
    entries = shader.entries
    heavy = entries[shader.kernel.heavy]
    source = entries[heavy.args[0]]
    dims = heavy.attrs["dims"]
    extent = math.prod(source.shape[d] for d in dims)
    total = heavy.size
    whole_group = _whole_group(total, extent, target)
    rule = _rule(heavy.attrs["kind"], source.dtype.wgsl, extent > 2048 and not whole_group)

    loop = Scopes([["o"], ["r"]])
    outer = Coords(heavy.shape, flat=variable("o", total)).dims(loop.bind)
    inner = iter(Coords([source.shape[d] for d in dims], flat=variable("r", extent)).dims(loop.bind))
    position: list[Index] = [next(inner) if d in dims else at for d, at in enumerate(outer)]
    value = shader.lower.value(heavy.args[0], _joined(source.shape, dims, position, total, extent), loop)

    tail = Scopes([["o", "element"]], prefix="e")
    at = variable("o", total)
    finish = shader.finish(lambda s: Coords(entries[s].shape, flat=at), tail, "acc")

    threads = WORKGROUP
    if whole_group:
        while threads < min(256, target.limits.max_invocations) and threads * 4 <= extent:
            threads *= 2
    x, y = rows_of_groups(total if whole_group else -(-total // WORKGROUP), target)
    text = shader.render(
        "reduce/workgroup.wgsl.j2" if whole_group else "reduce/thread.wgsl.j2",
        workgroup=WORKGROUP,
        threads=threads,
        row_threads=x * WORKGROUP,
        row_groups=x,
        total=total,
        extent=extent,
        state=rule.state,
        outer=loop.lines[0],
        inner=loop.lines[1],
        value=value,
        step=rule.step,
        combine=rule.combine,
        result=rule.result,
        finish=finish,
    )
    return Rendered(source=text, workgroups=(x, y, 1))


def _whole_group(total: int, extent: int, target: Target) -> bool:
    """Whether a workgroup shares each output."""
    if not target.software:
        return extent >= 64
    # barriers are dear on a processor; but Mesa's llvmpipe ends a thread's loops after 65,535 turns
    return extent > 32768 or (extent >= 4096 and total < 256)


def _joined(shape: tuple[int, ...], dims: tuple[int, ...], position: list[Index], total: int, extent: int) -> Coords:
    """The element's coordinates; where the reduced dimensions are the last ones, its flat index is o * extent + r."""
    trailing = dims == tuple(range(len(shape) - len(dims), len(shape)))
    flat = variable("o", total).scaled(extent) + variable("r", extent) if trailing else None
    return Coords(shape, position, flat)


FAMILY = single("reduce", render_reduce)
