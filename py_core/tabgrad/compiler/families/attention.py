"""Attention kernels, forward and gradients: scores live in registers and workgroup memory, never in a buffer."""

from __future__ import annotations

from typing import Any

from tabgrad.compiler.emit import Scopes, literal
from tabgrad.compiler.families.attention_tiles import Choice, Tiling, suitable
from tabgrad.compiler.families.family import Family
from tabgrad.compiler.families.rendered import Rendered, rows_of_groups
from tabgrad.compiler.index import Coords, Index, constant, variable
from tabgrad.compiler.shader import Shader
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Variant
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

THREADS = "attention/threads"
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
    return [c.variant() for c in kernel.choices()]


def render(shader: Shader, target: Target, chosen: Variant) -> Rendered:
    """A kernel around attention or one of its gradients."""
    if chosen.template == THREADS:
        return _Attention(shader, target).threads()
    return render_tiles(shader, target, Choice.of(chosen))


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
        shape = self.entries[self.args[name]].shape
        return self._at(name, [variable(n, size) for n, size in zip((row, element), shape[1:], strict=False)], scopes)

    def _at(self, name: str, position: list[Index], scopes: Scopes) -> str:
        """An argument's value in the kernel's batch."""
        index = self.args[name]
        at = Coords(self.entries[index].shape, [variable("b", self.batch), *position])
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
        scopes = self._scopes(f"at_{names[0]}_", rows)
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
            points["index"] = [[f"(b * {shape[1]}u + {i}) * {shape[2]}u + {j}" for i, j in line] for line in pairs]
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

    def _finish_wide(self) -> list[str] | None:
        """Lines that store vec4 ``at`` of the result, if all of its parts are made of whole vec4s."""
        widths = [self.value_width] if self.name == "attention" else [self.width]
        parts = [*widths, self.value_width if self.flipped else self.height]  # the latter's are a number for each row
        if any(p % 4 for p in parts):
            return None
        scopes = Scopes([["at", "element"]], prefix="e")
        at = variable("at", self.entry.size // 4).scaled(4)
        return self.shader.finish_wide(
            lambda s, lane: Coords(self.entries[s].shape, flat=at + constant(lane)), scopes, "acc"
        )

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

    def tiles(self, choice: Choice) -> str:
        finish = self._finish_wide()
        wide = finish is not None
        if finish is None:
            self.shader.lower.narrow |= self.shader.results() & self.shader.lower.wide
            finish = self._finish()
        tiling = Tiling(choice, *self._shapes())
        rows = [f"i{n}" for n in range(choice.height)]
        columns = [f"j{n}" for n in range(choice.columns // choice.lanes)]
        added = {"attention": "v", "attention_grad_query": "k"}.get(self.name, "gq")
        read = {n: self._vectors(n, (4, 1) if n in added else (4,)) for n in self.args if n in ("q", "k", "g")}
        read["v"] = self._vectors("v", (1,) if self.name == "attention" else (4,))
        points = self._points(rows, columns, choice.columns)
        row_lines = list(points["row_lines"])
        variables: dict[str, Any] = {}
        left, right = ("k", "v"), ("q", "g")
        if not self.flipped:
            left, right = right, left
        variables["score"] = tiling.product(0, read[left[0]], read[right[0]])
        if self.name == "attention":
            variables["out"] = tiling.sum(0, "o", read["v"])
        else:
            variables["part"] = tiling.product(1, read[left[1]], read[right[1]])
        if self.flipped:
            variables["dv"], variables["dk"] = tiling.sum(0, "dv", read["g"]), tiling.sum(1, "dk", read["q"])
            variables["lines"] = {}
            for name in ("lse", "delta"):
                (variables[name],), variables["lines"][name] = self._of_rows([name], columns)
        elif self.name != "attention":
            variables["dq"] = tiling.sum(0, "dq", read["k"])
            (variables["lse"],), lines = self._of_rows(["lse"], rows)
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
                "c": choice, "threads": choice.threads, "groups": choice.rows // choice.height,
                "row_blocks": choice.height // 4, "column_blocks": choice.columns // choice.lanes // 4,
                "pitch_rows": tiling.pitch_rows, "pitch_columns": tiling.pitch_columns, "vectors": tiling.vectors, "wide": wide,
                "rights": tiling.rights, "lefts": tiling.lefts,
                "lines_at": tiling.lines_at, "tiles": -(-self.height // choice.rows),
                "row_groups": self.groups(choice)[0], "batch": self.batch, "height": self.height,
                "length": self.length, "ascending": self.flipped, "outer": self.outer, "row_lines": row_lines,
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
            rows = [variable("row", length)]
            if count == 4 and length % 4:
                rows = [variable(f"r{n}", length) for n in range(4)]
            elif count == 4:  # all four exist, or none
                rows = [variable("r", length // 4).scaled(4) + constant(n) for n in range(4)]
            if width % 4:
                elements = [variable(f"e{n}", width) for n in range(4)]
            else:
                elements = [variable("e", width // 4).scaled(4) + constant(n) for n in range(4)]
            names = [sorted({n for index in group for n in index.deps}) for group in (rows, elements)]
            scopes = self._scopes(f"{name}{count}_", *names)
            values = [self._at(name, [r, e], scopes) for r in rows for e in elements]
            self.outer += scopes.lines[0]
            block["one" if count == 1 else "four"] = {
                "row": scopes.lines[1], "element": scopes.lines[2], "values": values,
            }  # fmt: skip
        return block

    def _delta(self, rows: list[str]) -> tuple[Block, list[str]]:
        """The gradient and the result at the kernel's rows, for their products' sum; and statements before the loop."""
        g, out = self._operand("g", rows, ["e0"], "at_g_"), self._operand("out", rows, ["e0"])
        block = {
            "width": g["width"], "lines": g["element"] + out["element"], "g": g["values"], "out": out["values"],
        }  # fmt: skip
        return block, g["row"] + out["row"]

    def _shapes(self) -> tuple[list[int], list[int]]:
        """Widths of the products, and of the sums."""
        e, v = self.width, self.value_width
        return {
            "attention": ([e], [v]), "attention_grad_query": ([e, v], [e]), "attention_grad_key_value": ([e, v], [v, e]),
        }[self.name]  # fmt: skip

    def choices(self) -> list[Choice]:
        """Tiles that fit, best first."""
        found = suitable(*self._shapes(), self.batch, self.height, exchange=not self.flipped, target=self.target)
        if not found:
            raise DeviceError(
                f"{self.name}: expected at least 16384 bytes of workgroup memory, got "
                f"{self.target.limits.max_workgroup_bytes}; use device 'reference'"
            )
        return found


def render_tiles(shader: Shader, target: Target, choice: Choice) -> Rendered:
    """Vectors are read wherever all accesses to a buffer are known to be to whole vectors."""
    source = shader.widest(lambda: _Attention(shader, target).tiles(choice))
    return Rendered(source=source, workgroups=(*_Attention(shader, target).groups(choice), 1))


FAMILY = Family(variants, render)
