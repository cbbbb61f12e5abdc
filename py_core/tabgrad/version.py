"""PyTorch's ``torch.version``: tabgrad's own; there is no CUDA."""

import importlib

__version__: str = importlib.import_module("tabgrad").__version__

cuda: str | None = None
hip: str | None = None
git_version: str | None = None
debug = False

__all__ = ["__version__", "cuda", "debug", "git_version", "hip"]
