"""Checks of an optimizer's saved state, before anything is changed."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from tabgrad.errors import ShapeError, TabgradError
from tabgrad.tensor import Tensor

Found = tuple[dict[str, Any], list[tuple[Tensor, dict[str, Any]]]]

_LATER: dict[str, Any] = {
    "foreach": None, "fused": None, "capturable": False, "differentiable": False, "maximize": False, "amsgrad": False,
    "nesterov": False, "decoupled_weight_decay": False,
}  # fmt: skip
"""Options that PyTorch has added since it has state dicts, and what older ones stand for."""


class Saved(Protocol):
    """An optimizer."""

    defaults: dict[str, Any]
    param_groups: list[dict[str, Any]]
    number_names: tuple[str, ...]
    counts_steps: bool

    def _shapes(self, group: Mapping[str, Any], parameter: Tensor) -> dict[str, tuple[int, ...]]: ...


def check_layout(groups: Sequence[Mapping[str, Any]], saved: Any) -> None:
    """Look at the layout of a state dict, beside what an optimizer keeps for each parameter.

    Raises:
        TabgradError: it is not one of an optimizer over as many parameters.
    """
    if not isinstance(saved, Mapping) or not {"state", "param_groups"} <= set(saved):
        got = f"one with {sorted(map(str, saved))}" if isinstance(saved, Mapping) else type(saved).__name__
        raise TabgradError(
            f"load_state_dict: expected a dict with 'state' and 'param_groups', as an optimizer's state_dict() is, "
            f"got {got}"
        )
    state, entries = saved["state"], saved["param_groups"]
    fits = isinstance(state, Mapping) and isinstance(entries, Sequence)
    if not fits or not all(isinstance(e, Mapping) and isinstance(e.get("params"), Sequence) for e in entries):
        raise TabgradError(
            "load_state_dict: expected 'state' as a dict and 'param_groups' as a list of dicts with 'params', got "
            f"{type(state).__name__} and {type(entries).__name__}"
        )
    if [len(e["params"]) for e in entries] != [len(g["params"]) for g in groups]:
        raise TabgradError(
            f"load_state_dict: expected groups of {[len(g['params']) for g in groups]} parameters, "
            f"got {[len(e['params']) for e in entries]}"
        )


def checked_state(optimizer: Saved, saved: Mapping[str, Any]) -> list[Found]:
    """The hyperparameters of each parameter group, and its parameters with their state.

    Raises:
        TabgradError: not a state of an optimizer of this class over parameters of these shapes.
    """
    pairs = zip(optimizer.param_groups, saved["param_groups"], strict=True)
    return [_group(optimizer, g, e, saved["state"]) for g, e in pairs]


def _group(optimizer: Saved, group: Mapping[str, Any], entry: Mapping[str, Any], state: Mapping[Any, Any]) -> Found:
    whole = {**{name: value for name, value in _LATER.items() if name in optimizer.defaults}, **entry}
    missing = [name for name in optimizer.defaults if name not in whole]
    if missing:
        raise TabgradError(
            f"load_state_dict: expected the hyperparameters {', '.join(optimizer.defaults)}, got none named "
            f"{', '.join(missing)}; the state is of another kind of optimizer"
        )
    hyper = {name: _plain(value) for name, value in whole.items() if name != "params"}
    found = [
        (p, _pieces(optimizer, p, state[i], optimizer._shapes(hyper, p)))
        for p, i in zip(group["params"], entry["params"], strict=True)
        if i in state and not _is_empty(state[i])
    ]
    return hyper, found


def _plain(value: Any) -> Any:
    """A hyperparameter; one that is a tensor of PyTorch's becomes a number."""
    if hasattr(value, "is_sparse") and hasattr(value, "item") and not isinstance(value, Tensor):
        return value.item()
    return copy.deepcopy(value)


def _is_empty(pieces: Any) -> bool:
    """Whether a parameter has no state yet."""
    return isinstance(pieces, Mapping) and (not pieces or all(value is None for value in pieces.values()))


def _pieces(optimizer: Saved, p: Tensor, pieces: Any, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    names = ("step",) * optimizer.counts_steps + optimizer.number_names + tuple(shapes)
    if not isinstance(pieces, Mapping) or not set(names) <= set(pieces):
        got = sorted(map(str, pieces)) if isinstance(pieces, Mapping) else type(pieces).__name__
        raise TabgradError(
            f"load_state_dict: expected the state of a parameter as {', '.join(names)}, got {got}; "
            f"the state is of another kind of optimizer"
        )
    checked: dict[str, Any] = {"step": 1}
    if optimizer.counts_steps:
        whole = _number("step", pieces["step"])
        if not whole.is_integer() or whole < 0:
            raise TabgradError(f"load_state_dict: expected step as a whole number >= 0, got {whole}")
        checked["step"] = int(whole)
    for name in optimizer.number_names:
        checked[name] = _number(name, pieces[name])
    for name, shape in shapes.items():
        value = pieces[name]
        found: Any = value if isinstance(value, Tensor) else np.asarray(value)
        if not (value.dtype.is_floating_point if isinstance(value, Tensor) else found.dtype.kind in "fiu"):
            raise TabgradError(f"load_state_dict: expected {name} as numbers, got {type(value).__name__}")
        if tuple(found.shape) != tuple(shape):
            raise ShapeError(f"load_state_dict: expected {name} {list(shape)}, got {list(found.shape)}")
        checked[name] = found
    return checked


def _number(name: str, value: Any) -> float:
    try:
        return float(value.item() if hasattr(value, "item") else value)
    except (TypeError, ValueError) as error:
        raise TabgradError(f"load_state_dict: expected {name} as a number, got {type(value).__name__}") from error


__all__ = ["check_layout", "checked_state"]
