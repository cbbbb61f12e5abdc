"""PyTorch's ``torch.cuda.amp``: see :mod:`tabgrad.amp`."""

from __future__ import annotations

from typing import Any

from tabgrad import amp
from tabgrad.amp import custom_bwd, custom_fwd
from tabgrad.dtypes import DType, float16
from tabgrad.late import missing_name


class autocast(amp.autocast):
    """:class:`tabgrad.amp.autocast` for CUDA, which is not named."""

    def __init__(self, enabled: bool = True, dtype: DType = float16, cache_enabled: bool = True) -> None:
        super().__init__("cuda", dtype, enabled, cache_enabled)


class GradScaler(amp.GradScaler):
    """:class:`tabgrad.amp.GradScaler` for CUDA, which is not named."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("cuda", *args, **kwargs)


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)


__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]
