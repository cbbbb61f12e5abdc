"""Attention kernels for GPUs: tiles of scores, with products of what lies in workgroup memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tabgrad.compiler.codegen.emit import Scopes
from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families.attention_kernel import AttentionKernel, Block
from tabgrad.compiler.families.attention_tiles import LITTLE_CODE, Choice, Tiling, suitable
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.target import Target
from tabgrad.errors import DeviceError
from tabgrad.graph.index import Coords, Index, constant, variable
from tabgrad.ops.attention import Pass


def render_tiled(shader: Shader, target: Target, choice: Choice) -> Rendered:
    """Vectors are read wherever all accesses to a buffer are known to be to whole vectors."""
    source = shader.widest(lambda: TiledAttention(shader, target).render(choice))
    return Rendered(source=source, workgroups=(*TiledAttention(shader, target).groups(choice), 1))


class TiledAttention(AttentionKernel):
    """A workgroup per tile of rows, which walks over the columns."""

    def render(self, choice: Choice) -> str:
        """The source."""
        finish = self._finish_wide()
        wide = finish is not None
        if finish is None:
            self.shader.lower.narrow |= self.shader.results() & self.shader.lower.wide
            finish = self._finish()
        tiling = Tiling(choice, *self._shapes())
        rows = _fours("i", choice.height // 4, self.height)
        columns = _fours("j", choice.columns // choice.lanes // 4, self.length)
        added = {Pass.FORWARD: "v", Pass.GRAD_QUERY: "k", Pass.GRAD_KEY_VALUE: "gq"}[self.computes]
        read = {n: self._vectors(n, (4, 1) if n in added else (4,)) for n in self.args if n in ("q", "k", "g")}
        read["v"] = self._vectors("v", (1,) if self.computes is Pass.FORWARD else (4,))
        points = self._points(rows, columns, choice.columns)
        row_lines = list(points["row_lines"])
        variables: dict[str, Any] = {}
        left, right = ("k", "v"), ("q", "g")
        if not self.flipped:
            left, right = right, left
        variables["score"] = tiling.product(0, read[left[0]], read[right[0]])
        if self.computes is Pass.FORWARD:
            variables["out"] = tiling.sum(0, "o", read["v"])
        else:
            variables["part"] = tiling.product(1, read[left[1]], read[right[1]])
        if self.flipped:
            variables["dv"], variables["dk"] = tiling.sum(0, "dv", read["g"]), tiling.sum(1, "dk", read["q"])
            variables["lines"] = {}
            for name in ("lse", "delta"):
                variables[name], variables["lines"][name] = self._of_rows(name, columns)
        elif self.computes is not Pass.FORWARD:
            variables["dq"] = tiling.sum(0, "dq", read["k"])
            variables["lse"], lines = self._of_rows("lse", rows)
            row_lines += lines
            variables["delta"], lines = self._delta(rows)
            row_lines += lines
        return self.shader.render(
            f"attention/{self._template()}.wgsl.j2",
            **variables,
            points=points,
            dropout=self._dropout(),
            finish=finish,
            k={
                "vectors": tiling.vectors, "lefts": tiling.lefts, "rights": tiling.rights,
                "pitch_rows": tiling.pitch_rows, "pitch_columns": tiling.pitch_columns, "lines_at": tiling.lines_at,
                "pitch_weights": tiling.pitch_weights,
                "c": choice, "threads": choice.threads, "groups": choice.rows // choice.height,
                "row_blocks": choice.height // 4, "column_blocks": choice.columns // choice.lanes // 4, "wide": wide,
                "flipped": self.flipped, "skip": choice.skip and self.attrs["causal"], "batch": self.batch,
                "height": self.height, "length": self.length, "tiles": -(-self.height // choice.rows),
                "row_groups": self.groups(choice)[0], "outer": self.outer, "row_lines": row_lines,
            },
        )  # fmt: skip

    def groups(self, choice: Choice) -> tuple[int, int]:
        """Workgroups launched, as rows of them."""
        return rows_of_groups(self.batch * -(-self.height // choice.rows), self.target)

    def _vectors(self, name: str, at_once: tuple[int, ...]) -> Block:
        """Statements and expressions that read four neighbouring elements of one row, or of each of four."""
        _, length, width = self.entries[self.args[name]].shape
        block: Block = {"rows": length, "width": width}
        for count in at_once:
            rows = _fours("r", 1, length) if count == 4 else [variable("row", length)]
            values = self._operand(name, rows, _fours("e", 1, width), f"{name}{count}_")
            block["one" if count == 1 else "four"] = values
        return block

    def _delta(self, rows: list[Index]) -> tuple[Block, list[str]]:
        """The gradient and the result at the kernel's rows, for their products' sum; and statements before the loop.

        One element of each row at a time, or four if they are whole vec4s.
        """
        width = self.value_width
        elements = [variable("e0", width)] if width % 4 else _fours("e", 1, width)
        g, out = self._operand("g", rows, elements, "at_g_"), self._operand("out", rows, elements, "out_")
        block = {
            "turns": width // len(elements), "at_once": len(elements), "lines": g["element"] + out["element"],
            "g": g["values"], "out": out["values"],
        }  # fmt: skip
        return block, g["row"] + out["row"]

    def _shapes(self) -> tuple[list[int], list[int]]:
        """Widths of the products, and of the sums."""
        e, v = self.width, self.value_width
        if self.computes is Pass.FORWARD:
            return [e], [v]
        return [e, v], [v, e] if self.flipped else [e]

    def choices(self) -> list[Choice]:
        """Tiles that fit, best first."""
        found = suitable(self.computes, *self._shapes(), self.batch, self.height, self.target)
        found = [c for c in found if self.attrs["causal"] or not c.skip]
        if not found:
            raise DeviceError(
                f"{self.entry.op.name}: expected at least 16384 bytes of workgroup memory, got "
                f"{self.target.limits.max_workgroup_bytes}; use device 'reference'"
            )
        return found

    def least_code(self) -> Choice:
        """The choice that compiles in the shortest time, by measurement on an NVIDIA H200."""
        fitting = self.choices()
        return replace(next((c for c in LITTLE_CODE if c in fitting), fitting[0]), unroll=1, skip=0)

    def _finish_wide(self) -> list[str] | None:
        """Lines that store vec4 ``at`` of the result, if all of its parts are made of whole vec4s."""
        widths = [self.value_width] if self.computes is Pass.FORWARD else [self.width]
        parts = [*widths, self.value_width if self.flipped else self.height]  # the latter's are a number for each row
        if any(p % 4 for p in parts):
            return None
        scopes = Scopes([["at", "element"]], prefix="e")
        at = variable("at", self.entry.size // 4).scaled(4)
        return self.shader.finish_wide(
            lambda s, lane: Coords(self.entries[s].shape, flat=at + constant(lane)), scopes, "acc"
        )


def _fours(name: str, blocks: int, size: int) -> list[Index]:
    """Positions below ``size``, four for each block: of vec4 ``{name}{block}``, or each in a variable of its own.

    A size of whole vec4s has either all four positions of a block, or none.
    """
    if size % 4:
        return [variable(f"{name}{n}", size) for n in range(4 * blocks)]
    return [variable(f"{name}4_{n}", size // 4).scaled(4) + constant(i) for n in range(blocks) for i in range(4)]
