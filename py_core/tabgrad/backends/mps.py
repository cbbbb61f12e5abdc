"""PyTorch's ``torch.backends.mps``."""


def is_available() -> bool:
    """False: a Mac's GPU is used through WebGPU."""
    return False


def is_built() -> bool:
    """False."""
    return False


def is_macos13_or_newer() -> bool:
    """False."""
    return False
