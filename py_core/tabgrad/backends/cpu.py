"""PyTorch's ``torch.backends.cpu``."""


def get_cpu_capability() -> str:
    """The instructions that kernels of PyTorch would use; none here."""
    return "DEFAULT"
