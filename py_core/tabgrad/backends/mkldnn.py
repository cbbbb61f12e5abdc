"""PyTorch's ``torch.backends.mkldnn``."""


def is_available() -> bool:
    """False."""
    return False
