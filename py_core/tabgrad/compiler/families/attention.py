"""Attention kernels, forward and gradients: scores live in registers and workgroup memory, never in a buffer."""

from __future__ import annotations

from typing import Any

from tabgrad.compiler.emit import Scopes, literal
from tabgrad.compiler.families.attention_tiles import COLUMNS, Choice, Tiling, suitable
from tabgrad.compiler.families.family import Family
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.index import Coords, variable
from tabgrad.compiler.shader import Shader
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Variant, variant
from tabgrad.dtypes import bool_, float32
from tabgrad.errors import DeviceError
from tabgrad.graph.linearize import Entry

# The arguments of each op before mask, draw and seed; the compiler stores them, as they are read many times.
ATTENTION = {
    "attention": ("q", "k", "v"),
    "attention_grad_query": ("q", "k", "v", "g", "out", "lse"),
    "attention_grad_key_value": ("q", "k", "v", "g", "lse", "delta"),
}
_PRODUCTS = {"attention": (1, 1), "attention_grad_query": (2, 1), "attention_grad_key_value": (2, 2)}  # of widths E, Ev

TILES, THREADS = "attention/tiles", "attention/threads"
WORKGROUP = 64  # threads, where they share nothing
SOFTWARE_WORKGROUP = 16  # so that all of a processor's cores get some
WIDEST_TILE = 256  # elements of a row that the tiled kernels keep in registers
LONGEST_LOOP = 60000  # Mesa's llvmpipe ends a thread's loops after 65,535 turns in all

Block = dict[str, Any]  # what a template reads


def attention_label(entries: list[Entry], e: Entry) -> str:
    """The op, the shapes of queries and keys, and whether it is causal."""
    q, k = (list(entries[a].shape) for a in e.args[:2])
    return f"{e.op.name} {q} x {k}" + (" causal" if e.attrs["causal"] else "")


def attention_flops(entries: list[Entry], e: Entry) -> int:
    """Two operations for each product of a query's element and a key's or value's that takes part."""
    (batch, queries, width), (_, keys, _), (_, _, value_width) = (entries[a].shape for a in e.args[:3])
    full = min(queries, keys)  # under causality, query i meets min(i + 1, keys) keys
    pairs = full * (full + 1) // 2 + (queries - full) * keys if e.attrs["causal"] else queries * keys
    by_width, by_value_width = _PRODUCTS[e.op.name]
    return 2 * batch * pairs * (by_width * width + by_value_width * value_width)


def variants(shader: Shader, target: Target) -> list[Variant]:
    """Tiles that fit; on software adapters, and where rows are too wide, threads with rows of their own."""
    kernel = _Attention(shader, target)
    if kernel.by_thread():
        return [Variant(THREADS)]
    return [variant(TILES, rows=c.rows, whole=c.whole, resident=c.resident) for c in kernel.choices()]


def render(shader: Shader, target: Target, chosen: Variant) -> Rendered:
    """A kernel around attention or one of its gradients."""
    kernel = _Attention(shader, target)
    if chosen.template == THREADS:
        return kernel.threads()
    return kernel.tiles(Choice(chosen["rows"], bool(chosen["whole"]), bool(chosen["resident"])))


class _Attention:
    def __init__(self, shader: Shader, target: Target) -> None:
        assert shader.kernel.heavy is not None
        self.shader, self.target = shader, target
        self.entries = shader.entries
        self.entry = shader.entries[shader.kernel.heavy]
        self.name, self.attrs = self.entry.op.name, self.entry.attrs
        self.args = dict(zip(ATTENTION[self.name], self.entry.args, strict=False))
        self.batch, self.queries, self.width = self.entries[self.args["q"]].shape
        self.keys, self.value_width = self.entries[self.args["v"]].shape[1:]
        self.flipped = self.name == "attention_grad_key_value"  # rows are keys
        self.height, self.length = (self.keys, self.queries) if self.flipped else (self.queries, self.keys)
        self.outer: list[str] = []  # statements before all loops

    def by_thread(self) -> bool:
        """Whether each thread takes rows of its own: no barriers, little code."""
        if self.target.software:
            by_width, by_value_width = _PRODUCTS[self.name]
            turns = by_width * self.width + by_value_width * self.value_width + 1
            return (-(-self.length // 4) + 4) * turns <= LONGEST_LOOP
        return max(self.width, self.value_width) > WIDEST_TILE

    # what both kinds of kernels need

    def _scopes(self, prefix: str, *levels: list[str]) -> Scopes:
        return Scopes([["b"], *levels], prefix)

    def _value(self, name: str, row: str, element: str, scopes: Scopes) -> str:
        index = self.args[name]
        shape = self.entries[index].shape
        names = ["b", row, element][: len(shape)]
        at = Coords(shape, [variable(n, size) for n, size in zip(names, shape, strict=True)])
        return self.shader.lower.value(index, at, scopes)

    def _operand(self, name: str, rows: list[str], elements: list[str], prefix: str = "") -> Block:
        """Statements and expressions that read an argument ``[batch, rows, width]``."""
        scopes = self._scopes(prefix or f"{name}_", rows, elements)
        values = [self._value(name, r, e, scopes) for r in rows for e in elements]
        self.outer += scopes.lines[0]
        shape = self.entries[self.args[name]].shape
        return {
            "rows": shape[1], "width": shape[2], "row": scopes.lines[1], "element": scopes.lines[2], "values": values,
        }  # fmt: skip

    def _of_rows(self, names: list[str], rows: list[str]) -> tuple[list[list[str]], list[str]]:
        """Arguments ``[batch, queries]`` at some rows: their expressions, and statements before them."""
        scopes = self._scopes("at_", rows)
        values = [[self._value(name, r, "", scopes) for r in rows] for name in names]
        self.outer += scopes.lines[0]
        return values, scopes.lines[1]

    def _points(self, rows: list[str], columns: list[str], at_once: int) -> Block:
        """Scale, mask and random numbers of the pairs (row, column), of which a loop takes ``at_once`` columns."""
        extra = list(self.entry.args[len(ATTENTION[self.name]) :])
        scopes = self._scopes("m_", rows, columns)
        shape = (self.batch, self.queries, self.keys)
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

            def at(query: str, key: str) -> str:
                dims = [variable(n, size) for n, size in zip(("b", query, key), shape, strict=True)]
                return self.shader.lower.value(mask, Coords(shape, dims), scopes)

            points["mask"] = [[at(*pair) for pair in line] for line in pairs]
        if self.attrs["dropout"]:
            draw, seed = extra
            points["draw"] = self.shader.lower.value(draw, Coords(()), scopes)
            points["seed"] = self.shader.lower.value(seed, Coords(()), scopes)
            first = self.attrs.get("first_batch", 0)  # of all batches, where this is a part of them
            number = f"(b + {first}u)" if first else "b"
            points["index"] = [
                [f"({number} * {shape[1]}u + {i}) * {shape[2]}u + {j}" for i, j in line] for line in pairs
            ]
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

    # one thread per four rows

    def threads(self) -> Rendered:
        rows, columns = [f"i{n}" for n in range(4)], [f"c{n}" for n in range(4)]
        groups = -(-self.height // 4)
        workgroup = SOFTWARE_WORKGROUP if self.target.software else WORKGROUP
        x, y = rows_of_groups(-(-self.batch * groups // workgroup), self.target)
        by_column = ("q", "g") if self.flipped else ("k", "v")
        named = {"q": "q", "k": "key", "v": "value", "g": "g", "out": "out"}
        variables: dict[str, Any] = {
            named[n]: self._operand(n, columns if n in by_column else rows, ["e0"]) for n in self.args if n in named
        }
        points = self._points(rows, columns, 4)
        row_lines = list(points["row_lines"])
        for n in self.args:
            if n in named and n not in by_column:
                row_lines += variables[named[n]]["row"]
        if self.flipped:
            (variables["lse"], variables["delta"]), variables["lines"] = self._of_rows(["lse", "delta"], columns)
        elif "lse" in self.args:
            (variables["lse"],), lines = self._of_rows(["lse"], rows)
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

    def _template(self) -> str:
        return {"attention": "forward"}.get(self.name, self.name.removeprefix("attention_"))

    # tiles in workgroup memory

    def tiles(self, choice: Choice) -> Rendered:
        tiling = Tiling(choice, *self._shapes())
        rows, columns, elements = ([f"{c}{n}" for n in range(4)] for c in "ije")
        read = {n: self._operand(n, ["row"], elements) for n in self.args if n in ("q", "k", "v", "g")}
        points = self._points(rows, columns, COLUMNS)
        row_lines = list(points["row_lines"])
        variables: dict[str, Any] = {}
        score, part = ("k", "q"), ("v", "g")
        if self.name == "attention":
            variables["score"] = tiling.product(0, read["q"], read["k"])
            variables["out"] = tiling.sum(0, "o", read["v"])
        elif self.flipped:
            variables["score"], variables["part"] = (
                tiling.product(n, read[left], read[right]) for n, (left, right) in enumerate((score, part))
            )
            variables["dv"], variables["dk"] = tiling.sum(0, "v", read["g"]), tiling.sum(1, "k", read["q"])
            (variables["lse"], variables["delta"]), variables["lines"] = self._of_rows(["lse", "delta"], columns)
        else:
            variables["part"], variables["score"] = (
                tiling.product(n, read[left], read[right]) for n, (right, left) in enumerate((part, score))
            )
            variables["dq"] = tiling.sum(0, "q", read["k"])
            (variables["lse"],), lines = self._of_rows(["lse"], rows)
            row_lines += lines
            variables["delta"], lines = self._delta(rows)
            row_lines += lines
        tiles = -(-self.height // tiling.rows)
        x, y = rows_of_groups(self.batch * tiles, self.target)
        source = self.shader.render(
            f"attention/{self._template()}.wgsl.j2",
            **variables,
            points={**points, "groups": tiling.rows // 4},
            dropout=self._dropout(),
            finish=self._finish(),
            k={
                "rows": tiling.rows, "groups": tiling.rows // 4, "threads": tiling.threads, "tiles": tiles,
                "vectors": tiling.vectors, "shared_at": tiling.shared_at, "row_groups": x, "batch": self.batch,
                "height": self.height, "length": self.length, "ascending": self.flipped, "outer": self.outer,
                "row_lines": row_lines,
            },
        )  # fmt: skip
        return Rendered(source=source, workgroups=(x, y, 1))

    def _delta(self, rows: list[str]) -> tuple[Block, list[str]]:
        """The gradient and the result at the kernel's rows, for their products' sum; and statements before the loop."""
        g, out = self._operand("g", rows, ["e0"], "at_g_"), self._operand("out", rows, ["e0"])
        block = {
            "width": g["width"], "lines": g["element"] + out["element"], "g": g["values"], "out": out["values"],
        }  # fmt: skip
        return block, g["row"] + out["row"]

    def _shapes(self) -> tuple[list[int], list[tuple[int, int | None]]]:
        """Widths of the products, and of the sums, each with the product that leaves its operand in memory."""
        e, v = self.width, self.value_width
        if self.name == "attention":
            return [e], [(v, None)]
        return ([e, v], [(v, 1), (e, None)]) if self.flipped else ([v, e], [(e, 1)])

    def choices(self) -> list[Choice]:
        """Tiles that fit, best first."""
        found = suitable(*self._shapes(), self.batch, self.height, exchange=not self.flipped, target=self.target)
        if not found:
            raise DeviceError(
                f"{self.name}: expected at least 16384 bytes of workgroup memory, got "
                f"{self.target.limits.max_workgroup_bytes}; use device 'reference'"
            )
        return found


FAMILY = Family(variants, render)
