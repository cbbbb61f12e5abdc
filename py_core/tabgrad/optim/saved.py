"""Checks of an optimizer's saved state, before anything is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tabgrad.errors import ShapeError, TabgradError
from tabgrad.tensor import Tensor

Found = tuple[dict[str, Any], list[tuple[Tensor, dict[str, Any]]]]


def checked_state(
    groups: Sequence[dict[str, Any]], defaults: Mapping[str, Any], names: Sequence[str], saved: Any
) -> list[Found]:
    """The hyperparameters of each parameter group, and its parameters with their state.

    Args:
        groups, defaults, names: the optimizer's parameter groups, default hyperparameters and state names.

    Raises:
        TabgradError: not a state of an optimizer of this class over parameters of these shapes.
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
    return [_group(g, e, state, defaults, names) for g, e in zip(groups, entries, strict=True)]


def _group(
    group: Mapping[str, Any], entry: Mapping[str, Any], state: Mapping[Any, Any], defaults: Mapping[str, Any],
    names: Sequence[str],
) -> Found:  # fmt: skip
    missing = [name for name in defaults if name not in entry]
    if missing:
        raise TabgradError(
            f"load_state_dict: expected the hyperparameters {', '.join(defaults)}, got none named "
            f"{', '.join(missing)}; the state is of another kind of optimizer"
        )
    found = [
        (p, _pieces(p, state[i], names)) for p, i in zip(group["params"], entry["params"], strict=True) if i in state
    ]
    return {name: entry[name] for name in defaults}, found


def _pieces(p: Tensor, pieces: Any, names: Sequence[str]) -> dict[str, Any]:
    if not isinstance(pieces, Mapping) or not {"step", *names} <= set(pieces):
        got = sorted(map(str, pieces)) if isinstance(pieces, Mapping) else type(pieces).__name__
        raise TabgradError(
            f"load_state_dict: expected the state of a parameter as {', '.join(('step', *names))}, got {got}; "
            f"the state is of another kind of optimizer"
        )
    step = pieces["step"]
    whole = float(step.item() if hasattr(step, "item") else step)
    if not whole.is_integer() or whole < 0:
        raise TabgradError(f"load_state_dict: expected step as a whole number >= 0, got {step!r}")
    checked: dict[str, Any] = {"step": int(whole)}
    for name in names:
        value = pieces[name]
        array = np.asarray(value.numpy() if isinstance(value, Tensor) else value)
        if array.dtype.kind not in "fiu":
            raise TabgradError(f"load_state_dict: expected {name} as numbers, got {type(value).__name__}")
        if array.shape != p.shape:
            raise ShapeError(f"load_state_dict: expected {name} {list(p.shape)}, got {list(array.shape)}")
        checked[name] = array
    return checked


__all__ = ["checked_state"]
