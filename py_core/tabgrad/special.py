"""PyTorch's ``torch.special``."""

from typing import Any as _Any

from tabgrad import names as _names
from tabgrad import ops as _ops
from tabgrad.late import missing_name as _missing_name
from tabgrad.ops.rare import special_functions as _functions

_SAME = (
    "digamma", "erf", "erfc", "erfinv", "exp2", "expm1", "i0", "log1p", "log_softmax", "logit", "logsumexp",
    "polygamma", "round", "sinc", "softmax", "xlogy",
)  # fmt: skip
_OTHERWISE = {
    "expit": "sigmoid", "gammaln": "lgamma", "multigammaln": "mvlgamma", "psi": "digamma", "gammainc": "igamma",
    "gammaincc": "igammac",
}  # fmt: skip

assert _functions.__all__, "its import declares them"
globals().update(_names.namespace("special"))

__all__ = sorted({*_names.namespace("special"), *_SAME, *_OTHERWISE})


def __getattr__(name: str) -> _Any:
    if name not in __all__:
        raise _missing_name("tabgrad.special", name)
    return getattr(_ops, _OTHERWISE.get(name, name))
