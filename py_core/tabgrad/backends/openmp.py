"""PyTorch's ``torch.backends.openmp``."""


def is_available() -> bool:
    """False."""
    return False
