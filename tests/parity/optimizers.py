"""PyTorch's samples for its optimizers (``optim_db``), and what tabgrad makes of each.

    python tests/parity/optimizers.py Adam 'R*'      one line for each optimizer, with the first difference
    python tests/parity/optimizers.py --missing      names that are not there

Each set of options trains a few parameters, in plain steps and in compiled ones; wrong arguments must be refused.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
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
from parity.functions import CRASHED, LEFT_OUT, REFUSED, WORKS, WRONG, Report
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


def compared(name: str, kwargs: dict[str, Any], *, compiled: bool) -> tuple[str, str]:
    """What became of one set of options, and why."""
    try:
        expected = trained(torch, name, kwargs)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
        return LEFT_OUT, f"PyTorch raises {error}"
    try:
        found = trained(tg, name, converted(kwargs), compiled=compiled)
    except Exception as error:  # noqa: BLE001
        return _kind(error), f"{type(error).__name__}: {str(error)[:200]}; {kwargs}"
    rtol = LOOSE.get(name, 1e-4)
    for n, (e, g) in enumerate(zip(expected, found, strict=True)):
        if not np.allclose(g, e, rtol=rtol, atol=max(1e-5, rtol / 10), equal_nan=True):
            return WRONG, f"parameter {n} differs by {np.abs(g - e).max():.3g}; {kwargs}"
    return WORKS, ""


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
    return WRONG, f"{told}, got none; {given.kwargs}"


def _kind(error: Exception) -> str:
    return REFUSED if isinstance(error, tg.TabgradError | NotImplementedError | TypeError) else CRASHED


def reports(info: Any) -> Iterator[Report]:
    """One for plain steps, one for compiled ones, and one for wrong arguments."""
    name = info.optim_cls.__name__
    inputs = info.optim_inputs_func(device="cpu")
    supported = {*info.supported_impls, "capturable", "differentiable"}
    for compiled in (False, True):
        if compiled and name == "LBFGS":
            continue
        report = Report(name, "compiled" if compiled else "plain", "float32")
        for sample in inputs:
            for extra in CLIQUES:
                if set(extra) <= supported:
                    report.add(*compared(name, {**sample.kwargs, **extra}, compiled=compiled))
        yield report
    report = Report(name, "wrong arguments", "float32")
    for sample in info.optim_error_inputs_func(device="cpu", dtype=torch.float32):
        report.add(*refused(name, sample))
    yield report


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of optim_db; a trailing * stands for any ending")
    parser.add_argument("--missing", action="store_true")
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
            for report in reports(info):
                total += report.counts
                if options.all or set(report.counts) - {WORKS, LEFT_OUT}:
                    print(report, flush=True)
    print(dict(total))


if __name__ == "__main__":
    _main()
