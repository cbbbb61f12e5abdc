"""PyTorch's own samples for its functions, run on tabgrad and compared: what works, what is refused, what is wrong."""
