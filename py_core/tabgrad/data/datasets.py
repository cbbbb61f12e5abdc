"""Data sets by name: ``from tabgrad.data import datasets; datasets.digits()``."""

from tabgrad.data.bundled import diabetes, digits
from tabgrad.data.idx import idx
from tabgrad.data.npz import npz

__all__ = ["diabetes", "digits", "idx", "npz"]
