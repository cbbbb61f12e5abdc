"""State dicts of optimizers, in PyTorch's layout, and the hooks of users."""

from __future__ import annotations

import copy
import types
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np

from tabgrad.autograd import no_grad
from tabgrad.optim.group_parts import Part, Parts
from tabgrad.optim.hooks import HookHandle, OptimizerHooks
from tabgrad.optim.saved import check_layout, checked_state
from tabgrad.optim.state_map import Layout, StateMap
from tabgrad.runtime.dependencies import used
from tabgrad.runtime.evaluation import realize_all
from tabgrad.runtime.reads import read
from tabgrad.session import Session, current
from tabgrad.tensor import Tensor, session_of


class SavedState:
    """What an optimizer remembers, saves and loads."""

    defaults: dict[str, Any]
    param_groups: list[dict[str, Any]]
    number_names: tuple[str, ...]
    counts_steps: bool
    part_kind: type[Part]
    _flat: list[Parts]
    _state: Any

    # What the optimizer says

    def _has_update(self) -> bool:
        raise NotImplementedError

    def _starts(self, group: Mapping[str, Any]) -> dict[str, Any]:
        raise NotImplementedError

    def _check(self, group: dict[str, Any]) -> None:
        raise NotImplementedError

    def _session(self) -> Session:
        raise NotImplementedError

    def _shapes(self, group: Mapping[str, Any], parameter: Tensor) -> dict[str, tuple[int, ...]]:
        """The state tensors of a parameter."""
        return dict.fromkeys(self._starts(group), parameter.shape)

    def _loaded(self, part: Part) -> None:
        """A part's state was loaded: set what follows from it."""

    @property
    def state(self) -> Any:
        """What it keeps for each parameter: a dict of dicts, which show the memory itself."""
        if not self._has_update():
            return self._state
        return StateMap(Layout(self.counts_steps, self.number_names, self._pairs))

    @state.setter
    def state(self, state: Any) -> None:
        if not self._has_update():
            self._state = state
        elif state:
            raise NotImplementedError(
                f"{type(self).__name__}: expected an empty state, which starts anew, got one of {len(state)} "
                f"parameters; use load_state_dict()"
            )
        else:
            self._flat = [Parts(self.part_kind) for _ in self.param_groups]

    def _pairs(self) -> list[tuple[dict[str, Any], Parts]]:
        return list(zip(self.param_groups, self._flat, strict=True))

    # Saving

    def state_dict(self) -> dict[str, Any]:
        """Hyperparameters, and the state of each parameter by its index: tensors, copies of what is kept now."""
        for hook in list(self._hooks.before_saving.values()):
            hook(self)
        with session_of(p for group in self.param_groups for p in group["params"]) or current():
            saved = self._saved()
            realize_all(_tensors(saved["state"]))
        return self._hooks.replaced(self._hooks.after_saving, self, saved)

    async def state_dict_async(self) -> dict[str, Any]:
        """As :meth:`state_dict`, with NumPy arrays in place of tensors; does not block the event loop."""
        saved = self.state_dict()
        tensors = _tensors(saved["state"])
        arrays = await read(*tensors) if tensors else []
        found = {id(t): a for t, a in zip(tensors, arrays, strict=True)}
        state = {
            key: {n: found.get(id(v), v) for n, v in entry.items()} if isinstance(entry, Mapping) else entry
            for key, entry in saved["state"].items()
        }
        return {**saved, "state": state}

    def _saved(self) -> dict[str, Any]:
        indices: dict[int, int] = {}
        groups = []
        for group in self.param_groups:
            first = len(indices)
            indices.update({id(p): first + n for n, p in enumerate(group["params"])})
            others = {k: v for k, v in group.items() if k != "params"}
            groups.append({**others, "params": [indices[id(p)] for p in group["params"]]})
        if not self._has_update():
            state = {indices[id(k)] if isinstance(k, Tensor) else k: v for k, v in self._state.items()}
            return {"state": state, "param_groups": groups}
        found = {}
        with no_grad():
            for parts in self._flat:
                for part in parts:
                    for n, p in enumerate(part.parameters):
                        entry = self._entry(part, n)
                        if entry:
                            found[indices[id(p)]] = entry
        return {"state": dict(sorted(found.items())), "param_groups": groups}

    def _entry(self, part: Part, index: int) -> dict[str, Any]:
        """The state of one parameter."""
        entry: dict[str, Any] = {"step": Tensor._of(float(part.steps))} if self.counts_steps else {}
        entry |= {n: Tensor._of(float(part.numbers[n])) for n in self.number_names if n in part.numbers}
        pieces = {name: part.piece(name, index) for name in part.names}
        return entry | {name: piece.clone() for name, piece in pieces.items() if piece is not None}

    # Loading

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from :meth:`state_dict`, of this optimizer or of PyTorch's (tensors or arrays).

        Raises:
            TabgradError: the groups, their hyperparameters or a shape differ; nothing is changed.
        """
        saved: Any = copy.copy(state_dict)
        saved = self._hooks.replaced(self._hooks.before_loading, self, saved)
        check_layout(self.param_groups, saved)
        if self._has_update():
            self._load(saved)
        else:
            self._load_own(saved)
        for hook in list(self._hooks.after_loading.values()):
            hook(self)

    def _load(self, saved: dict[str, Any]) -> None:
        loaded = checked_state(self, saved)
        for hyper, _ in loaded:
            self._check(hyper)
        with self._session().lock, no_grad():
            for group, parts, (hyper, found) in zip(self.param_groups, self._flat, loaded, strict=True):
                _replace(group, hyper)
                with_state = {id(p) for p, _ in found}
                parts.forget([p for p in group["params"] if id(p) not in with_state])
                alike: dict[Any, dict[int, dict[str, Any]]] = {}
                for p, pieces in found:
                    key = (pieces["step"], *(pieces[n] for n in self.number_names))
                    alike.setdefault(key, {})[id(p)] = pieces
                for (steps, *numbers), of in alike.items():
                    for part in parts.over([p for p, _ in found if id(p) in of], self._starts(group)):
                        part.steps = steps
                        part.numbers.update(zip(self.number_names, numbers, strict=True))
                        for name in part.names:
                            part.load(name, [of[id(p)].get(name) for p in part.parameters])
                        self._loaded(part)

    def _load_own(self, saved: dict[str, Any]) -> None:
        """Into a dict that the user's own code keeps."""
        params = [p for group in self.param_groups for p in group["params"]]
        indices = [i for entry in saved["param_groups"] for i in entry["params"]]
        places = dict(zip(indices, params, strict=True))
        state: Any = defaultdict(dict)
        with no_grad():
            for key, value in saved["state"].items():
                state[places.get(key, key)] = _cast(value, places.get(key))
        for group, entry in zip(self.param_groups, saved["param_groups"], strict=True):
            _replace(group, {k: copy.deepcopy(v) for k, v in entry.items() if k != "params"})
        self._state = state

    # Copies

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state_dict()["state"], "param_groups": self.param_groups}

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """An optimizer over copies of the parameters: those of a model that is copied together with it."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made._prepare(copy.deepcopy(self.defaults, memo))
        own = {k: v for k, v in self.__dict__.items() if k not in made.__dict__ and k != "step"}
        made.__dict__.update(copy.deepcopy(own, memo))
        made.param_groups = copy.deepcopy(self.param_groups, memo)
        made._flat = [Parts(self.part_kind) for _ in made.param_groups]
        state = self.state_dict()
        if state["state"]:
            made.load_state_dict(state if self._has_update() else {**state, "state": copy.deepcopy(state["state"])})
        return made

    def _prepare(self, defaults: dict[str, Any]) -> None:
        raise NotImplementedError

    # Hooks

    def _begin_hooks(self) -> None:
        self._hooks = OptimizerHooks()

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(optimizer, args, kwargs)`` before each step; it may return other ``(args, kwargs)``.

        A compiled step calls it when it is recorded, not when it is replayed.
        """
        self._hook_step()
        return HookHandle(self._hooks.before_step, hook, listed=self._hooks.around_steps)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> HookHandle:
        """Call ``hook(optimizer, args, kwargs)`` after each step; of a compiled one when it is recorded."""
        self._hook_step()
        return HookHandle(self._hooks.after_step, hook, listed=self._hooks.around_steps)

    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> HookHandle:
        """Call ``hook(optimizer)`` before each :meth:`state_dict`."""
        return HookHandle(self._hooks.before_saving, hook, prepend=prepend)

    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> HookHandle:
        """Call ``hook(optimizer, state_dict)`` after each :meth:`state_dict`; it may return another one."""
        return HookHandle(self._hooks.after_saving, hook, prepend=prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> HookHandle:
        """Call ``hook(optimizer, state_dict)`` before each :meth:`load_state_dict`; it may return another one."""
        return HookHandle(self._hooks.before_loading, hook, prepend=prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> HookHandle:
        """Call ``hook(optimizer)`` after each :meth:`load_state_dict`."""
        return HookHandle(self._hooks.after_loading, hook, prepend=prepend)

    def _hook_step(self) -> None:
        """From now on hooks are called around steps, also those of a subclass."""
        if "step" in self.__dict__:
            return

        def step(self: Any, *args: Any, **kwargs: Any) -> Any:
            for hook in self._hooks.around_steps:
                used(hook)
            return self._hooks.step(self, types.MethodType(type(self).step, self), args, kwargs)

        self.__dict__["step"] = types.MethodType(step, self)


def _tensors(state: Mapping[Any, Any]) -> list[Tensor]:
    entries = [entry for entry in state.values() if isinstance(entry, Mapping)]
    return [value for entry in entries for value in entry.values() if isinstance(value, Tensor)]


def _replace(group: dict[str, Any], hyper: Mapping[str, Any]) -> None:
    """Give a group other hyperparameters; the parameters stay, and so do their names if there are no others."""
    kept = {k: v for k, v in group.items() if k in ("params", "param_names")}
    group.clear()
    group.update(kept)
    group.update(hyper)
    group["params"] = kept["params"]


def _cast(value: Any, parameter: Tensor | None, name: Any = None) -> Any:
    """A copy of what a state dict holds, with tensors of the parameter's dtype."""
    if isinstance(value, Mapping):
        return {k: _cast(v, parameter, k) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([_cast(v, parameter) for v in value])
    if isinstance(value, np.ndarray | np.generic) or hasattr(value, "is_sparse"):  # an array, or a tensor of PyTorch's
        value = value if isinstance(value, Tensor) else Tensor._of(np.asarray(value))
    if isinstance(value, Tensor) and parameter is not None and name != "step" and parameter.dtype.is_floating_point:
        return value.detach().to(parameter.dtype)
    return value


__all__ = ["SavedState"]
