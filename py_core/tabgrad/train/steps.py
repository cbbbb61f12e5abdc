"""The compiled steps of a run: training, validation and sample predictions.

Nothing is returned to the host. A training step writes its loss and metrics into a row of a log on the
device; a validation step adds to sums there. A job of the scheduler reads both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import tabgrad.ops as ops
from tabgrad.autograd import no_grad
from tabgrad.metrics import MetricFunction, accuracy, measured
from tabgrad.nn import CrossEntropyLoss, Module, NLLLoss
from tabgrad.optim import Optimizer
from tabgrad.runtime.capture import CompiledStep, RecordedStep
from tabgrad.runtime.dependencies import used, used_item
from tabgrad.runtime.reads import read
from tabgrad.session import current
from tabgrad.tensor import Tensor, session_of

if TYPE_CHECKING:
    from tabgrad.train.batches import Batch

LOG_ROWS = 1024  # steps that may pass between two reads

Loss = Callable[[Tensor, Tensor], Tensor]


class Steps:
    """Owns the device-side state of a run: the log, the sums, and the flag that a value was not finite."""

    def __init__(
        self, model: Module, loss_fn: Loss, optimizer: Optimizer, metrics: Mapping[str, MetricFunction]
    ) -> None:
        self.model, self.loss_fn, self.optimizer = model, loss_fn, optimizer
        self.session = session_of(model.parameters()) or current()
        self.names = ["loss", *metrics]
        self._metrics = dict(metrics)
        columns = len(self.names)
        with self.session:
            self.log = Tensor._of(np.zeros((LOG_ROWS, columns), np.float32))
            self.broken = Tensor._of(np.zeros((), np.float32))  # 1 after a loss that is not finite, which stops updates
            self.sums = Tensor._of(np.zeros(columns + 1, np.float32))  # of validation: values times samples, samples
        for tensor, purpose in ((self.log, "log of losses"), (self.broken, "flag"), (self.sums, "sums")):
            storage = tensor._node.storage
            assert storage is not None
            storage.purpose = purpose
        self.step = 0  # steps submitted
        self.first_sample = 0  # of a batch, in the order of a data set on the device
        self._first_of_validation = True
        self._recorded: dict[Any, RecordedStep] = {}  # for batches that are repeated
        self.train = CompiledStep(self._train)
        self.validate = CompiledStep(self._validate)
        self.predict = CompiledStep(self._predict)

    @property
    def is_classification(self) -> bool:
        """Whether targets are class labels."""
        return isinstance(self.loss_fn, CrossEntropyLoss | NLLLoss) or accuracy in self._metrics.values()

    def _values(self, output: Tensor, loss: Tensor, target: Tensor) -> Tensor:
        values = [measured(name, metric, output.detach(), target) for name, metric in self._metrics.items()]
        return ops.stack([ops.reshape(loss.detach(), ()), *values])

    def _reads_parts(self) -> None:
        """The steps are recorded again when one of these is replaced, or what the user's code reads changes."""
        for name in ("model", "loss_fn", "optimizer"):
            used_item(self.__dict__, name)
        for part in (self.model, self.loss_fn, *self._metrics.values()):
            used(part)

    def _train(self, x: Any, y: Any, order: Tensor | None = None, count: int = 0) -> None:
        """Train on a batch; with ``order``, on ``count`` samples of the data set that ``x`` and ``y`` are then."""
        self._reads_parts()
        if order is not None:
            first = ops.step_scalar(lambda: self.first_sample, dtype=order.dtype)
            rows = ops.index_select(order, 0, ops.arange(count) + first)
            x, y = _selected(x, rows), _selected(y, rows)
        self.optimizer.zero_grad()
        output = self.model(x)
        loss = self.loss_fn(output, y)
        loss.backward()
        with no_grad():
            values = self._values(output, loss, y)
            broken = ops.maximum(self.broken, ops.logical_not(ops.isfinite(loss.detach())).float())
            self.optimizer.step(found_inf=broken)
            self.broken.copy_(broken)
            slot = ops.step_scalar(lambda: self.step % LOG_ROWS, dtype=ops.arange(1).dtype)
            row = ops.unsqueeze(ops.arange(LOG_ROWS), 1) == slot
            self.log.copy_(ops.where(row, ops.unsqueeze(values, 0), self.log))

    def _validate(self, x: Tensor, y: Tensor) -> None:
        self._reads_parts()
        with no_grad():
            output = self.model(x)
            values = self._values(output, self.loss_fn(output, y), y)
            samples = float(x.shape[0])
            keep = ops.step_scalar(lambda: 0.0 if self._first_of_validation else 1.0)
            self.sums.copy_(self.sums * keep + ops.cat([values * samples, ops.full((1,), samples)]))

    def _predict(self, x: Tensor) -> Tensor:
        self._reads_parts()
        with no_grad():
            output = self.model(x)
            return ops.softmax(output, 1) if self.is_classification and output.ndim == 2 else output * 1.0

    def mend(self) -> None:
        """Enable updates again after a loss that was not finite."""
        self.broken.zero_()

    def run_train(self, batch: Batch) -> None:
        """Queue one training step; it may wait for later ones to be submitted with."""
        session, repeated = self.session, batch.repeated
        session.device.defers = not self.train.timed
        try:
            recorded = self._recorded.get(repeated)
            if recorded is None or session.profiler is not None or not recorded.holds():
                self.train(*batch.arguments())
                if repeated is not None:
                    self._recorded[repeated] = self.train.record(*batch.arguments())
            else:  # it need not be looked for
                with session.lock:
                    recorded.run(batch.tensors(), timed=self.train.timed)
        finally:
            session.device.defers = False
        self.step += 1

    def forget_batches(self) -> None:
        """A run has ended."""
        self._recorded.clear()

    def run_validate(self, x: np.ndarray, y: np.ndarray, *, first: bool) -> None:
        """Queue one validation step; the first one of a pass resets the sums."""
        self._first_of_validation = first
        self.validate(Tensor._of(x), Tensor._of(y))

    async def validation_means(self) -> dict[str, float]:
        """Mean loss and metrics over the samples of the last validation pass."""
        (sums,) = await read(self.sums)
        return {name: float(v / sums[-1]) for name, v in zip(self.names, sums, strict=False)}


def _selected(field: Any, rows: Tensor) -> Tensor:
    """Samples of a data set on the device; a field is a tensor, or bytes with what each of them stands for."""
    if not isinstance(field, tuple):
        return ops.index_select(field, 0, rows)
    numbers = ops.index_select(field[0], 0, rows)
    return ops.reshape(ops.index_select(field[1], 0, ops.reshape(numbers, (-1,)).int()), numbers.shape)
