"""PyTorch's ``torch.nn.utils``: functions on parameters, gradients and modules."""

from importlib import import_module as _import_module
from typing import Any as _Any

from tabgrad.argument_errors import reword_all as _reword_all
from tabgrad.late import missing_name as _missing_name
from tabgrad.nn.utils.clip_grad import (
    clip_grad_norm_,
    clip_grad_value_,
    clip_grads_with_norm_,
    get_total_norm,
)

__all__ = ["clip_grad_norm_", "clip_grad_value_", "clip_grads_with_norm_", "get_total_norm"]

_reword_all(globals(), __all__)

_LATE = {  # a page starts without them
    "convert_parameters": "parameters_to_vector vector_to_parameters",
    "former_norms": "remove_spectral_norm remove_weight_norm spectral_norm weight_norm",
    "fusion": "fuse_conv_bn_eval fuse_conv_bn_weights fuse_linear_bn_eval fuse_linear_bn_weights",
    "init": "skip_init",
    "parametrizations": "",
    "parametrize": "",
    "rnn": "",
    "stateless": "",
}


def __getattr__(name: str) -> _Any:
    if name in _LATE:
        return _import_module(f"tabgrad.nn.utils.{name}")
    for file, names in _LATE.items():
        if name in names.split():
            return getattr(_import_module(f"tabgrad.nn.utils.{file}"), name)
    if name == "prune":
        raise NotImplementedError("nn.utils.prune is not supported; multiply the weights by a mask in forward")
    raise _missing_name("tabgrad.nn.utils", name)
