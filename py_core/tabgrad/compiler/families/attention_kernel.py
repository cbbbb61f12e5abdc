"""What all attention kernels, forward and gradients, need to know of their entry; scores are never stored."""

from __future__ import annotations

from typing import Any

from tabgrad.compiler.codegen.emit import Scopes, literal
from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.target import Target
from tabgrad.dtypes import bool_, float32
from tabgrad.graph.index import Coords, Index, variable
from tabgrad.ops.attention import Attention, Pass

Block = dict[str, Any]  # what a template reads


class AttentionKernel:
    """One kernel around attention or one of its gradients, to be written in some way."""

    def __init__(self, shader: Shader, target: Target) -> None:
        assert shader.kernel.heavy is not None
        self.shader, self.target = shader, target
        self.entries = shader.entries
        self.entry = shader.entries[shader.kernel.heavy]
        lowering = self.entry.op.lowering
        assert isinstance(lowering, Attention), lowering
        self.lowering, self.attrs = lowering, self.entry.attrs
        self.computes = lowering.computes
        self.args = dict(zip(lowering.arguments, self.entry.args, strict=False))
        self.batch, self.queries, self.width = self.entries[self.args["q"]].shape
        self.keys, self.value_width = self.entries[self.args["v"]].shape[1:]
        self.flipped = self.computes is Pass.GRAD_KEY_VALUE  # rows are keys
        self.height, self.length = (self.keys, self.queries) if self.flipped else (self.queries, self.keys)
        self.outer: list[str] = []  # statements before all loops

    def _at(self, name: str, position: list[Index], scopes: Scopes) -> str:
        """An argument's value in the kernel's batch."""
        index = self.args[name]
        at = Coords(self.entries[index].shape, [variable("b", self.batch), *position])
        return self.shader.lower.value(index, at, scopes)

    def _scopes(self, prefix: str, *levels: list[Index]) -> Scopes:
        return Scopes([["b"], *(sorted({n for index in level for n in index.deps}) for level in levels)], prefix)

    def _operand(self, name: str, rows: list[Index], elements: list[Index], prefix: str) -> Block:
        """Statements and expressions that read an argument ``[batch, rows, width]``, element by element of each row."""
        scopes = self._scopes(prefix, rows, elements)
        values = [self._at(name, [r, e], scopes) for r in rows for e in elements]
        self.outer += scopes.lines[0]
        shape = self.entries[self.args[name]].shape
        return {
            "rows": shape[1], "width": shape[2], "row": scopes.lines[1], "element": scopes.lines[2], "values": values,
        }  # fmt: skip

    def _of_rows(self, name: str, rows: list[Index]) -> tuple[list[str], list[str]]:
        """An argument ``[batch, queries]`` at some rows: its expressions, and statements before them."""
        scopes = self._scopes(f"at_{name}_", rows)
        values = [self._at(name, [r], scopes) for r in rows]
        self.outer += scopes.lines[0]
        return values, scopes.lines[1]

    def _points(self, rows: list[Index], columns: list[Index], at_once: int) -> Block:
        """Scale, mask and random numbers of the pairs (row, column), of which a loop takes ``at_once`` columns."""
        extra = list(self.entry.args[len(self.lowering.arguments) :])
        scopes = self._scopes("m_", rows, columns)
        points: Block = {
            "scale": literal(self.attrs["scale"], float32),
            "causal": self.attrs["causal"],
            "flipped": self.flipped,
            "kind": "",
            "mask": [],
            "index": [],
            "columns_end": self.length if self.length % at_once else None,
        }
        pairs = [[(c, r) if self.flipped else (r, c) for c in columns] for r in rows]  # (query, key)
        if self.attrs["mask"]:
            mask = extra.pop(0)
            points["kind"] = "select" if self.entries[mask].dtype is bool_ else "add"
            shape = (self.batch, self.queries, self.keys)

            def at(query: Index, key: Index) -> str:
                return self.shader.lower.value(mask, Coords(shape, [variable("b", self.batch), query, key]), scopes)

            points["mask"] = [[at(*pair) for pair in line] for line in pairs]
        if self.attrs["dropout"]:
            draw, seed = extra
            points["draw"] = self.shader.lower.value(draw, Coords(()), scopes)
            points["seed"] = self.shader.lower.value(seed, Coords(()), scopes)
            first = self.attrs.get("first_batch", 0)  # of all batches, where this is a part of them
            start = f"({f'(b + {first}u)' if first else 'b'} * {self.queries}u + "
            points["index"] = [[f"{start}{i.text()}) * {self.keys}u + {j.text()}" for i, j in line] for line in pairs]
        self.outer += scopes.lines[0]
        points["row_lines"], points["column_lines"] = scopes.lines[1], scopes.lines[2]
        return points

    def _dropout(self) -> Block | None:
        p = self.attrs["dropout"]
        return {"p": literal(p, float32), "factor": literal(1 / (1 - p), float32)} if p else None

    def _finish(self) -> list[str]:
        scopes = Scopes([["at", "element"]], prefix="e")
        at = variable("at", self.entry.size)
        return self.shader.finish(lambda s: Coords(self.entries[s].shape, flat=at), scopes, "acc")

    def _template(self) -> str:
        return self.computes.value
