"""PyTorch's ``GradScaler``, which scales a loss so that gradients in float16 do not vanish."""

from __future__ import annotations

import warnings
from typing import Any


class GradScaler:
    """A scaler that is disabled, as PyTorch's is where there is no CUDA: the scale is 1, and ``step`` takes each step.

    Gradients are float32 here, and need no scale. A warning says so where one is asked for.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._factors = (growth_factor, backoff_factor, growth_interval)
        if enabled:
            warnings.warn(
                "GradScaler: gradients are float32, which needs no scale; it is disabled, and skips no step",
                UserWarning,
                stacklevel=2 if type(self) is GradScaler else 3,
            )

    def scale(self, outputs: Any) -> Any:
        """``outputs`` as they are."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Nothing to do: gradients have no scale."""

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """``optimizer.step(*args, **kwargs)``."""
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Nothing to do: the scale stays 1."""

    def get_scale(self) -> float:
        """1."""
        return 1.0

    def get_growth_factor(self) -> float:
        """The factor that was given."""
        return self._factors[0]

    def get_backoff_factor(self) -> float:
        """The factor that was given."""
        return self._factors[1]

    def get_growth_interval(self) -> int:
        """The number of steps that was given."""
        return self._factors[2]

    def is_enabled(self) -> bool:
        """False."""
        return False

    def state_dict(self) -> dict[str, Any]:
        """Empty, as of a disabled scaler of PyTorch's."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Accept any state: nothing of it is used."""


__all__ = ["GradScaler"]
