"""L-BFGS, which reads the loss and the gradients on the host."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tabgrad.autograd import enable_grad, no_grad
from tabgrad.errors import ArgumentError
from tabgrad.optim.optimizer import Optimizer
from tabgrad.optim.ranges import check_numbers
from tabgrad.optim.strong_wolfe import Point, line_search
from tabgrad.runtime.reads import read_now
from tabgrad.tensor import Tensor


class LBFGS(Optimizer):
    """Quasi-Newton steps, each of several iterations with a loss and gradients that a closure computes again.

    Each evaluation waits for the device. The history is kept on the host: ``2 history_size`` times the parameters.

    Args:
        params: parameters; one group.
        lr: length of a step without a line search, and the first one of it.
        max_iter, max_eval: iterations and evaluations of one :meth:`step`; ``max_eval`` is ``1.25 max_iter`` if None.
        tolerance_grad: it ends where no gradient is larger.
        tolerance_change: it ends where parameters or loss change less.
        history_size: steps that the inverse Hessian is estimated of.
        line_search_fn: ``strong_wolfe``, or None.

    Source: Liu & Nocedal 1989, https://doi.org/10.1007/BF01589116
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float | Tensor = 1,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9,
        history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:
        defaults = {
            "lr": lr, "max_iter": max_iter, "max_eval": max_iter * 5 // 4 if max_eval is None else max_eval,
            "tolerance_grad": tolerance_grad, "tolerance_change": tolerance_change, "history_size": history_size,
            "line_search_fn": line_search_fn,
        }  # fmt: skip
        super().__init__(params, defaults)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """The only group."""
        if self.param_groups:
            raise ArgumentError("LBFGS: expected one group of parameters, got another one")
        super().add_param_group(param_group)

    def _check(self, group: dict[str, Any]) -> None:
        check_numbers(
            "LBFGS", group, "lr", "max_iter", "max_eval", "tolerance_grad", "tolerance_change", "history_size"
        )
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise ArgumentError(
                f"LBFGS: expected line_search_fn 'strong_wolfe' or None, got {group['line_search_fn']!r}"
            )

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Take up to ``max_iter`` iterations.

        Args:
            closure: sets the gradients to zero, computes the loss, calls ``backward()`` and returns the loss.

        Returns:
            The loss before the first iteration.
        """
        if not callable(closure):
            raise TypeError(f"LBFGS: expected a closure that computes the loss again, got {type(closure).__name__}")
        with no_grad():
            return self._minimize(closure, self.param_groups[0])

    def _minimize(self, closure: Callable[[], Any], group: dict[str, Any]) -> Any:
        lr = float(self._lrs.of(group))
        state = self.state[group["params"][0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)
        at = _flat(read_now(*group["params"]))
        found, loss, grad = self._evaluate(closure)
        evaluated = 1
        state["func_evals"] += 1
        if np.abs(grad).max(initial=0) <= group["tolerance_grad"]:
            return found
        history = _History(state)
        direction, t = history.direction, history.t
        for count in range(1, group["max_iter"] + 1):
            state["n_iter"] += 1
            if state["n_iter"] == 1:
                direction = -grad
                t = min(1.0, 1.0 / float(np.abs(grad).sum())) * lr
            else:
                history.add(grad, direction, t, group["history_size"])
                direction = history.newton(grad)
                t = lr
            history.grad, history.loss = grad, loss
            before, slope = loss, _dot(grad, direction)
            if slope > -group["tolerance_change"]:
                break
            done = 0
            if group["line_search_fn"] is not None:
                base = at

                def point(t: float, base: np.ndarray = base, along: np.ndarray = direction) -> Point:
                    self._set(base + np.float32(t) * along)
                    _, value, slopes = self._evaluate(closure)
                    return Point(t, value, slopes, _dot(slopes, along))

                most = group["max_eval"] - evaluated
                best, done = line_search(point, Point(0.0, loss, grad, slope), t, direction, most)
                t, loss, grad = best.t, best.loss, best.grad
                at = base + np.float32(t) * direction
                self._set(at)
            else:
                at = at + np.float32(t) * direction
                self._set(at)
                if count < group["max_iter"]:
                    _, loss, grad = self._evaluate(closure)
                    done = 1
            evaluated += done
            state["func_evals"] += done
            if (
                count == group["max_iter"]
                or evaluated >= group["max_eval"]
                or np.abs(grad).max() <= group["tolerance_grad"]
                or np.abs(direction * np.float32(t)).max() <= group["tolerance_change"]
                or abs(loss - before) < group["tolerance_change"]
            ):
                break
        history.direction, history.t = direction, t
        history.save(state)
        return found

    def _evaluate(self, closure: Callable[[], Any]) -> tuple[Any, float, np.ndarray]:
        """What the closure returns, and the loss and the gradient on the host."""
        with enable_grad():
            found = closure()
        params = self.param_groups[0]["params"]
        given = [p.grad for p in params if p.grad is not None]
        loss, *grads = read_now(found, *given) if isinstance(found, Tensor) else (found, *read_now(*given))
        values = iter(grads)
        return found, float(loss), _flat([np.zeros(p.shape) if p.grad is None else next(values) for p in params])

    def _set(self, values: np.ndarray) -> None:
        start = 0
        for p in self.param_groups[0]["params"]:
            p.copy_(values[start : start + p.numel()].reshape(p.shape))
            start += p.numel()


class _History:
    """Changes of the gradient and of the parameters in recent iterations, as a state dict has them."""

    def __init__(self, state: dict[str, Any]) -> None:
        self.changes = [_vector(v) for v in state.get("old_dirs", ())]
        self.steps = [_vector(v) for v in state.get("old_stps", ())]
        self.weights = [float(v) for v in state.get("ro", ())]
        self.scale = float(state.get("H_diag", 1.0))
        self.direction, self.t = _vector(state.get("d", ())), float(state.get("t", 0.0))
        self.grad = _vector(state.get("prev_flat_grad", ()))
        self.loss = float(state.get("prev_loss", 0.0))

    def add(self, grad: np.ndarray, direction: np.ndarray, t: float, most: int) -> None:
        """The iteration before, unless the curvature along it is not positive."""
        change, step = grad - self.grad, direction * np.float32(t)
        curvature = _dot(change, step)
        if curvature <= 1e-10:
            return
        if len(self.changes) == most:
            for values in (self.changes, self.steps, self.weights):
                values.pop(0)
        self.changes.append(change)
        self.steps.append(step)
        self.weights.append(1 / curvature)
        self.scale = curvature / _dot(change, change)

    def newton(self, grad: np.ndarray) -> np.ndarray:
        """Minus the estimated inverse Hessian times the gradient, by the two loops of the method."""
        along = -grad
        factors = []
        triples = list(zip(self.changes, self.steps, self.weights, strict=True))
        for change, step, weight in reversed(triples):
            factor = _dot(step, along) * weight
            factors.append(factor)
            along = along - np.float32(factor) * change
        along = along * np.float32(self.scale)
        for (change, step, weight), factor in zip(triples, reversed(factors), strict=True):
            along = along + np.float32(factor - _dot(change, along) * weight) * step
        return along

    def save(self, state: dict[str, Any]) -> None:
        """Under PyTorch's names."""
        state.update(
            d=self.direction, t=self.t, old_dirs=self.changes, old_stps=self.steps, ro=self.weights,
            H_diag=self.scale, prev_flat_grad=self.grad, prev_loss=self.loss,
        )  # fmt: skip


def _flat(values: Iterable[Any]) -> np.ndarray:
    return np.concatenate([np.asarray(v, np.float32).reshape(-1) for v in values])


def _vector(value: Any) -> np.ndarray:
    return np.asarray(value.numpy() if isinstance(value, Tensor) else value, np.float32)


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.dot(a.astype(np.float64), b.astype(np.float64)))


__all__ = ["LBFGS"]
