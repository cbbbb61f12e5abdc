"""PyTorch's ``torch.func``: functions that differentiate, or call for each slice of a batch, other functions.

All of them nest, in any order. What they differentiate goes through backward passes, forward mode too.
"""

from typing import Any as _Any

from tabgrad.func.batched import vmap
from tabgrad.func.jacobians import hessian, jacfwd, jacrev
from tabgrad.func.stateless import functional_call, stack_module_state
from tabgrad.func.transforms import grad, grad_and_value, jvp, vjp
from tabgrad.late import missing_name as _missing_name

__all__ = [
    "functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "stack_module_state", "vjp",
    "vmap",
]  # fmt: skip


def __getattr__(name: str) -> _Any:
    raise _missing_name(__name__, name)
