"""Public functions called with whatever comes: errors are sentences of ours, never from inside."""

from __future__ import annotations

import inspect
import random
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from daily import daily_random
from tabgrad import data, errors, nn, ops, optim, train
from tabgrad.nn import functional, init, utils
from tabgrad.optim import lr_scheduler

VALUES: list[Callable[[], Any]] = [
    lambda: None, lambda: "a", lambda: "", lambda: b"x", lambda: "mean", lambda: True, lambda: object(), lambda: len,
    lambda: -1, lambda: 0, lambda: 1, lambda: 2, lambda: 3, lambda: 1.5, lambda: float("nan"), lambda: float("inf"),
    lambda: 2**70, lambda: -(2**33), list, lambda: (), dict, lambda: [1, 2], lambda: (2, 2),
    lambda: [-1, 3], lambda: [[1], [2, 3]], lambda: slice(0, 1), lambda: np.zeros(3), lambda: np.int64(3),
    lambda: np.zeros((2, 3), np.float32), lambda: tg.float32, lambda: tg.ones(2, 3), lambda: tg.ones(3),
    lambda: tg.tensor([0, 1]), lambda: tg.tensor([True, False]), lambda: tg.ones(2, 2, requires_grad=True),
    lambda: tg.zeros(0), lambda: tg.ones(1, 2, 4, 4), lambda: tg.tensor(1.0), lambda: nn.Linear(2, 2),
    lambda: [tg.ones(2, requires_grad=True)], lambda: optim.SGD([tg.ones(2, requires_grad=True)]),
]  # fmt: skip
TENSORS = [lambda: tg.ones(2, 3), lambda: tg.ones(1, 2, 4, 4), lambda: tg.tensor([1, 2])]


def of(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """The functions and classes that a module of ours offers."""
    names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    found = {name: getattr(module, name) for name in names}
    return {
        f"{module.__name__}.{name}": fn
        for name, fn in found.items()
        if (inspect.isfunction(fn) or (inspect.isclass(fn) and not inspect.isabstract(fn)))
        and fn.__module__.startswith("tabgrad.")
    }


PUBLIC: dict[str, Callable[..., Any]] = {}
for _module in (functional, nn, optim, data, ops, utils, train):
    PUBLIC |= of(_module)
for _module in (init, lr_scheduler):
    PUBLIC |= {name: fn for name, fn in of(_module).items() if fn.__module__ == _module.__name__}
for _name in ("grad", "no_grad", "enable_grad", "set_grad_enabled", "compile", "manual_seed", "Generator", "Tensor"):
    PUBLIC[f"tabgrad.{_name}"] = getattr(tg, _name)


def call(name: str, rng: random.Random) -> None:
    fn = PUBLIC[name]
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = [p for p in inspect.signature(fn).parameters.values() if p.kind in kinds]
    needed = sum(p.default is inspect.Parameter.empty for p in parameters)
    args = [rng.choice(VALUES)() for _ in range(rng.randint(needed, min(len(parameters), needed + 2)))]
    if args and rng.random() < 0.5:
        args[0] = rng.choice(TENSORS)()
    try:
        fn(*args)
    except (errors.TabgradError, NotImplementedError):
        return
    except (TypeError, ValueError, IndexError, KeyError, RuntimeError) as error:
        words = str(error)
        if any(
            word in words
            for word in ("expected", "is not a Module subclass", "out of range", "out of bounds for", "cannot assign")
        ):
            return
        told = f"{name}({', '.join(map(repr, args))}): {type(error).__name__}: {words}"
        pytest.fail(f"an error from inside: {told}")
    except Exception as error:  # noqa: BLE001 - any other kind is one from inside
        pytest.fail(f"an error from inside: {name}({', '.join(map(repr, args))}): {type(error).__name__}: {error}")
    finally:
        tg.set_grad_enabled(True)


@pytest.mark.parametrize("case", range(10))
def test_random_calls_end_in_sentences(case: int) -> None:
    rng = daily_random(f"misuse {case}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(250):
            call(rng.choice(sorted(PUBLIC)), rng)


def test_a_wrong_type_names_the_argument_and_the_remedy() -> None:
    with pytest.raises(
        TypeError, match=r"relu: expected input as Tensor, got \[1, 2\]; wrap it in tabgrad\.tensor\(\.\.\.\)"
    ):
        functional.relu([1, 2])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"matmul: expected other as Tensor, got ndarray \[3\]; wrap"):
        tg.matmul(tg.ones(2, 3), np.zeros(3))  # type: ignore[arg-type]


def test_an_error_of_a_callback_is_left_as_it_is() -> None:
    class Strange(data.Dataset):
        def __len__(self) -> int:
            return [].nothing  # type: ignore[attr-defined, no-any-return]

        def __getitem__(self, index: int) -> Any:
            return index

    with pytest.raises(AttributeError, match="'list' object has no attribute 'nothing'"):
        data.random_split(Strange(), [1, 2])
