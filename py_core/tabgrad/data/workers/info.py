"""What a worker knows of itself."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class WorkerInfo:
    """What a worker knows of itself.

    Attributes:
        id: from 0.
        num_workers: of the loader.
        seed: differs between workers; random numbers of samples do not depend on it.
        dataset: the worker's own copy.
    """

    id: int
    num_workers: int
    seed: int
    dataset: Any


info: ContextVar[WorkerInfo | None] = ContextVar("info", default=None)


def get_worker_info() -> WorkerInfo | None:
    """Of the worker that the caller runs in; None where the training runs."""
    return info.get()


__all__ = ["WorkerInfo", "get_worker_info", "info"]
