"""Base class of measures that are updated batch by batch."""

from __future__ import annotations

from typing import Any

from tabgrad.autograd import no_grad
from tabgrad.errors import TabgradError
from tabgrad.ops import cat
from tabgrad.tensor import Tensor


class Metric:
    """A measure of a model's results over many batches, as torchmetrics has it.

    A subclass calls :meth:`add_state` in ``__init__``, changes these attributes in :meth:`update`, and makes a tensor
    of them in :meth:`compute`. All of it is computed on the device; nothing waits until a value is read::

        metric = tg.metrics.Accuracy(task="multiclass", num_classes=10)
        for x, y in loader:
            metric.update(model(x), y)
        print(metric.compute().item())
        metric.reset()
    """

    def __init__(self) -> None:
        self._defaults: dict[str, Tensor | list[Tensor]] = {}
        self._updates = 0

    def add_state(self, name: str, default: Tensor | list[Tensor]) -> None:
        """Declare an attribute that :meth:`reset` sets to its default: a tensor, or an empty list to which ``update``
        appends tensors.

        Raises:
            TabgradError: a list that is not empty, or something else.
        """
        if not isinstance(default, Tensor) and default != []:
            raise TabgradError(
                f"add_state: expected a tensor or an empty list as the default of {name!r}, got {default!r}"
            )
        self._defaults[name] = default
        self._set(name)

    def _set(self, name: str) -> None:
        default = self._defaults[name]
        setattr(self, name, default.clone() if isinstance(default, Tensor) else [])

    def update(self, *args: Any) -> None:
        """Take a batch into account."""
        raise NotImplementedError(f"{type(self).__name__}: expected a measure that defines update")

    def compute(self) -> Any:
        """The measure over all batches since the last :meth:`reset`."""
        raise NotImplementedError(f"{type(self).__name__}: expected a measure that defines compute")

    def reset(self) -> None:
        """Forget all batches."""
        self._updates = 0
        for name in self._defaults:
            self._set(name)

    def __call__(self, *args: Any) -> Any:
        """Take a batch into account, and return the measure of this batch alone."""
        kept, updates = {name: getattr(self, name) for name in self._defaults}, self._updates
        self.reset()
        self.update(*args)
        value = self.compute()
        for name in self._defaults:
            self._set(name)
            setattr(self, name, kept[name])
        self._updates = updates
        self.update(*args)
        return value

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "update" in vars(cls):
            cls.update = _counted(cls.update)  # type: ignore[method-assign]
        if "compute" in vars(cls):
            cls.compute = _of_some(cls.compute)  # type: ignore[method-assign]


def _counted(update: Any) -> Any:
    def counted(self: Metric, *args: Any, **kwargs: Any) -> None:
        with no_grad():
            update(self, *args, **kwargs)
        self._updates += 1

    counted.__doc__ = update.__doc__
    return counted


def _of_some(compute: Any) -> Any:
    def checked(self: Metric) -> Any:
        if not self._updates:
            raise TabgradError(
                f"{type(self).__name__}.compute: expected a batch before, got none since the last reset(); "
                f"call update(output, target)"
            )
        with no_grad():
            return compute(self)

    checked.__doc__ = compute.__doc__
    return checked


def joined(parts: list[Tensor]) -> Tensor:
    """Batches one after another."""
    return parts[0] if len(parts) == 1 else cat(parts)


__all__ = ["Metric"]
