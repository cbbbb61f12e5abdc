"""One kernel's work, which can be written in several ways: what it computes is fixed, how is a variant."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import replace
from functools import cached_property

from tabgrad.compiler.codegen.instructions import instructions
from tabgrad.compiler.codegen.outline import Outline
from tabgrad.compiler.codegen.rolled import rolled
from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families import family_of
from tabgrad.compiler.families.rendered import Rendered
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Choose, Variant, heuristic
from tabgrad.program import Instruction

MOST_WORKS = 512  # kept
MOST_RENDERED = 2  # variants of one kernel that are kept: the heuristic's, and the fastest


class Work:
    """A kernel before a variant is chosen for it. Kernels that are equal but for their memory share one."""

    def __init__(self, outline: Outline, target: Target) -> None:
        self.outline = outline
        self.target = target
        self.instructions: tuple[Instruction, ...] = instructions(outline)  # what the kernel computes, op by op
        self._variants: list[Variant] | None = None
        self._rendered: dict[Variant | None, Rendered] = {}

    @cached_property
    def key(self) -> str:
        """Equal for kernels that compute the same and are written alike for an adapter, in whichever program."""
        outline = self.outline
        return _hash(self.instructions, outline.ports, outline.num_scalars)

    @property
    def identity(self) -> Hashable:
        """Equal for works whose variants and sources are the same."""
        return self.key, self.target

    def variants(self) -> list[Variant]:
        """All ways to write it on this adapter; the first is the heuristic's choice."""
        if self._variants is None:
            self._variants = family_of(self.outline).variants(Shader(self.outline), self.target)
        return self._variants

    @cached_property
    def quick(self) -> Rendered | None:
        """The way for a program's first steps, if there is one that compiles faster than the heuristic's choice."""
        family = family_of(self.outline)
        if family.quick is None or self.target.software or not self.target.renders:
            return None
        variant = family.quick(Shader(self.outline), self.target)
        rendered = family.render(Shader(self.outline), self.target, variant)
        return replace(rendered, source=rolled(rendered.source))

    def measured(self, choose: Choose) -> Variant | None:
        """The variant that measurements chose; None for the heuristic's, also where another source was measured."""
        if choose is heuristic or not self.target.renders:
            return None
        found = choose(self.key)
        if found is None or found.variant not in self.variants():
            return None
        return found.variant if self.fingerprint(found.variant) == found.fingerprint else None

    def fingerprint(self, variant: Variant) -> str:
        """Equal as long as the variant is written in the same way, and has the same others to compete with."""
        rendered = self.render(variant)
        return _hash(rendered.source, rendered.workgroups, sorted(map(str, self.variants())))

    def render(self, variant: Variant | None = None) -> Rendered:
        """The source and launch size; without a variant, the heuristic's choice.

        Raises:
            DeviceError: a launch exceeds the adapter's limits.
        """
        if not self.target.renders:
            return Rendered(source="", workgroups=(1, 1, 1))
        found = self._rendered.pop(variant, None)
        if found is None:
            found = family_of(self.outline).render(Shader(self.outline), self.target, variant or self.variants()[0])
        self._rendered[variant] = found  # last: the one asked for longest ago is dropped first
        if len(self._rendered) > MOST_RENDERED:
            del self._rendered[next(iter(self._rendered))]
        return found


def _hash(*what: object) -> str:
    return hashlib.sha256(repr(what).encode()).hexdigest()[:24]


class Works:
    """The works that were asked for last."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Work] = {}

    def of(self, outline: Outline, target: Target) -> Work:
        """The work of a kernel: the one that is known, if there is one."""
        work = Work(outline, target)
        found = self._known.pop(work.identity, work)
        self._known[work.identity] = found  # last, as above
        if len(self._known) > MOST_WORKS:
            del self._known[next(iter(self._known))]
        return found
