"""PyTorch's ``torch.func``: functions that differentiate, or call for each slice of a batch, other functions.

All of them nest, in any order. What they differentiate goes through backward passes, forward mode too.
"""

from tabgrad.func.batched import vmap
from tabgrad.func.jacobians import hessian, jacfwd, jacrev
from tabgrad.func.stateless import functional_call, stack_module_state
from tabgrad.func.transforms import grad, grad_and_value, jvp, vjp

__all__ = [
    "functional_call", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "stack_module_state", "vjp",
    "vmap",
]  # fmt: skip
