"""Calls of modules with other parameters than their own: PyTorch's former place of ``torch.func.functional_call``."""

from importlib import import_module

functional_call = import_module("tabgrad.func.stateless").functional_call

__all__ = ["functional_call"]
