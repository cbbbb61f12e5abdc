"""PyTorch's ``torch.autograd.graph``: records as users see them. What a record keeps cannot be replaced here."""

from __future__ import annotations

from typing import Any

from tabgrad.autograd.records import Context

Node = Context


_REMEDIES = {
    "saved_tensors_hooks": "tabgrad.utils.checkpoint.checkpoint recomputes what would be saved",
    "save_on_cpu": "tabgrad.utils.checkpoint.checkpoint recomputes what would be saved",
    "disable_saved_tensors_hooks": "nothing is packed here, so leave it away",
    "register_multi_grad_hook": "use register_hook() of each tensor",
    "allow_mutation_on_saved_tensors": "clone() what is changed in place",
    "get_gradient_edge": "pass the tensor itself to tabgrad.autograd.grad",
    "increment_version": "change tensors by their methods, which do so",
}


def __getattr__(name: str) -> Any:
    if name in _REMEDIES:
        raise NotImplementedError(f"tabgrad.autograd.graph.{name} does not exist; {_REMEDIES[name]}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = ["Node"]
