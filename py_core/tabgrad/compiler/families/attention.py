"""Attention kernels, forward and gradients: scores live in registers and workgroup memory, never in a buffer."""

from __future__ import annotations

from typing import Any

from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families.attention_kernel import AttentionKernel
from tabgrad.compiler.families.attention_tiled import TiledAttention, render_tiled
from tabgrad.compiler.families.attention_tiles import TILES as TILES
from tabgrad.compiler.families.attention_tiles import Choice
from tabgrad.compiler.families.family import Family
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.target import LONGEST_LOOP, Target
from tabgrad.compiler.variant import Variant
from tabgrad.graph.index import Index, variable
from tabgrad.ops.attention import Attention

THREADS = "attention/threads"
WORKGROUP = 64  # threads, where they share nothing
SOFTWARE_WORKGROUP = 16  # so that all of a processor's cores get some
WIDEST_TILE = 256  # elements of a row that the tiled kernels keep in registers


def variants(shader: Shader, target: Target) -> list[Variant]:
    """Tiles that fit; on software adapters, and where rows are too wide, threads with rows of their own."""
    kernel = TiledAttention(shader, target)
    if _by_thread(kernel):
        return [Variant(THREADS)]
    return [c.variant() for c in kernel.choices()]


def quick(shader: Shader, target: Target) -> Variant:
    """Tiles whose lines are multiplied one by one: two thirds of the time to compile."""
    kernel = TiledAttention(shader, target)
    return Variant(THREADS) if _by_thread(kernel) else kernel.least_code().variant()


def _by_thread(kernel: AttentionKernel) -> bool:
    """Whether each thread takes rows of its own: no barriers, little code."""
    if kernel.target.software:
        by_width, by_value_width = kernel.lowering.products
        turns = by_width * kernel.width + by_value_width * kernel.value_width + 1
        return (-(-kernel.length // 4) + 4) * turns <= LONGEST_LOOP
    return max(kernel.width, kernel.value_width) > WIDEST_TILE


def render(shader: Shader, target: Target, chosen: Variant) -> Rendered:
    """A kernel around attention or one of its gradients."""
    if chosen.template == THREADS:
        return _Threads(shader, target).render()
    return render_tiled(shader, target, Choice.of(chosen))


class _Threads(AttentionKernel):
    """One thread per four rows."""

    def render(self) -> Rendered:
        """The whole kernel."""
        rows = [variable(f"i{n}", self.height) for n in range(4)]
        columns = [variable(f"c{n}", self.length) for n in range(4)]
        groups = -(-self.height // 4)
        workgroup = SOFTWARE_WORKGROUP if self.target.software else WORKGROUP
        x, y = rows_of_groups(-(-self.batch * groups // workgroup), self.target)
        by_column = ("q", "g") if self.flipped else ("k", "v")
        named = {"q": "q", "k": "key", "v": "value", "g": "g", "out": "out"}
        variables: dict[str, Any] = {
            named[n]: self._operand(n, columns if n in by_column else rows, [self._element(n)], f"{n}_")
            for n in self.args
            if n in named
        }
        points = self._points(rows, columns, 4)
        row_lines = list(points["row_lines"])
        for n in self.args:
            if n in named and n not in by_column:
                row_lines += variables[named[n]]["row"]
        if self.flipped:
            variables["lse"], lines = self._of_rows("lse", columns)
            variables["delta"], more = self._of_rows("delta", columns)
            variables["lines"] = lines + more
        elif "lse" in self.args:
            variables["lse"], lines = self._of_rows("lse", rows)
            row_lines += lines
        for name in ("mask", "index"):  # of four rows, by column
            points[name] = list(zip(*points[name], strict=True))
        source = self.shader.render(
            f"attention/{self._template()}_thread.wgsl.j2",
            **variables,
            points=points,
            dropout=self._dropout(),
            finish=self._finish(),
            k={
                "workgroup": workgroup, "row_threads": x * workgroup, "groups": groups, "batch": self.batch,
                "height": self.height, "length": self.length, "outer": self.outer, "row_lines": row_lines,
            },
        )  # fmt: skip
        return Rendered(source=source, workgroups=(x, y, 1))

    def _element(self, name: str) -> Index:
        return variable("e0", self.entries[self.args[name]].shape[2])


FAMILY = Family(Attention, variants, render, quick)
