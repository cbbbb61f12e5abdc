"""PyTorch's ``torch.backends.cuda``: products are computed in float32, and attention in one kernel, whatever is set."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

matmul = SimpleNamespace(
    allow_tf32=False, allow_fp16_reduced_precision_reduction=True, allow_bf16_reduced_precision_reduction=True
)


def is_built() -> bool:
    """False."""
    return False


def flash_sdp_enabled() -> bool:
    """True: attention never stores the matrix of scores."""
    return True


def enable_flash_sdp(enabled: bool) -> None:
    """Accepted; there is one way to compute attention."""


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Accepted; there is one way to compute attention."""


def enable_math_sdp(enabled: bool) -> None:
    """Accepted; there is one way to compute attention."""


@contextlib.contextmanager
def sdp_kernel(*args: Any, **kwargs: Any) -> Iterator[None]:
    """Accepted; there is one way to compute attention."""
    yield
