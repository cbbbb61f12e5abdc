"""Files that other frameworks read and write. ``save`` and ``load`` are ``tabgrad.save`` and ``.load``."""

from tabgrad.interop import safetensors
from tabgrad.interop.saving import load, save

__all__ = ["load", "safetensors", "save"]
