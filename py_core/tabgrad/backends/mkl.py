"""PyTorch's ``torch.backends.mkl``."""


def is_available() -> bool:
    """False."""
    return False
