"""Render a contraction: choose a template and a tile, and lay out the fetches."""

from __future__ import annotations

from dataclasses import dataclass

from tabgrad.compiler.emit import Scopes
from tabgrad.compiler.families.contraction import CONTRACTIONS, Contraction
from tabgrad.compiler.families.family import single
from tabgrad.compiler.families.rendered import Rendered
from tabgrad.compiler.index import Coords, variable
from tabgrad.compiler.shader import Shader
from tabgrad.compiler.target import Target
from tabgrad.errors import DeviceError

DEPTH = 16  # elements of k per step of the shared-memory variant
SHARED_THREADS = 256
WORTH_UNROLLING = 2**25  # multiplications above which a software adapter's time to compile big tiles pays
BLOCK = 512  # products that one thread sums before they join its total


@dataclass(frozen=True)
class Tile:
    """A variant: elements per thread, and whether tiles go through workgroup memory."""

    m: int
    n: int
    shared: bool


def choose_tile(c: Contraction, target: Target) -> Tile:
    """The variant that compiles fast and suits the adapter's kind and the sizes; measured later, if ever."""
    if not target.software and c.m >= 16 and c.n >= 16 and c.k >= 16:
        for edge in (8, 4, 2, 1):
            groups = c.batch * -(-c.m // (16 * edge)) * -(-c.n // (16 * edge))
            if groups * SHARED_THREADS >= target.busy_threads or edge == 1:
                return Tile(edge, edge, shared=True)
    edge = 8 if not target.software or c.batch * c.m * c.n * c.k >= WORTH_UNROLLING else 4
    m, n = _power_up_to(c.m, edge), _power_up_to(c.n, edge)
    while m * n > 1 and c.batch * -(-c.m // m) * -(-c.n // n) < target.busy_threads:
        if m >= n:
            m //= 2
        else:
            n //= 2
    return Tile(m, n, shared=False)


def _power_up_to(size: int, most: int) -> int:
    power = 1
    while power < most and power < size:
        power *= 2
    return power


def render_contraction(shader: Shader, target: Target) -> Rendered:
    """A kernel around a matrix product or a pass of a convolution."""
    assert shader.kernel.heavy is not None
    entry = shader.entries[shader.kernel.heavy]
    c = CONTRACTIONS[entry.op.name](shader.entries, entry, shader.lower)
    tile = choose_tile(c, target)
    render = _render_shared if tile.shared else _render_register
    rendered = render(shader, c, tile)
    if max(rendered.workgroups) > target.limits.max_workgroups:
        raise DeviceError(
            f"{entry.op.name}: expected at most {target.limits.max_workgroups} workgroups per dimension, "
            f"got {rendered.workgroups} for a result of {list(entry.shape)}; use a smaller batch"
        )
    return rendered


def _finish(shader: Shader, c: Contraction) -> list[str]:
    scopes = Scopes([["b", "m", "n", "element"]], prefix="e")
    heavy = c.out(variable("b", c.batch), variable("m", c.m), variable("n", c.n), scopes)

    def coords(store: int) -> Coords:
        shape = shader.entries[store].shape
        return heavy if shape == heavy.shape else heavy.reshaped(shape, scopes.bind)

    return shader.finish(coords, scopes, "acc")


def _render_register(shader: Shader, c: Contraction, tile: Tile) -> Rendered:
    rows, cols = [f"m{i}" for i in range(tile.m)], [f"n{j}" for j in range(tile.n)]
    scopes = Scopes([["b", *rows, *cols], ["k"]])
    b, k = variable("b", c.batch), variable("k", c.k)
    a_values = [c.a(b, variable(m, c.m), k, scopes) for m in rows]
    b_values = [c.b(b, k, variable(n, c.n), scopes) for n in cols]
    x, y = (8, 8) if c.m > tile.m else (64, 1)
    if c.n <= tile.n:
        x, y = 1, 64
    source = shader.render(
        "gemm/register.wgsl.j2",
        m=c.m,
        n=c.n,
        k=c.k,
        tile_m=tile.m,
        tile_n=tile.n,
        block=BLOCK if c.k > 4 * BLOCK else 0,
        workgroup=(x, y),
        outer=scopes.lines[0],
        inner=scopes.lines[1],
        a_values=a_values,
        b_values=b_values,
        finish=_finish(shader, c),
    )
    return Rendered(source=source, workgroups=(-(-c.n // (tile.n * x)), -(-c.m // (tile.m * y)), c.batch))


def _render_shared(shader: Shader, c: Contraction, tile: Tile) -> Rendered:
    scopes = Scopes([["b", "t", "row0", "col0"], ["k0"]])
    b = variable("b", c.batch)
    a_loads, b_loads = [], []
    for i in range(tile.m):  # 16 tile.m x 16 elements over 256 threads
        line, column = _fetch(i, 16 * tile.m, along_k=_reads_along_k(shader, c, 0))
        m = _clamped(scopes, f"row0 + {column}", c.m, 0)
        k, test = _k_position(scopes, line, c.k)
        value = c.a(b, variable(m, c.m), variable(k, c.k, frozenset((k,))), scopes)
        a_loads.append((line, column, _masked(value, test)))
    for j in range(tile.n):
        line, column = _fetch(j, 16 * tile.n, along_k=_reads_along_k(shader, c, 1))
        n = _clamped(scopes, f"col0 + {column}", c.n, 0)
        k, test = _k_position(scopes, line, c.k)
        value = c.b(b, variable(k, c.k, frozenset((k,))), variable(n, c.n), scopes)
        b_loads.append((line, column, _masked(value, test)))
    source = shader.render(
        "gemm/shared.wgsl.j2",
        m=c.m,
        n=c.n,
        k=c.k,
        tile_m=tile.m,
        tile_n=tile.n,
        depth=DEPTH,
        outer=scopes.lines[0],
        inner=scopes.lines[1],
        a_loads=a_loads,
        b_loads=b_loads,
        finish=_finish(shader, c),
    )
    return Rendered(source=source, workgroups=(-(-c.n // (16 * tile.n)), -(-c.m // (16 * tile.m)), c.batch))


def _reads_along_k(shader: Shader, c: Contraction, operand: int) -> bool:
    """Whether neighbours in memory are neighbours in k: then neighbouring threads take neighbouring k."""
    name = c.entry.op.name
    if name == "matmul":
        index = c.entry.args[operand]
        flipped = False
        while shader.entries[index].op.name in ("reshape", "permute", "expand", "slice"):
            e = shader.entries[index]
            if e.op.name == "permute" and e.attrs["dims"][-1] != len(e.attrs["dims"]) - 1:
                flipped = not flipped
            index = e.args[0]
        return (operand == 0) != flipped
    return {"conv2d": (False, True), "conv2d_input_grad": (False, True), "conv2d_weight_grad": (True, True)}[name][
        operand
    ]


def _fetch(i: int, width: int, *, along_k: bool) -> tuple[str, str]:
    """Which (k, m or n) of the tile a thread fetches in its ``i``-th turn, as expressions of t."""
    if along_k:
        return "(t % 16u)", f"(t / 16u + {16 * i}u)"
    if width <= SHARED_THREADS:
        return f"(t / {width}u + {i * SHARED_THREADS // width}u)", f"(t % {width}u)"
    raise AssertionError(width)


def _clamped(scopes: Scopes, text: str, size: int, level: int) -> str:
    name = scopes.bind(f"min({text}, {size - 1}u)", frozenset(("t",)))
    scopes.introduce(level, name)
    return name


def _k_position(scopes: Scopes, line: str, size: int) -> tuple[str, str | None]:
    if size % DEPTH == 0:
        name = scopes.bind(f"k0 + {line}", frozenset(("k0",)))
        scopes.introduce(1, name)
        return name, None
    raw = scopes.bind(f"k0 + {line}", frozenset(("k0",)))
    name = scopes.bind(f"min({raw}, {size - 1}u)", frozenset(("k0",)))
    scopes.introduce(1, name)
    return name, f"{raw} < {size}u"


def _masked(value: str, test: str | None) -> str:
    return f"select(0.0, {value}, {test})" if test else value


FAMILY = single("gemm", render_contraction)
