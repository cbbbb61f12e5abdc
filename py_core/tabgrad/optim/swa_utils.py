"""Averages of a model's weights over its training: stochastic weight averaging, and exponential moving averages."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tabgrad.autograd import no_grad
from tabgrad.checks import real_number, whole_number
from tabgrad.errors import ArgumentError
from tabgrad.late import missing_name
from tabgrad.nn import Module
from tabgrad.nn.batchnorm import _BatchNorm
from tabgrad.ops.comparison import where
from tabgrad.optim.lr_scheduler import LRScheduler, checked_optimizer, per_group
from tabgrad.optim.optimizer import Optimizer
from tabgrad.tensor import Tensor

AvgFn = Callable[[Tensor, Tensor, Any], Tensor]
MultiAvgFn = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]


def get_ema_avg_fn(decay: float = 0.999) -> AvgFn:
    """An ``avg_fn``: ``decay * averaged + (1 - decay) * current``."""
    rate = real_number(decay, "get_ema_avg_fn", "decay", 0, 1)

    def ema_update(ema_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return ema_param * rate + current_param * (1 - rate)

    return ema_update


def get_swa_avg_fn() -> AvgFn:
    """An ``avg_fn``: the mean of all models so far."""

    def swa_update(averaged_param: Tensor, current_param: Tensor, num_averaged: Any) -> Tensor:
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay: float = 0.999) -> MultiAvgFn:
    """A ``multi_avg_fn``: :func:`get_ema_avg_fn` for lists of tensors, in place."""
    return _of_lists(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> MultiAvgFn:
    """A ``multi_avg_fn``: :func:`get_swa_avg_fn` for lists of tensors, in place."""
    return _of_lists(get_swa_avg_fn())


def _of_lists(average: AvgFn) -> MultiAvgFn:
    def update(averaged: Sequence[Tensor], current: Sequence[Tensor], num_averaged: Any) -> None:
        with no_grad():
            for mean, value in zip(averaged, current, strict=True):
                mean.copy_(average(mean, value, num_averaged))

    return update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's.

    Nothing is read back: :meth:`update_parameters` may be part of a compiled step.

    Args:
        model: is copied.
        device: accepted, without effect.
        avg_fn: makes of an average, a parameter and the number of models so far the next average; the mean by default.
        multi_avg_fn: the same of lists, in place.
        use_buffers: average buffers, too, instead of taking the model's.

    Source: Izmailov et al. 2018, https://arxiv.org/abs/1803.05407
    """

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: AvgFn | None = None,
        multi_avg_fn: MultiAvgFn | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise ArgumentError("AveragedModel: expected avg_fn or multi_avg_fn, got both")
        self.module = copy.deepcopy(model)
        self.register_buffer("n_averaged", Tensor._of(np.zeros((), np.int32)))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the copy."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Take the model as it is now into the averages; the first one is copied."""
        averaged, current = self._values(self.module), self._values(model)
        with no_grad():
            count: Any = self.n_averaged
            is_first = count == 0
            pairs = list(zip(averaged, current, strict=True))
            if self.multi_avg_fn is not None:
                means = [mean.detach().clone() for mean, _ in pairs]
                self.multi_avg_fn(means, [value.detach() for _, value in pairs], count)
            else:
                average = self.avg_fn or get_swa_avg_fn()
                means = [average(mean.detach(), value.detach(), count) for mean, value in pairs]
            for (mean, value), after in zip(pairs, means, strict=True):
                mean.copy_(where(is_first.expand(mean.shape), value.detach(), after.to(mean.dtype)))
            if not self.use_buffers:
                for mine, of_model in zip(self.module.buffers(), model.buffers(), strict=True):
                    mine.copy_(of_model)
            count.add_(1)

    def _values(self, model: Module) -> list[Tensor]:
        return [*model.parameters(), *(model.buffers() if self.use_buffers else ())]


def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Compute the running statistics of all batch norms anew, as means over a loader's batches.

    Args:
        loader: of inputs, or of tuples whose first entry is the input.
    """
    norms = [m for m in model.modules() if isinstance(m, _BatchNorm)]
    if not norms:
        return
    momenta = [norm.momentum for norm in norms]
    was_training = model.training
    model.train()
    with no_grad():
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None  # of equal weights
        try:
            for batch in loader:
                model(batch[0] if isinstance(batch, list | tuple) else batch)
        finally:
            for norm, momentum in zip(norms, momenta, strict=True):
                norm.momentum = momentum
            model.train(was_training)


class SWALR(LRScheduler):
    """Takes each group's learning rate to ``swa_lr`` in ``anneal_epochs``, and keeps it there."""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        checked_optimizer("SWALR", optimizer)
        rates = per_group("SWALR", optimizer, "swa_lr", swa_lr)
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentError(f"SWALR: expected anneal_strategy as 'cos' or 'linear', got {anneal_strategy!r}")
        self.anneal_epochs = whole_number(anneal_epochs, "SWALR", "anneal_epochs", 0)
        self._anneal_strategy = anneal_strategy
        for rate, group in zip(rates, optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        super().__init__(optimizer, last_epoch)

    def _share(self, step: int) -> float:
        """Of ``swa_lr``, after so many steps."""
        part = max(0.0, min(1.0, step / max(1, self.anneal_epochs)))
        return part if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * part)) / 2

    def get_lr(self) -> list[Any]:
        """The next point between the rate that it began with, as the rate now tells, and ``swa_lr``."""
        self._warn_outside_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = self._share(step - 1), self._share(step)
        rates = []
        for group in self.optimizer.param_groups:
            target = group["swa_lr"]
            first = target if before == 1 else (group["lr"] - before * target) / (1 - before)
            rates.append(target * now + first * (1 - now))
        return rates


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)


__all__ = [
    "SWALR", "AveragedModel", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn",
    "update_bn",
]  # fmt: skip
