"""PyTorch's ``torch.utils.data``: datasets, samplers and the loader."""

from typing import Any as _Any

from tabgrad.argument_errors import reword_all as _reword_all
from tabgrad.data import (
    DataLoader,
    Dataset,
    RandomSampler,
    Sampler,
    SequentialSampler,
    Subset,
    TensorDataset,
    default_collate,
    random_split,
)
from tabgrad.data.collate import default_convert
from tabgrad.late import missing_name as _missing_name
from tabgrad.utils.data.dataloader import WorkerInfo, get_worker_info
from tabgrad.utils.data.dataset import ChainDataset, ConcatDataset, IterableDataset, StackDataset
from tabgrad.utils.data.sampler import BatchSampler, SubsetRandomSampler, WeightedRandomSampler

__all__ = [
    "BatchSampler", "ChainDataset", "ConcatDataset", "DataLoader", "Dataset", "IterableDataset", "RandomSampler",
    "Sampler", "SequentialSampler", "StackDataset", "Subset", "SubsetRandomSampler", "TensorDataset",
    "WeightedRandomSampler", "WorkerInfo", "default_collate", "default_convert", "get_worker_info", "random_split",
]  # fmt: skip

_reword_all(
    globals(),
    ["BatchSampler", "ChainDataset", "ConcatDataset", "StackDataset", "SubsetRandomSampler", "WeightedRandomSampler"],
)


def __getattr__(name: str) -> _Any:
    raise _missing_name(__name__, name)
