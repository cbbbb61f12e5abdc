"""PyTorch's ``torch.utils.data.dataloader``."""

from __future__ import annotations

from tabgrad.data import DataLoader, default_collate
from tabgrad.data.collate import default_convert
from tabgrad.data.workers.info import WorkerInfo, get_worker_info

__all__ = ["DataLoader", "WorkerInfo", "default_collate", "default_convert", "get_worker_info"]
