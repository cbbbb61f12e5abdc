"""Find the first tensor that is not finite, by running a step's forward and backward pass again in parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import tabgrad.ops as ops
from tabgrad.autograd import no_grad
from tabgrad.nn import CrossEntropyLoss, Module, NLLLoss
from tabgrad.runtime.reads import read
from tabgrad.tensor import Tensor


async def first_not_finite(
    model: Module, loss_fn: Callable[[Tensor, Tensor], Tensor], batch: Sequence[np.ndarray]
) -> str | None:
    """The first computed value with a NaN or an infinity, in words; None if all are finite."""
    x, y = (Tensor._of(a) for a in batch)
    named: list[tuple[str, Tensor]] = [("the input batch", x)]
    if y.dtype.is_floating_point:
        named.append(("the target batch", y))
    named += [(f"parameter '{name}'", p) for name, p in model.named_parameters()]
    outputs: list[tuple[str, Tensor]] = []
    restore = _watch_outputs(model, outputs)
    try:
        loss = loss_fn(model(x), y)
    finally:
        restore()
    named += [*outputs, ("the loss", loss)]
    parameters = [(n, p) for n, p in model.named_parameters() if p.requires_grad]
    kept = [p.grad for _, p in parameters]
    for _, p in parameters:
        p.grad = None
    loss.backward()
    named += [(f"the gradient of parameter '{n}'", p.grad) for n, p in parameters if p.grad is not None]
    flags = await read(*(ops.all(ops.isfinite(t.detach())) for _, t in named))
    for (_, p), grad in zip(parameters, kept, strict=True):
        p.grad = grad
    for (name, tensor), finite in zip(named, flags, strict=True):
        if not finite:
            return f"{name}, shape {list(tensor.shape)}"
    return None


async def strange_labels(
    model: Module, loss_fn: Callable[[Tensor, Tensor], Tensor], batch: Sequence[np.ndarray]
) -> str | None:
    """The defect of a batch's labels for a loss over classes, in words; None if they are valid."""
    x, y = batch
    name = getattr(loss_fn, "__name__", "")
    over_classes = isinstance(loss_fn, CrossEntropyLoss | NLLLoss) or name in ("cross_entropy", "nll_loss")
    if not over_classes or y.dtype.kind not in "iu":
        return None
    ignored = getattr(loss_fn, "ignore_index", -100)
    with no_grad():
        shape = model(Tensor._of(x)).shape
    classes = shape[0] if len(shape) == 1 else shape[1]
    counted = y[y != ignored]
    if not counted.size:
        return f"expected labels that count, got {ignored} (the ignore_index) for the whole batch; check the data"
    low, high = int(counted.min()), int(counted.max())
    if low >= 0 and high < classes:
        return None
    remedy = f"give the last layer {high + 1} outputs" if low >= 0 else f"pass ignore_index={low}"
    return (
        f"expected labels from 0 to {classes - 1}, as the model's output has {classes} classes, or {ignored} (the "
        f"ignore_index), got labels from {low} to {high}; renumber them, or {remedy}"
    )


def _watch_outputs(model: Module, found: list[tuple[str, Tensor]]) -> Callable[[], None]:
    """Record the output of every submodule call; returns a function that stops it."""
    watched: list[Module] = []

    def watch(name: str, module: Module) -> None:
        forward = module.forward

        def noting(*args: Any, **kwargs: Any) -> Any:
            out = forward(*args, **kwargs)
            if isinstance(out, Tensor) and out.dtype.is_floating_point:
                label = f"the output of '{name}' ({type(module).__name__})" if name else "the output of the model"
                found.append((label, out))
            return out

        object.__setattr__(module, "forward", noting)
        watched.append(module)

    for name, module in model.named_modules():
        watch(name, module)

    def restore() -> None:
        for module in watched:
            object.__delattr__(module, "forward")

    return restore
