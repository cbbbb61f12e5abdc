"""Datasets, samplers and the loader; all on the host, in NumPy."""

from tabgrad.argument_errors import reword_all as _reword_all
from tabgrad.data import datasets
from tabgrad.data.collate import default_collate
from tabgrad.data.dataset import Dataset, Subset, TensorDataset
from tabgrad.data.images import ImageDataset
from tabgrad.data.loader import DataLoader
from tabgrad.data.sampler import RandomSampler, Sampler, SequentialSampler
from tabgrad.data.split import random_split

__all__ = [
    "DataLoader",
    "Dataset",
    "ImageDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "Subset",
    "TensorDataset",
    "datasets",
    "default_collate",
    "random_split",
]

_reword_all(globals(), [name for name in __all__ if name != "datasets"])
