"""PyTorch's ``torch.autograd``: gradients over recorded ops.

A tensor that needs a gradient remembers the op that made it, the op's inputs, and its attributes. A backward pass walks
those records from the result to the leaves; every op's gradient is itself written in ops, so gradients can be
differentiated again (``create_graph=True``).

``Function``, ``functional``, ``gradcheck`` and what few programs need are imported when they are first used.
"""

from __future__ import annotations

import importlib
from typing import Any

from tabgrad.autograd.anomaly import detect_anomaly, set_detect_anomaly
from tabgrad.autograd.applied import apply, record
from tabgrad.autograd.gradients import backward, grad
from tabgrad.autograd.records import Context
from tabgrad.autograd.variable import Variable
from tabgrad.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    no_grad,
    set_grad_enabled,
)
from tabgrad.late import missing_name

_LATE = {
    "Function": "tabgrad.autograd.function",
    "function": "tabgrad.autograd.function",
    "functional": "tabgrad.autograd.functional",
    "graph": "tabgrad.autograd.graph",
    "GradcheckError": "tabgrad.func.numeric",
    "gradcheck": "tabgrad.func.numeric",
    "gradgradcheck": "tabgrad.func.numeric",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        module = importlib.import_module(_LATE[name])
        return module if module.__name__ == f"tabgrad.autograd.{name}" else getattr(module, name)
    if name in ("forward_ad", "profiler"):
        remedy = "tabgrad.func.jvp" if name == "forward_ad" else "tabgrad.profile"
        raise NotImplementedError(f"tabgrad.autograd.{name} does not exist; use {remedy}")
    raise missing_name("tabgrad.autograd", name)


__all__ = [
    "Context", "Variable", "apply", "backward", "detect_anomaly", "enable_grad", "grad", "inference_mode",
    "is_grad_enabled", "no_grad", "record", "set_detect_anomaly", "set_grad_enabled",
]  # fmt: skip
