"""PyTorch's ``torch.utils``, of which there is :mod:`tabgrad.utils.checkpoint`."""
