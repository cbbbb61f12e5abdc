"""PyTorch's import paths of layers, such as ``torch.nn.modules.conv.Conv2d``: all are in :mod:`tabgrad.nn`."""

import importlib
import sys
from types import ModuleType
from typing import Any

from tabgrad.late import missing_name

_FILES = (
    "activation", "adaptive", "batchnorm", "channelshuffle", "container", "conv", "distance", "dropout", "flatten",
    "fold", "instancenorm", "linear", "loss", "module", "normalization", "padding", "pixelshuffle", "pooling", "rnn",
    "sparse", "transformer", "upsampling",
)  # fmt: skip


class _File(ModuleType):
    """A file of PyTorch's layers: its names are those of :mod:`tabgrad.nn`."""

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module("tabgrad.nn"), name)


def _made(name: str) -> ModuleType:
    path = f"{__name__}.{name}"
    return sys.modules.setdefault(path, _File(path, f"PyTorch's ``torch.nn.modules.{name}``."))


def __getattr__(name: str) -> Any:
    if name in _FILES:
        return _made(name)
    if name.startswith("__"):
        raise missing_name(__name__, name)
    return getattr(importlib.import_module("tabgrad.nn"), name)
