"""What a kernel family offers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tabgrad.compiler.codegen.shader import Shader
from tabgrad.compiler.families.rendered import Rendered
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Variant
from tabgrad.graph.op import Heavy


@dataclass(frozen=True)
class Family:
    """Writes the kernels around one kind of heavy value; a shader is used for one call only."""

    lowering: type[Heavy] | None  # of those values; None of kernels without one
    variants: Callable[[Shader, Target], list[Variant]]  # all that are legal, the heuristic's choice first
    render: Callable[[Shader, Target, Variant], Rendered]
    quick: Callable[[Shader, Target], Variant] | None = None
    """Compiles much faster on GPUs than the heuristic's choice, its loops rolled."""


def single(lowering: type[Heavy], template: str, render: Callable[[Shader, Target], Rendered]) -> Family:
    """A family that writes each kernel in one way."""
    return Family(
        lowering,
        lambda shader, target: [Variant(template)],
        lambda shader, target, variant: render(shader, target),
    )
