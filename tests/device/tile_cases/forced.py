"""Which variant of a kernel has to run, whatever the compiler would choose for this adapter and these sizes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from device.op_cases import OpCase
from device.patched import Change, patched
from sessions import gpu, session_on
from tabgrad.compiler.families import attention, attention_tiles, gemm, tiled
from tabgrad.compiler.families.attention_tiles import Choice
from tabgrad.compiler.families.tiled import Tile
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Variant
from tabgrad.compiler.work import Work


@dataclass(frozen=True, kw_only=True)
class Forced:
    """Changes to the compiler, and what they must lead to.

    ``family`` begins the names of the templates in question; each kernel of theirs must have one of the templates in
    ``templates``, and be ``variant``, if there is one.
    """

    name: str
    family: str
    templates: tuple[str, ...]
    changes: tuple[Change, ...] = ()
    variant: Variant | None = None

    @contextmanager
    def active(self) -> Iterator[None]:
        """Programs compiled inside are for a GPU, and have the variant; none are shared with the outside."""
        with session_on(target=gpu), patched(*self.changes):
            yield

    def check(self, works: tuple[Work, ...]) -> None:
        """Raise AssertionError unless these kernels are what was asked for; call it while it is active."""
        chosen = [work.variants()[0] for work in works]
        ours = [v for v in chosen if v.template.startswith(self.family)]
        assert ours, f"no kernel is of {self.family}: {[str(v) for v in chosen]}"
        wrong = [str(v) for v in ours if v.template not in self.templates or self.variant not in (None, v)]
        assert not wrong, f"expected {self.name}, got {wrong}"


@dataclass(frozen=True, kw_only=True)
class TileCase:
    """An op case that runs in one variant; its kernels' loops and guards depend on the two together."""

    case: OpCase
    forced: Forced

    @property
    def name(self) -> str:
        return f"{self.case.name} in {self.forced.name}"


def tile(which: Tile) -> Forced:
    """Every contraction in this tile, the smallest ones too."""
    shape = "{}x{}x{} by {}x{}".format(*which.shape)
    more = [f"{name} {value}" for name, value, usual in _extras(which) if value != usual]
    return Forced(
        name=", ".join([shape, *more]),
        family="gemm/",
        templates=(tiled.TEMPLATE,),
        changes=((tiled, "TILES", (which,)), (Tile, "suits", lambda self, c: True), (gemm, "LEAST_TILED", 0)),
        variant=which.variant(),
    )


def _extras(which: Tile) -> list[tuple[str, int, int]]:
    return [("stages", which.stages, 2), ("swizzle", which.swizzle, 1), ("unroll", which.unroll, which.bk)]


ANY_TILE = Forced(name="the tile of its size", family="gemm/", templates=(tiled.TEMPLATE,))


def attention_choice(name: str, choice: Choice, *, alone: bool) -> Forced:
    """Attention with a choice; unless it is ``alone``, with the last one for what that does not fit."""
    return Forced(
        name=name,
        family="attention/",
        templates=(attention.TILES,),
        changes=(
            (attention_tiles, "CHOICES", (choice,) if alone else (choice, attention_tiles.CHOICES[-1])),
            (Target, "busy_threads", 1),
        ),
        variant=choice.variant() if alone else None,
    )
