"""Gradients, and products of vectors with Jacobians on either side, of functions of nested tensors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from tabgrad import ops
from tabgrad.autograd.gradients import grad as gradients
from tabgrad.errors import ArgumentError, GradError, ShapeError
from tabgrad.func.levels import Level
from tabgrad.grad_mode import enable_grad
from tabgrad.tensor import Tensor
from tabgrad.trees import in_place_of, tensors_of

Argnums = int | tuple[int, ...]


def chosen(caller: str, args: Sequence[Any], argnums: Argnums) -> list[int]:
    """Which arguments are differentiated by.

    Raises:
        ArgumentError: there are no such.
    """
    found = [argnums] if isinstance(argnums, int) else list(argnums)
    for n in found:
        if not isinstance(n, int) or not -len(args) <= n < len(args):
            raise ArgumentError(f"{caller}: expected argnums among {len(args)} positional arguments, got {argnums!r}")
    return [n % len(args) for n in found]


def with_variables(level: Level, args: Sequence[Any], places: Sequence[int]) -> list[Any]:
    """The arguments, of which those at some places are the level's variables."""
    return [level.variables(a) if n in places else a for n, a in enumerate(args)]


def split_aux(caller: str, found: Any, has_aux: bool) -> tuple[Any, Any]:
    """A function's result, and what else it returns.

    Raises:
        TypeError: it is no pair.
    """
    if not has_aux:
        return found, None
    if not isinstance(found, tuple) or len(found) != 2:
        raise TypeError(f"{caller}: expected a function that returns (output, aux), as has_aux=True, got {found!r}")
    return found


def gradients_of(outputs: Sequence[Tensor], inputs: Sequence[Tensor], seeds: Sequence[Tensor | None]) -> list[Tensor]:
    """Recorded; zeros where nothing depends on an input."""
    pairs = [(o, s) for o, s in zip(outputs, seeds, strict=True) if o.requires_grad]
    if not pairs:
        return [ops.zeros_like(t) for t in inputs]
    roots, given = zip(*pairs, strict=True)
    found = gradients(
        list(roots), list(inputs), list(given), create_graph=True, allow_unused=True, materialize_grads=True
    )
    return [t for t in found if t is not None]


def grad(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """A function that returns the gradient of ``func``, which returns a scalar, by its arguments ``argnums``.

    Args:
        func: of tensors, or of nested tuples, lists and dicts of such.
        argnums: one, whose structure the gradient has; or several.
        has_aux: ``func`` returns ``(scalar, aux)``; so does the gradient.

    Raises, when it is called:
        GradError: the result is no scalar.
    """
    both = grad_and_value(func, argnums, has_aux)

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        found, value = both(*args, **kwargs)
        return (found, value[1]) if has_aux else found

    return wrapper


def grad_and_value(func: Callable[..., Any], argnums: Argnums = 0, has_aux: bool = False) -> Callable[..., Any]:
    """As :func:`grad`; the function returns ``(gradient, value)``, or ``(gradient, (value, aux))``."""

    @functools.wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        places = chosen("grad", args, argnums)
        level = Level("grad")
        with enable_grad():
            given = with_variables(level, args, places)
            value, aux = split_aux("grad", func(*given, **kwargs), has_aux)
            if not isinstance(value, Tensor):
                raise TypeError(f"grad: expected a function that returns a tensor, got {type(value).__name__}")
            if value.ndim:
                raise GradError(
                    f"grad: expected a function that returns a scalar tensor, got shape {list(value.shape)}; "
                    f"use vjp or jacrev"
                )
            asked = [given[n] for n in places]
            found = in_place_of(gradients_of([value], list(tensors_of(asked)), [None]), asked)
        result, value, aux = level.results((found, value, aux))
        picked = result[0] if isinstance(argnums, int) else tuple(result)
        return picked, ((value, aux) if has_aux else value)

    return wrapper


def vjp(func: Callable[..., Any], *primals: Any, has_aux: bool = False) -> Any:
    """``func(*primals)``, and a function of vectors that multiplies them with the Jacobian from the left.

    Returns:
        ``(output, vjp_fn)`` or ``(output, vjp_fn, aux)``. ``vjp_fn``, given what has the structure of the output,
        returns a tuple with what has the structure of each primal. It may be called several times.
    """
    level = Level("vjp")
    with enable_grad():
        given = level.variables(primals)
        output, aux = split_aux("vjp", func(*given), has_aux)
    outputs = list(tensors_of(output))

    def vjp_fn(cotangents: Any, retain_graph: bool = True, create_graph: bool | None = None) -> Any:
        vectors = list(tensors_of(cotangents))
        if [v.shape for v in vectors] != [o.shape for o in outputs]:
            raise ShapeError(
                f"vjp: expected vectors as the output, {[list(o.shape) for o in outputs]}, got "
                f"{[list(v.shape) for v in vectors]}"
            )
        with enable_grad():
            found = in_place_of(gradients_of(outputs, list(tensors_of(given)), vectors), given)
        return level.results(found)

    shown = level.results(output)
    return (shown, vjp_fn, level.results(aux)) if has_aux else (shown, vjp_fn)


def jvp(
    func: Callable[..., Any], primals: tuple[Any, ...], tangents: tuple[Any, ...], *, strict: bool = False,
    has_aux: bool = False,
) -> Any:  # fmt: skip
    """``func(*primals)``, and the product of its Jacobian with ``tangents``.

    Through two backward passes: ``func`` is differentiated twice, which ops without a second derivative refuse.

    Args:
        func: of tensors, or of nested tuples, lists and dicts of such.
        primals: its arguments.
        tangents: of their structure.
        strict: raise where an output does not depend on the primals, in place of zeros.
        has_aux: ``func`` returns ``(output, aux)``; aux is the third result.

    Raises:
        GradError: as ``strict`` says.
        ShapeError: the shapes of primals and tangents differ.
    """
    if not isinstance(primals, tuple | list) or not isinstance(tangents, tuple | list):
        raise TypeError(f"jvp: expected primals and tangents as tuples, got {type(primals).__name__}")
    level = Level("jvp")
    with enable_grad():
        given = level.variables(tuple(primals))
        output, aux = split_aux("jvp", func(*given), has_aux)
        outputs, inputs, vectors = list(tensors_of(output)), list(tensors_of(given)), list(tensors_of(tangents))
        if [v.shape for v in vectors] != [i.shape for i in inputs]:
            raise ShapeError(
                f"jvp: expected tangents as the primals, {[list(i.shape) for i in inputs]}, got "
                f"{[list(v.shape) for v in vectors]}"
            )
        if strict and not all(o.requires_grad for o in outputs):
            raise GradError("jvp: expected outputs that depend on the primals, as strict=True, got one that does not")
        products = forward_product(outputs, inputs, vectors)
    shown = level.results((output, in_place_of(products, output)))
    return (*shown, level.results(aux)) if has_aux else shown


def forward_product(outputs: Sequence[Tensor], inputs: Sequence[Tensor], tangents: Sequence[Tensor]) -> list[Tensor]:
    """Of the Jacobian and tangents: the derivative of the product from the left, which is linear, by its vector.

    Source: Townsend 2017, "A new trick for calculating Jacobian vector products".
    """
    dummies = [ops.zeros_like(o).requires_grad_() for o in outputs]
    return gradients_of(gradients_of(outputs, inputs, dummies), dummies, tangents)


__all__ = ["grad", "grad_and_value", "jvp", "vjp"]
