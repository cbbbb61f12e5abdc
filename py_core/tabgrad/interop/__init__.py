"""Files that other frameworks read and write. ``save`` and ``load`` are ``tabgrad.save`` and ``.load``."""

from tabgrad.interop import safetensors
from tabgrad.interop.safetensors import load_file as load
from tabgrad.interop.safetensors import save_file as save

__all__ = ["load", "safetensors", "save"]
