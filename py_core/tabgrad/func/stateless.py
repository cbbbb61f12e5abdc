"""Modules as functions of their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from tabgrad import ops
from tabgrad.errors import ArgumentError
from tabgrad.session import current
from tabgrad.tensor import Tensor

Tensors = Mapping[str, Tensor]


def functional_call(
    module: Any,
    parameter_and_buffer_dicts: Tensors | Sequence[Tensors],
    args: Any = None,
    kwargs: dict[str, Any] | None = None,
    *,
    tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """``module(*args, **kwargs)`` with other tensors in place of its parameters and buffers, until it returns.

    Args:
        module: an ``nn.Module``.
        parameter_and_buffer_dicts: tensors by the names of ``named_parameters()`` and ``named_buffers()``, or several
            such. Others stay.
        args: a tuple of arguments, or one argument.
        kwargs: keyword arguments.
        tie_weights: a parameter that has several names is replaced under all of them.
        strict: names must be those of the module, and all of them.

    Raises:
        ArgumentError: a name is in two of the dicts; or as ``strict`` says.
    """
    given = _merged(parameter_and_buffer_dicts)
    places = _places(module)
    if strict:
        known = {name for name, *_ in places}
        if known != given.keys():
            raise ArgumentError(
                f"functional_call: expected the names of the module, as strict=True; missing "
                f"{sorted(known - given.keys())}, unexpected {sorted(given.keys() - known)}"
            )
    positional = () if args is None else tuple(args) if isinstance(args, tuple) else (args,)
    with _replaced(places, given, tie_weights):
        return module(*positional, **(kwargs or {}))


def _merged(dicts: Any) -> dict[str, Tensor]:
    found: dict[str, Tensor] = {}
    for one in [dicts] if isinstance(dicts, Mapping) else dicts:
        twice = found.keys() & one.keys()
        if twice:
            raise ArgumentError(f"functional_call: expected each name in one dict, got {sorted(twice)} in several")
        found.update(one)
    for name, value in found.items():
        if not isinstance(value, Tensor):
            raise TypeError(f"functional_call: expected a tensor for {name!r}, got {type(value).__name__}")
    return found


Place = tuple[str, Any, dict[str, Any], str]
"""A name, the module that owns the tensor, its table, and the name there."""


def _places(module: Any) -> list[Place]:
    found: list[Place] = []
    for prefix, owner in module.named_modules():
        for table in (owner._parameters, owner._buffers):
            for name, tensor in table.items():
                if tensor is not None:
                    found.append((f"{prefix}.{name}" if prefix else name, owner, table, name))
    return found


@contextmanager
def _replaced(places: list[Place], given: Tensors, tie_weights: bool) -> Iterator[None]:
    tied = {id(table[key]): given[name] for name, _, table, key in places if name in given}
    recording = current().capturing()
    before: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for name, owner, table, key in places:
            value = given.get(name) if name in given or not tie_weights else tied.get(id(table[key]))
            if value is None:
                continue
            if recording is not None:
                recording.state.attribute_is_set(owner, key)  # what is read of it is not the module's
            before.append((table, key, table[key]))
            table[key] = value
        yield
    finally:
        for table, key, value in before:
            table[key] = value


def stack_module_state(models: Sequence[Any]) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """Parameters and buffers of models of one architecture, each stacked along a new first dimension: for ``vmap``.

    Returns:
        ``(parameters, buffers)``; parameters are new leaves, which require gradients as the first model's do.

    Raises:
        ArgumentError: there is no model, or they differ in class or training mode.
    """
    if not models:
        raise ArgumentError("stack_module_state: expected at least one model, got 0")
    if len({(type(m), m.training) for m in models}) > 1:
        raise ArgumentError("stack_module_state: expected models of the same class, all in training mode or none")
    states = [(dict(m.named_parameters()), dict(m.named_buffers())) for m in models]
    parameters = {
        name: ops.stack([p[name].detach() for p, _ in states], 0).requires_grad_(first.requires_grad)
        for name, first in states[0][0].items()
    }
    buffers = {name: ops.stack([b[name] for _, b in states], 0) for name in states[0][1]}
    return parameters, buffers


__all__ = ["functional_call", "stack_module_state"]
