"""The name ``torch`` for this package: modules of that name are looked up here, when they are imported."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from tabgrad.errors import TabgradError
from tabgrad.missing import nearest

_PACKAGE = "tabgrad"
_BESIDE = {  # packages that need PyTorch itself
    "torchaudio": "read the sound as NumPy arrays, and pass them to tabgrad.data.TensorDataset",
    "torchtext": "encode the text as integers, and pass them to tabgrad.data.TensorDataset",
    "torchvision": "tabgrad.data has ImageDataset and datasets.digits(); a model's layers are in tabgrad.nn",
}


def install_as_torch(rng: str | None = None) -> None:
    """Make ``import torch``, and all that is imported of it, mean tabgrad, for the rest of this process.

    ``import torch.nn as nn``, ``from torch.utils.data import DataLoader`` and so on give tabgrad's modules, each
    imported when it is asked for. What tabgrad does not have raises an error that names the nearest thing.

    Args:
        rng: ``"torch"``: one seed gives PyTorch's random numbers, as :class:`tabgrad.compat.torch_rng` does.

    Raises:
        TabgradError: the real PyTorch has been imported already; or another ``rng``.
    """
    if rng not in (None, "torch"):
        raise TabgradError(f"install_as_torch: expected rng as 'torch' or None, got {rng!r}")
    found = sys.modules.get("torch")
    here = sys.modules[_PACKAGE]
    if found is not None and found is not here:
        raise TabgradError(
            f"install_as_torch: expected a process that has not imported torch, got one with PyTorch "
            f"{getattr(found, '__version__', '')}; call it before any import of torch, or start a new process"
        )
    if not any(isinstance(finder, TorchFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, TorchFinder())
    sys.modules["torch"] = here
    if rng is not None:
        importlib.import_module("tabgrad.compat.rng_switch").torch_rng()


def remove_as_torch() -> None:
    """Undo :func:`install_as_torch`: the next ``import torch`` means PyTorch again."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, TorchFinder)]
    if sys.modules.get("torch") is sys.modules[_PACKAGE]:
        for name in [name for name in sys.modules if name == "torch" or name.startswith("torch.")]:
            del sys.modules[name]


class TorchFinder(MetaPathFinder):
    """Finds ``torch.X`` as ``tabgrad.X``; packages that need PyTorch itself are refused by name."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A module's spec, or None of modules that have nothing to do with PyTorch."""
        root, _, rest = fullname.partition(".")
        if root == "torch":
            return ModuleSpec(fullname, _Alias(), is_package=True)
        if root in _BESIDE and not rest:
            raise ModuleNotFoundError(f"{root} needs PyTorch itself; with tabgrad, {_BESIDE[root]}", name=root)
        return None


class _Alias(Loader):
    """Puts a module of tabgrad in the place of one of PyTorch's."""

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        sys.modules[name] = _module(name)  # the import statement takes it from there


def _module(name: str) -> Any:
    """The module of tabgrad that PyTorch calls ``name``.

    Raises:
        ModuleNotFoundError: there is none.
    """
    ours = _PACKAGE + name.removeprefix("torch")
    try:
        return importlib.import_module(ours)
    except ModuleNotFoundError as error:
        if error.name is None or not (ours == error.name or ours.startswith(f"{error.name}.")):
            raise  # a module that one of ours needs
    parent, _, last = ours.rpartition(".")
    found = getattr(importlib.import_module(parent), last, None)
    if isinstance(found, ModuleType):
        return found
    raise ModuleNotFoundError(
        f"{name} is not in tabgrad yet; {nearest(parent, ours.removeprefix(_PACKAGE + '.'))}", name=name
    ) from None


__all__ = ["TorchFinder", "install_as_torch", "remove_as_torch"]
