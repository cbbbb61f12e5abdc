"""PyTorch's namespaces: what they answer is what PyTorch answers on a machine without CUDA."""

from __future__ import annotations

import copy
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad
from tabgrad import nn, optim
from tabgrad.errors import TabgradError

ANSWERS: dict[str, Callable[[ModuleType], Any]] = {
    "cuda": lambda t: (t.cuda.is_available(), t.cuda.device_count(), t.cuda.is_initialized()),
    "cuda memory": lambda t: (t.cuda.memory_allocated(), t.cuda.max_memory_allocated(), t.cuda.empty_cache()),
    "device": lambda t: t.device("cuda" if t.cuda.is_available() else "cpu").type,
    "mps": lambda t: (t.backends.mps.is_available(), t.backends.mps.is_built(), t.xpu.is_available()),
    "accelerator": lambda t: (t.accelerator.is_available(), t.accelerator.device_count()),
    "cudnn": lambda t: (t.backends.cudnn.deterministic, t.backends.cudnn.benchmark, t.backends.cudnn.enabled),
    "matmul": lambda t: t.backends.cuda.matmul.allow_tf32,
    "version": lambda t: t.version.cuda,
    "deterministic": lambda t: (
        t.use_deterministic_algorithms(True),
        t.are_deterministic_algorithms_enabled(),
        t.use_deterministic_algorithms(False),
        t.are_deterministic_algorithms_enabled(),
    ),
    "precision": lambda t: (t.set_float32_matmul_precision("highest"), t.get_float32_matmul_precision()),
    "finfo": lambda t: [
        (i.bits, i.eps, i.max, i.min, i.tiny, i.smallest_normal, i.resolution, i.dtype)
        for i in map(t.finfo, (t.float32, t.float16, t.bfloat16))
    ],
    "iinfo": lambda t: [(i.bits, i.max, i.min, i.dtype) for i in map(t.iinfo, (t.int32, t.int8, t.uint8))],
    "numbers": lambda t: (t.pi, t.inf, t.e, str(t.nan), t.newaxis),
    "Size": lambda t: (t.Size([2, 3]) == (2, 3), t.Size([2, 3]).numel(), isinstance(t.zeros(2).shape, t.Size)),
    "is_tensor": lambda t: (t.is_tensor(t.zeros(1)), t.is_tensor(3), t.is_tensor(t.nn.Parameter(t.zeros(1)))),
    "scripting": lambda t: (t.jit.is_scripting(), t.jit.is_tracing()),
    "a scaler that is off": lambda t: (
        t.amp.GradScaler(enabled=False).get_scale(),
        t.amp.GradScaler(enabled=False).scale(3.0),
        t.cuda.amp.GradScaler(enabled=False).state_dict(),
    ),
    "checkpoint": lambda t: t.utils.checkpoint.checkpoint(
        lambda a, b: (a * b).tolist(), t.ones(2), 3, use_reentrant=False
    ),
    "modules": lambda t: t.nn.modules.linear.Linear is t.nn.Linear is t.nn.modules.Linear,
    "types": lambda t: isinstance(t.float32, t.dtype),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*torch.cuda.amp.GradScaler.*:FutureWarning")
@pytest.mark.parametrize("case", ANSWERS)
def test_answers_are_pytorchs(case: str) -> None:
    import torch.utils.checkpoint

    assert ANSWERS[case](tabgrad) == ANSWERS[case](torch)


def test_what_needs_cuda_is_refused() -> None:
    for call in (tabgrad.cuda.current_device, tabgrad.cuda.get_device_name, lambda: tabgrad.cuda.set_device(0)):
        with pytest.raises(RuntimeError, match="expected a CUDA device, found none"):
            call()
    with pytest.raises(AttributeError, match=r"'tabgrad.cuda' has no attribute 'Streem': it is not in tabgrad yet"):
        tabgrad.cuda.Streem  # noqa: B018
    with pytest.raises(NotImplementedError, match="TorchScript files are not supported"):
        tabgrad.jit.trace(nn.Linear(1, 1), None)


def test_the_state_of_random_numbers_is_kept_and_restored() -> None:
    tabgrad.random.manual_seed(4)
    state = tabgrad.get_rng_state()
    first = tabgrad.rand(3).tolist()
    with tabgrad.random.fork_rng():
        tabgrad.cuda.manual_seed_all(9)
        tabgrad.rand(5)
    second = tabgrad.rand(3).tolist()
    tabgrad.set_rng_state(state)
    assert [tabgrad.rand(3).tolist(), tabgrad.rand(3).tolist()] == [first, second]
    with pytest.raises(TabgradError, match="expected what tabgrad's get_rng_state"):
        tabgrad.set_rng_state(tabgrad.zeros(3))
    tabgrad.seed()
    for generator in (tabgrad.Generator(device="cpu"), tabgrad.Generator("cuda:0")):
        assert generator.manual_seed(4).initial_seed() == 4
        assert generator.seed() == generator.initial_seed()


def test_mixed_precision_computes_in_float32_and_says_so() -> None:
    model = nn.Linear(2, 1)
    twin = copy.deepcopy(model)
    x = tabgrad.tensor([[1.0, 2.0]])
    optimizers = [optim.SGD(m.parameters(), lr=0.1) for m in (model, twin)]
    with pytest.warns(UserWarning, match="gradients are float32, which needs no scale"):
        scaler = tabgrad.cuda.amp.GradScaler()
    with pytest.warns(UserWarning, match=r"computed in float32, not in tabgrad.float16"):
        context = tabgrad.autocast(device_type="cuda", dtype=tabgrad.float16)
    with context:
        loss = model(x).sum()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizers[0])
    scaler.step(optimizers[0])
    scaler.update()
    twin(x).sum().backward()
    optimizers[1].step()
    assert loss.dtype is tabgrad.float32
    assert model.weight.tolist() == twin.weight.tolist()
    with tabgrad.amp.autocast("cpu", enabled=False):
        pass


CLOSE: dict[str, Callable[[ModuleType], Any]] = {
    "equal": lambda t: (t.ones(2), t.ones(2)),
    "nearly": lambda t: (t.ones(2), t.ones(2) + 1e-6),
    "far": lambda t: (t.ones(2), t.ones(2) + 1e-4),
    "integers": lambda t: (t.arange(3), t.arange(3)),
    "other integers": lambda t: (t.arange(3), t.arange(3) + 1),
    "shapes": lambda t: (t.ones(2), t.ones(2, 1)),
    "dtypes": lambda t: (t.ones(2), t.ones(2, dtype=t.int32)),
    "half": lambda t: (t.ones(2).half(), t.tensor([1.0, 1.0009765625]).half()),
    "nan": lambda t: (t.tensor([float("nan")]), t.tensor([float("nan")])),
    "infinity": lambda t: (t.tensor([float("inf")]), t.tensor([float("inf")])),
    "lists": lambda t: ([t.ones(2), 1.0], [t.ones(2), 1.0]),
    "lists that differ": lambda t: ([t.ones(2), 1.0], [t.ones(2), 1.1]),
    "lengths": lambda t: ([1.0], [1.0, 2.0]),
    "dicts": lambda t: ({"a": t.zeros(1)}, {"a": t.zeros(1)}),
    "keys": lambda t: ({"a": 1.0}, {"b": 1.0}),
}


@pytest.mark.parametrize("case", CLOSE)
@pytest.mark.parametrize("options", [{}, {"rtol": 0.0, "atol": 1e-3, "check_dtype": False}, {"equal_nan": True}])
def test_assert_close_is_pytorchs(case: str, options: dict[str, Any]) -> None:
    def is_close(t: ModuleType) -> bool:
        try:
            t.testing.assert_close(*CLOSE[case](t), **options)
        except AssertionError:
            return False
        return True

    assert is_close(tabgrad) == is_close(torch)


def test_jit_script_runs_the_python_code() -> None:
    with pytest.warns(UserWarning, match="the Python code runs as it is"):
        doubled = tabgrad.jit.script(lambda x: x * 2)
    assert doubled(tabgrad.ones(1)).tolist() == np.float32([2]).tolist()
