"""The trainer, which a script uses. Each call of ``fit`` makes a :class:`tabgrad.train.run.Run`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tabgrad.data import DataLoader
from tabgrad.errors import TabgradError
from tabgrad.metrics import Collector, MetricFunction, pick_collectors
from tabgrad.nn import Module
from tabgrad.optim import Optimizer
from tabgrad.train.history import History
from tabgrad.train.run import Run
from tabgrad.train.steps import Loss, Steps
from tabgrad.train.trainer_inputs import check_loader, check_parts, input_and_target


class Trainer:
    """Trains a model from loaders of (input, target) batches.

    Args:
        model: the module to train.
        loss_fn: ``loss_fn(output, target)`` gives the 0-d mean loss of a batch.
        optimizer: over the model's parameters.
        metrics: in addition to the loss: names (``"accuracy"``, ``"mae"``, ``"mse"``), or functions of
            (output, target) that return a 0-d tensor, a mean over samples; a function's name is its ``__name__``.
        collectors: of times, memory and load; default those that work on this platform.

    Each step is recorded once per batch shape and replayed. Progress goes out as events
    (:mod:`tabgrad.train.events`); pause, resume, step, stop and the learning rate come in as messages
    (:mod:`tabgrad.train.control`) that take effect between steps.
    """

    def __init__(
        self,
        model: Module,
        loss_fn: Loss,
        optimizer: Optimizer,
        metrics: Sequence[str | MetricFunction] = (),
        *,
        collectors: Sequence[Collector] | None = None,
    ) -> None:
        named = check_parts(model, loss_fn, optimizer, metrics)
        self.steps = Steps(model, loss_fn, optimizer, named)
        self.collectors = list(pick_collectors() if collectors is None else collectors)
        self.history: dict[str, list[dict[str, float]]] = {"train": [], "validation": []}
        self._kept = {name: History() for name in self.history}

    @property
    def model(self) -> Module:
        """What is trained; another one may take its place between runs, with an optimizer of its own."""
        return self.steps.model

    @model.setter
    def model(self, model: Module) -> None:
        check_parts(model, self.loss_fn, self.optimizer, ())
        self.steps.model = model

    @property
    def optimizer(self) -> Optimizer:
        """What updates the model; it may be replaced."""
        return self.steps.optimizer

    @optimizer.setter
    def optimizer(self, optimizer: Optimizer) -> None:
        check_parts(self.model, self.loss_fn, optimizer, ())
        self.steps.optimizer = optimizer

    @property
    def loss_fn(self) -> Loss:
        """What is minimised; it may be replaced."""
        return self.steps.loss_fn

    @loss_fn.setter
    def loss_fn(self, loss_fn: Loss) -> None:
        check_parts(self.model, loss_fn, self.optimizer, ())
        self.steps.loss_fn = loss_fn

    async def fit(self, train: DataLoader, validation: DataLoader | None = None, epochs: int = 1) -> dict[str, Any]:
        """Train for some epochs, validating after each; returns the history of metrics.

        The history holds at most about 3,000 points of each kind: the newest thousand, the first, and every n-th of
        those between. The events of a run have them all.

        Data that is made of arrays (``TensorDataset``, ``ImageDataset``, subsets of them) and fits on the device is
        uploaded when training begins; until it ends the arrays are read-only. To change data meanwhile, write a
        ``Dataset`` that makes its samples in ``__getitem__``.

        Raises:
            NotFiniteError: the loss became NaN or infinite; names the step and the first such tensor.
            TabgradError: there is nothing to train or validate on, batches are not pairs, or another run is active.
        """
        run = Run(self.steps, self.collectors, train, validation, epochs)
        try:
            with self.steps.session:
                await run.run()
        finally:
            self._remember("train", run.reporter.history)
            self._remember("validation", run.validations)
        return self.history

    def _remember(self, name: str, added: History) -> None:
        kept, shown = self._kept[name], self.history[name]
        if shown != kept.points():  # the script has changed it
            kept = self._kept[name] = History(shown)
        kept.extend(added.points())
        shown[:] = kept.points()

    async def evaluate(self, loader: DataLoader) -> dict[str, float]:
        """Mean loss and metrics over a loader, in evaluation mode.

        Raises:
            TabgradError: the loader gives no batch, or batches that are no pairs.
        """
        check_loader(loader, "evaluate")
        was_training = self.model.training
        self.model.eval()
        batches = 0
        try:
            with self.steps.session as session:
                async for batch in loader.numpy_batches_async():
                    self.steps.run_validate(*input_and_target(batch, "evaluate"), first=batches == 0)
                    batches += 1
                    await session.device.breathe()
                if not batches:
                    raise TabgradError("evaluate: expected at least one batch, got a loader that gives none")
                return await self.steps.validation_means()
        finally:
            self.model.train(was_training)
