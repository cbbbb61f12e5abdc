"""PyTorch's ``torch.utils.data.dataloader``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tabgrad.data import DataLoader, default_collate
from tabgrad.data.collate import default_convert


@dataclass(frozen=True)
class WorkerInfo:
    """What a worker process knows of itself."""

    id: int
    num_workers: int
    seed: int
    dataset: Any


def get_worker_info() -> WorkerInfo | None:
    """None: the training process prepares the batches."""
    return None


__all__ = ["DataLoader", "WorkerInfo", "default_collate", "default_convert", "get_worker_info"]
