"""One kernel's work, which can be written in several ways: what it computes is fixed, how is a variant."""

from __future__ import annotations

import hashlib
from functools import cached_property

from tabgrad.compiler.families import family_of
from tabgrad.compiler.families.rendered import Rendered
from tabgrad.compiler.instructions import instructions
from tabgrad.compiler.memory import Place
from tabgrad.compiler.schedule import Kernel
from tabgrad.compiler.shader import Shader
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Variant
from tabgrad.graph.linearize import Entry
from tabgrad.program import Binding, Instruction


class Work:
    """A kernel of a program, before a variant is chosen for it.

    Args:
        entries: the graph that the kernel is of.
        places: where each of its values lies.
        num_scalars: of the whole program.
    """

    def __init__(
        self, entries: list[Entry], kernel: Kernel, places: dict[int, list[Place]], num_scalars: int, target: Target
    ) -> None:
        self.entries = entries
        self.kernel = kernel
        self.target = target
        self._places = places
        self._num_scalars = num_scalars

    def _shader(self) -> Shader:
        return Shader(self.entries, self.kernel, self._places, self._num_scalars)

    @cached_property
    def bindings(self) -> tuple[Binding, ...]:
        """What the dispatch binds; the same for every variant."""
        return self._shader().bindings

    @cached_property
    def instructions(self) -> tuple[Instruction, ...]:
        """What the kernel computes, op by op."""
        return instructions(self.entries, self.kernel, self._shader())

    @cached_property
    def key(self) -> str:
        """Equal for kernels that compute the same from the same kinds of operands, in whichever program."""
        return hashlib.sha256(repr(self.instructions).encode()).hexdigest()[:24]

    def variants(self) -> list[Variant]:
        """All ways to write it on this adapter; the first is the heuristic's choice."""
        return family_of(self.entries, self.kernel).variants(self._shader(), self.target)

    def render(self, variant: Variant | None = None) -> Rendered:
        """The source and launch size; without a variant, the heuristic's choice.

        Raises:
            DeviceError: a launch exceeds the adapter's limits.
        """
        if not self.target.renders:
            return Rendered(source="", workgroups=(1, 1, 1))
        family, shader = family_of(self.entries, self.kernel), self._shader()
        return family.render(shader, self.target, variant or family.variants(shader, self.target)[0])
