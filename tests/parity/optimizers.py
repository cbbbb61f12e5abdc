"""PyTorch's samples for its optimizers (``optim_db``), and what tabgrad makes of each.

    python tests/parity/optimizers.py Adam 'R*'      one line for each optimizer, with the first difference
    python tests/parity/optimizers.py --missing      names that are not there

Each set of options trains a few parameters, in plain steps and in compiled ones. A run in two groups, with a learning
rate set by hand, schedules, a group added later, and closures is compared, too; so are ``repr`` and the structure of
``state_dict``, which is loaded into PyTorch's optimizer and back. Wrong arguments must raise PyTorch's class of error.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import random
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "py_core")]

import numpy as np
import torch
from torch.testing._internal.common_optimizers import optim_db

import tabgrad as tg
from parity.functions import ACCEPTED, CRASHED, LEFT_OUT, REFUSED, WORKS, WRONG, Report
from parity.values import Unsupported

STEPS = 12
SHAPES = ((4, 3), (3, 5), (2, 2))
VECTORS = ((5,), (), (2, 3, 2))  # of optimizers that are not for matrices alone
LOOSE = {"Muon": 0.08, "LBFGS": 1e-3}
"""Relative tolerances of those that PyTorch computes in bfloat16, and whose line search decides by rounding."""
CLIQUES = ({}, {"foreach": True}, {"fused": True}, {"capturable": True}, {"differentiable": True})


def converted(value: Any, made: dict[int, Any] | None = None) -> Any:
    """PyTorch's tensors as ours, wherever they are; one that is there twice is one tensor here, too."""
    made = {} if made is None else made
    if isinstance(value, torch.Tensor):
        if value.is_complex() or value.layout is not torch.strided:
            raise Unsupported("complex and sparse tensors")
        if id(value) not in made:
            made[id(value)] = tg.tensor(value.detach().numpy(), requires_grad=value.requires_grad)
        return made[id(value)]
    if isinstance(value, dict):
        return {k: converted(v, made) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value)([converted(v, made) for v in value])
    return value


def trained(T: Any, name: str, kwargs: dict[str, Any], *, compiled: bool = False) -> list[np.ndarray]:
    """Parameters after some steps."""
    rng = np.random.default_rng(0)
    shapes = SHAPES if name == "Muon" else SHAPES + VECTORS
    starts = [rng.uniform(-1, 1, shape).astype(np.float32) for shape in shapes]
    targets = [rng.uniform(-1, 1, shape).astype(np.float32) for shape in shapes]
    params = [T.tensor(v, requires_grad=True) for v in starts]
    unused = T.tensor(np.ones((2, 2), np.float32), requires_grad=True)
    optimizer = getattr(T.optim, name)([*params, unused], **kwargs)
    goals = [T.tensor(v) for v in targets]

    def closure(scale: Any) -> Any:
        optimizer.zero_grad()
        loss = sum(((p - g * scale) ** 2).sum() for p, g in zip(params, goals, strict=True))
        loss.backward()
        return loss

    def step(scale: Any) -> Any:
        loss = closure(scale)
        optimizer.step()
        return loss

    call = tg.compile(step) if compiled else step
    for n in range(STEPS):
        # of L-BFGS it stays: the history of another loss makes its steps a matter of rounding
        scale = T.tensor(1.0 if name == "LBFGS" else 1.0 + 0.1 * n)
        if name == "LBFGS":
            optimizer.step(lambda scale=scale: closure(scale))
        else:
            call(scale)
    return [np.asarray(p.detach().numpy()) for p in [*params, unused]]


def compared(name: str, kwargs: dict[str, Any], extra: dict[str, Any], *, compiled: bool) -> tuple[str, str]:
    """What became of one set of options, and why.

    Args:
        extra: chooses among PyTorch's kernels; where PyTorch has none such on the CPU, its plain one is the measure.
    """
    try:
        expected = trained(torch, name, {**kwargs, **extra})
    except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
        if not extra or "differentiable" in extra or isinstance(error, TypeError) or name == "SparseAdam":
            return LEFT_OUT, f"PyTorch raises {error}"
        expected = trained(torch, name, kwargs)
    try:
        found = trained(tg, name, converted({**kwargs, **extra}), compiled=compiled)
    except Exception as error:  # noqa: BLE001
        return _kind(error), f"{type(error).__name__}: {str(error)[:200]}; {kwargs} {extra}"
    why = _apart(name, expected, found)
    return (WRONG, f"{why}; {kwargs} {extra}") if why else (WORKS, "")


def _apart(name: str, expected: list[np.ndarray], found: list[np.ndarray]) -> str | None:
    rtol = LOOSE.get(name, 1e-4)
    for n, (e, g) in enumerate(zip(expected, found, strict=True)):
        if not np.allclose(g, e, rtol=rtol, atol=max(1e-5, rtol / 10), equal_nan=True):
            return f"parameter {n} differs by {np.abs(g - e).max():.3g}"
    return None


class Run:
    """An optimizer over two groups, which trains with everything that programs do between steps."""

    def __init__(self, T: Any, name: str, kwargs: dict[str, Any]) -> None:
        self.T, self.name = T, name
        rng = np.random.default_rng(1)
        shapes = [*SHAPES, *(() if name == "Muon" else VECTORS)]
        self.params = [T.tensor(rng.uniform(-1, 1, s).astype(np.float32), requires_grad=True) for s in shapes]
        self.kwargs = kwargs
        groups = [{"params": self.params[:-2]}, {"params": self.params[-2:-1], "lr": 0.02}]
        self.optimizer = getattr(T.optim, name)(self.params[:-1] if name == "LBFGS" else groups, **kwargs)

    def step(self, n: int) -> None:
        """One step, by a closure."""
        self.optimizer.step(lambda: self._loss(n))

    def _loss(self, n: int) -> Any:
        self.optimizer.zero_grad(set_to_none=n % 2 == 0)
        rng = np.random.default_rng(n)
        used = [p for p in self.params if p.requires_grad]
        factors = [self.T.tensor(np.asarray(rng.uniform(0.5, 2, tuple(p.shape)), np.float32)) for p in used]
        loss = sum((p * p * f * 0.5).sum() for p, f in zip(used, factors, strict=True))
        loss.backward()
        return loss

    def train(self) -> None:
        """Rates by hand and by schedules, and a group that comes later."""
        schedules = self.T.optim.lr_scheduler
        for n in range(3):
            self.step(n)
        for group in self.optimizer.param_groups:
            group["lr"] = 0.03
        if self.name != "LBFGS":
            self.optimizer.add_param_group({"params": [self.params[-1]], "weight_decay": 0.05, "lr": 0.04})
        warm = schedules.LinearLR(self.optimizer, 0.5, total_iters=2)
        then = schedules.StepLR(self.optimizer, 2, 0.5)
        schedule = schedules.SequentialLR(self.optimizer, [warm, then], [2])
        for n in range(3, 9):
            self.step(n)
            schedule.step()

    def arrays(self) -> list[np.ndarray]:
        """The parameters."""
        return [np.asarray(p.detach().numpy()) for p in self.params]


def lived(name: str, kwargs: dict[str, Any]) -> tuple[str, str]:
    """What became of a run with groups, schedules and saved states."""
    try:
        theirs = Run(torch, name, kwargs)
        theirs.train()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
        return LEFT_OUT, f"PyTorch raises {error}"
    try:
        ours = Run(tg, name, converted(kwargs))
        ours.train()
        why = _apart(name, theirs.arrays(), ours.arrays())
        if not why and repr(theirs.optimizer) != repr(ours.optimizer):
            why = f"repr: expected {theirs.optimizer!r}, got {ours.optimizer!r}"
        saved, mine = theirs.optimizer.state_dict(), ours.optimizer.state_dict()
        why = why or structure_difference(saved, mine)
        if not why:  # each continues from the other's state
            here, there = Run(tg, name, converted(kwargs)), Run(torch, name, kwargs)
            for run, source, state in ((here, theirs, saved), (there, ours, as_torch(mine))):
                for p, value in zip(run.params, source.arrays(), strict=True):
                    p.data.copy_(run.T.tensor(value))
                if name != "LBFGS":
                    run.optimizer.add_param_group({"params": [run.params[-1]]})
                run.optimizer.load_state_dict(state)
            for n in range(9, 12):
                for run in (theirs, here, there):
                    run.step(n)
            why = _apart(name, theirs.arrays(), here.arrays()) or _apart(name, theirs.arrays(), there.arrays())
            why = why and f"after state_dict: {why}"
    except Exception as error:  # noqa: BLE001
        return _kind(error), f"{type(error).__name__}: {str(error)[:200]}; {kwargs}"
    return (WRONG, f"{why}; {kwargs}") if why else (WORKS, "")


def as_torch(value: Any) -> Any:
    """Our tensors as PyTorch's, wherever they are."""
    if isinstance(value, tg.Tensor):
        return torch.tensor(value.detach().numpy())
    if isinstance(value, dict):
        return {k: as_torch(v) for k, v in value.items()}
    return type(value)([as_torch(v) for v in value]) if isinstance(value, list | tuple) else value


def structure_difference(expected: Any, got: Any, where: str = "state_dict") -> str | None:
    """In keys, kinds, shapes and dtypes; and in plain values."""
    if isinstance(expected, dict) and isinstance(got, dict):
        if list(expected) != list(got):
            return f"{where}: expected {list(expected)}, got {list(got)}"
        return next((d for k in expected if (d := structure_difference(expected[k], got[k], f"{where}[{k!r}]"))), None)
    if isinstance(expected, list | tuple):
        if type(expected) is not type(got) or len(expected) != len(got):
            return f"{where}: expected {expected}, got {got}"
        pairs = enumerate(zip(expected, got, strict=True))
        return next((d for n, (e, g) in pairs if (d := structure_difference(e, g, f"{where}[{n}]"))), None)
    if isinstance(expected, torch.Tensor):
        like = isinstance(got, tg.Tensor) and tuple(got.shape) == tuple(expected.shape)
        if like and str(got.dtype).rpartition(".")[2] == str(expected.dtype).rpartition(".")[2]:
            return None
        return f"{where}: expected {expected.dtype} {list(expected.shape)}, got {got!r}"
    if isinstance(expected, float) and isinstance(got, float):
        return None if np.isclose(got, expected, rtol=1e-6) else f"{where}: expected {expected}, got {got}"
    return None if expected == got else f"{where}: expected {expected!r}, got {got!r}"


def refused(name: str, sample: Any) -> tuple[str, str]:
    """What became of wrong arguments: the same class of error, or another clear one."""
    given = sample.optimizer_error_input
    params = [torch.ones(2, 2, requires_grad=True)] if given.params is None else given.params
    told = f"{given.desc}: expected {sample.error_type.__name__}"
    try:
        getattr(tg.optim, name)(converted(params), **converted(given.kwargs))
    except Unsupported as error:
        return LEFT_OUT, str(error)
    except Exception as error:  # noqa: BLE001
        if isinstance(error, sample.error_type) or sample.error_type is UserWarning:
            return WORKS, ""
        return _kind(error), f"{told}, got {type(error).__name__}: {str(error)[:200]}"
    return ACCEPTED, f"{told}, got none; {given.kwargs}"


def _kind(error: Exception) -> str:
    return REFUSED if isinstance(error, tg.TabgradError | NotImplementedError | TypeError) else CRASHED


def reports(info: Any, *, limit: int | None = None, seed: int = 0) -> Iterator[Report]:
    """One for plain steps, one for compiled ones, one for whole runs, and one for wrong arguments.

    Args:
        limit: how many of each, chosen by the seed; all by default.
    """
    name = info.optim_cls.__name__
    if not hasattr(tg.optim, name):
        return

    def of_today(cases: list[Any]) -> list[Any]:
        return cases if limit is None or len(cases) <= limit else random.Random(seed).sample(cases, limit)

    inputs = info.optim_inputs_func(device="cpu")
    supported = {*info.supported_impls, "capturable", "differentiable"}
    kinds = [(s, extra) for s in inputs for extra in CLIQUES if set(extra) <= supported]
    for compiled in (False, True):
        if compiled and name == "LBFGS":  # it calls its closure as often as the loss asks for
            continue
        report = Report(name, "compiled" if compiled else "plain", "float32")
        for sample, extra in of_today(kinds):
            report.add(*compared(name, sample.kwargs, extra, compiled=compiled))
        yield report
    report = Report(name, "groups, schedules and saved states", "float32")
    for sample in of_today(inputs):
        report.add(*lived(name, sample.kwargs))
    yield report
    report = Report(name, "wrong arguments", "float32")
    for sample in info.optim_error_inputs_func(device="cpu", dtype=torch.float32):
        report.add(*refused(name, sample))
    yield report


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of optim_db; a trailing * stands for any ending")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--all", action="store_true", help="print what works, too")
    options = parser.parse_args()
    tg.set_default_device("reference")
    infos = [i for i in optim_db if not options.names or any(fnmatch.fnmatch(i.name, n) for n in options.names)]
    if options.missing:
        print(" ".join(i.name for i in infos if not hasattr(tg.optim, i.name)))
        return
    total: collections.Counter[str] = collections.Counter()
    for info in infos:
        if not hasattr(tg.optim, info.name):
            print(f"{info.name}: not there")
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for report in reports(info, limit=options.limit):
                total += report.counts
                if options.all or set(report.counts) - {WORKS, LEFT_OUT}:
                    print(report, flush=True)
    print(dict(total))


if __name__ == "__main__":
    _main()
