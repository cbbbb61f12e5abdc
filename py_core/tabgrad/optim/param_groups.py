"""Parameter groups as users give them: tensors, named tensors, or dicts with hyperparameters of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tabgrad.errors import ArgumentError, ArgumentTypeError, TabgradError
from tabgrad.tensor import Tensor

required: Any = object()
"""A default of hyperparameters that each group must have."""

_MISTAKEN = {"learning_rate": "lr"}
"""What would be a hyperparameter under another name."""


def groups_of(params: Any) -> list[dict[str, Any]]:
    """The first argument of an optimizer as groups.

    Raises:
        TypeError: neither tensors nor groups.
        TabgradError: there are none.
    """
    if isinstance(params, Tensor) or not isinstance(params, Iterable):
        raise TypeError(
            f"optimizer: expected parameters (model.parameters(), or a list of tensors or of groups), "
            f"got {type(params).__name__}"
        )
    groups = list(params)
    if not groups:
        raise TabgradError("optimizer: expected parameters, got an empty list")
    return groups if isinstance(groups[0], dict) else [{"params": groups}]


def completed(group: Any, defaults: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A group with all hyperparameters, its parameters as a list, and their names, if it has some, as another.

    Args:
        others: groups that the optimizer has.

    Raises:
        TabgradError: a parameter is not a leaf, is given twice, or some have names and others do not.
        TypeError: no group, or its parameters have no order.
    """
    if not isinstance(group, dict) or "params" not in group:
        got = f"a dict with {sorted(map(str, group))}" if isinstance(group, dict) else type(group).__name__
        raise TypeError(f"optimizer: expected a group as a dict with 'params', got {got}")
    given = group["params"]
    if not isinstance(given, Iterable) or isinstance(given, set | frozenset):
        raise TypeError(f"optimizer: expected 'params' as a list of tensors, got {type(given).__name__}")
    entries = [given] if isinstance(given, Tensor) else list(given)
    if not entries:
        raise TabgradError("optimizer: expected parameters, got a group without any")
    for name in _MISTAKEN.keys() & group.keys():
        if _MISTAKEN[name] in defaults and name not in defaults:
            raise TabgradError(f"optimizer: expected {', '.join(defaults)} in a group, got {name}")
    names = [entry[0] for entry in entries if isinstance(entry, tuple)]
    params = [entry[1] if isinstance(entry, tuple) else entry for entry in entries]
    whole = {**group, "params": params}
    if names:
        if len(names) != len(params):
            raise ArgumentError("optimizer: expected names for all parameters or for none, got some without a name")
        whole["param_names"] = names
    for other in others:
        if ("param_names" in other) != ("param_names" in whole):
            got = "with" if names else "without"
            raise ArgumentError(
                f"optimizer: expected all groups with names of parameters, or all without, got another one {got} names"
            )
    _check(params, {id(p) for other in others for p in other["params"]})
    for name, value in defaults.items():
        if value is required and name not in whole:
            raise ArgumentError(f"optimizer: expected {name} in each group, got one without")
        whole.setdefault(name, value)
    lr = whole.get("lr")
    if isinstance(lr, Tensor) and lr.numel() != 1:
        raise ArgumentError(f"optimizer: expected lr as a number or a tensor of one element, got {list(lr.shape)}")
    return whole


def _check(params: Sequence[Any], seen: set[int]) -> None:
    for p in params:
        if not isinstance(p, Tensor) or not p.is_leaf:
            got = "the result of an op" if isinstance(p, Tensor) else type(p).__name__
            raise ArgumentTypeError(f"optimizer: expected leaf tensors (parameters), got {got}")
        if not p.dtype.is_floating_point:
            raise TabgradError(f"optimizer: expected float32 parameters, got one of {p.dtype.name}")
        if id(p) in seen:
            raise TabgradError(f"optimizer: expected each parameter once, got one of shape {list(p.shape)} twice")
        seen.add(id(p))


__all__ = ["completed", "groups_of", "required"]
