"""PyTorch's ``torch.backends.cudnn``. The same seed gives the same numbers here whatever is set."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

enabled: bool = True
benchmark: bool = False
benchmark_limit: int | None = 10
deterministic: bool = False
allow_tf32: bool = True


def is_available() -> bool:
    """False."""
    return False


def version() -> int | None:
    """None."""
    return None


@contextlib.contextmanager
def flags(**given: Any) -> Iterator[None]:
    """A context with other switches; they change nothing here."""
    yield
