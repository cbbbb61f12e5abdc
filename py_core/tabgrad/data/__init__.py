"""Datasets, samplers and the loader; all on the host, in NumPy."""

from tabgrad.data import datasets
from tabgrad.data.collate import default_collate
from tabgrad.data.dataset import Dataset, Subset, TensorDataset
from tabgrad.data.images import ImageDataset
from tabgrad.data.loader import DataLoader
from tabgrad.data.sampler import RandomSampler, Sampler, SequentialSampler
from tabgrad.data.split import random_split
from tabgrad.explained import explain_all as _explain_all

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

_explain_all(globals(), [name for name in __all__ if name != "datasets"])
