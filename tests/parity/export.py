"""Write samples of functions, with PyTorch's results and gradients, for Pythons that have no PyTorch.

Methods and functions of PyTorch's tests, which are Python code, run natively alone.
"""

from __future__ import annotations

import itertools
import random
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch

from parity import functions
from parity.plain import NotPlain, Writer, pack
from parity.values import DTYPES, tensors_in


def export(names: Iterable[str], *, limit: int, seed: int) -> tuple[bytes, dict[str, int]]:
    """An npz file of samples of each function, and how many of each are left out.

    Args:
        limit: how many of each entry of ``op_db``, chosen by the seed.
    """
    chosen, left_out = set(names), dict.fromkeys(names, 0)
    writer = Writer(_tensor_of, _other)
    samples = []
    for op in functions.op_db:
        if op.name not in chosen or not functions.variants(op):
            continue
        called = _callable(op)
        dtype = gpu_dtype(op)
        for sample in _chosen(op, dtype, limit, seed) if dtype and called else ():
            try:
                samples.append(_exported(op, called, sample, writer) | {"name": op.name, "call": called})
            except NotPlain:
                left_out[op.name] += 1
    return pack(samples, writer.arrays), left_out


def gpu_dtype(op: Any) -> torch.dtype | None:
    """The dtype of the samples that run on a GPU: float32, or integers where a function is about those."""
    kinds = (torch.float32, torch.int64, torch.bool)
    return next((dtype for dtype in kinds if dtype in op.supported_dtypes("cpu")), None)


def _callable(op: Any) -> str:
    """Where tabgrad has the function: its name in the package, or ``Tensor.`` and a method's; empty if it is code."""
    if functions.is_of_tests(op.op):
        return ""
    return op.name if functions.found(op.name) is not None else f"Tensor.{op.name}"


def _chosen(op: Any, dtype: torch.dtype, limit: int, seed: int) -> list[Any]:
    torch.manual_seed(0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=False), 2000))
    return random.Random(seed).sample(samples, limit) if len(samples) > limit else samples


def _exported(op: Any, called: str, sample: Any, writer: Writer) -> dict[str, Any]:
    """Raises NotPlain: PyTorch refuses the sample, or it is about what a GPU does not hold."""
    theirs = op.op if functions.found(op.name) is not None else getattr(torch.Tensor, op.name)
    values = (sample.input, *sample.args)
    leaves = list({id(t): t for t in tensors_in([*values, *sample.kwargs.values()], torch.Tensor)}.values())
    wants_grad = op.supports_autograd and op.name not in functions.RANDOM and not sample.kwargs.get("dropout_p")
    for leaf in leaves if wants_grad else ():
        leaf.requires_grad_(leaf.is_floating_point())
    arguments = {"args": writer(list(values)), "keywords": writer(sample.kwargs)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(0)
        try:
            result = theirs(*values, **sample.kwargs)
        except Exception as error:
            raise NotPlain(f"PyTorch raises {error}") from error
        expected = writer(_detached(result))
        return {
            **arguments,
            "result": expected,
            "random": op.name in functions.RANDOM or bool(sample.kwargs.get("dropout_p")),
            "gradient": _gradient(result, leaves, writer) if wants_grad else None,
            "told": sample.summary()[:200],
        }


def _gradient(result: Any, leaves: list[torch.Tensor], writer: Writer) -> dict[str, Any] | None:
    results = list(tensors_in(result, torch.Tensor))
    outputs = [n for n, t in enumerate(results) if t.requires_grad]
    wanted = [t for t in leaves if t.requires_grad]
    if not outputs or not wanted:
        return None
    torch.manual_seed(1)
    seeds = [torch.randn(results[n].shape).to(results[n].dtype) for n in outputs]
    try:
        found = torch.autograd.grad([results[n] for n in outputs], wanted, seeds, allow_unused=True)
    except RuntimeError:  # PyTorch has no derivative
        return None
    return {"outputs": outputs, "seeds": writer(seeds), "inputs": writer(wanted), "expected": writer(list(found))}


def _detached(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, list | tuple):
        return (list if isinstance(value, list) else tuple)(map(_detached, value))
    return value


def _tensor_of(value: Any) -> tuple[np.ndarray, str, bool] | None:
    if not isinstance(value, torch.Tensor):
        return None
    if value.layout is not torch.strided or value.dtype not in DTYPES or value.dtype is torch.float64:
        raise NotPlain(f"{value.layout}, {value.dtype}")
    if value.dtype is torch.int64 and value.numel() and value.abs().max() >= 2**31:
        raise NotPlain("integers beyond 32 bits")
    host = value.detach()
    array = (host.float() if host.dtype is torch.bfloat16 else host).numpy(
        force=True
    )  # also of gradients that are zero
    return np.array(array), DTYPES[value.dtype], value.requires_grad


def _other(value: Any) -> list[str] | None:
    if isinstance(value, torch.dtype):
        if value not in DTYPES or value is torch.float64:
            raise NotPlain(str(value))
        return ["name", DTYPES[value]]
    if isinstance(value, torch.device):
        return ["device", str(value)]
    if isinstance(value, torch.layout | torch.memory_format):
        return ["name", str(value).removeprefix("torch.")]
    return None


__all__ = ["export", "gpu_dtype"]
