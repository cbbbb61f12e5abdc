"""Initial values, with PyTorch's names and distributions.

Values are drawn on the host, so that all devices start with the same bits and no kernel is
compiled for them. ``generator`` defaults to the one that ``tabgrad.manual_seed`` seeds.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np

from tabgrad.argument_errors import reword_all
from tabgrad.autograd import no_grad
from tabgrad.dtypes import float32
from tabgrad.errors import ShapeError, TabgradError
from tabgrad.late import missing_name
from tabgrad.ops.random_tensors import torch_draws
from tabgrad.random import Generator
from tabgrad.session import current
from tabgrad.tensor import Tensor

FanMode = Literal["fan_in", "fan_out"]

_GAINS = {
    "linear": 1.0,
    "conv1d": 1.0,
    "conv2d": 1.0,
    "conv3d": 1.0,
    "conv_transpose1d": 1.0,
    "conv_transpose2d": 1.0,
    "conv_transpose3d": 1.0,
    "sigmoid": 1.0,
    "tanh": 5.0 / 3,
    "relu": math.sqrt(2.0),
    "selu": 3.0 / 4,
}


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor of a layer's weights that compensates for the nonlinearity after it.

    Args:
        param: the negative slope of ``leaky_relu`` (default 0.01).
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise TabgradError(f"calculate_gain: expected a number as negative slope, got {param!r}")
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        raise TabgradError(
            f"calculate_gain: expected one of {', '.join([*_GAINS, 'leaky_relu'])}, got {nonlinearity!r}"
        )
    return _GAINS[nonlinearity]


def calculate_fan(shape: Sequence[int]) -> tuple[int, int]:
    """(fan in, fan out) of a weight ``[out, in, ...kernel]``.

    Raises:
        ShapeError: fewer than two dimensions.
    """
    if len(shape) < 2:
        raise ShapeError(
            f"init: expected a weight of at least 2 dimensions, got {list(shape)}; fan in and fan out are not defined"
        )
    receptive = math.prod(shape[2:])
    return shape[1] * receptive, shape[0] * receptive


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform in [a, b)."""
    if (torch := torch_draws(generator)) is not None:
        return _copied(tensor, torch.uniform_tensor(tensor.shape, tensor.dtype, a, b, tensor))
    return _fill(tensor, _source(generator).uniform_array(tensor.shape, a, b))


def normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    generator: Generator | None = None,
    *,
    zero_row: int | None = None,
) -> Tensor:
    """Normal; ``zero_row`` is 0, as for an embedding's padding."""
    if (torch := torch_draws(generator)) is not None:
        _copied(tensor, torch.normal_tensor(tensor.shape, tensor.dtype, mean, std, tensor))
        if zero_row is not None:
            with no_grad():
                tensor[zero_row] = 0
        return tensor
    values = _source(generator).normal_array(tensor.shape, mean, std)
    if zero_row is not None:
        values[zero_row] = 0
    return _fill(tensor, values)


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Normal, limited to [a, b] by drawing values outside again; ``a`` and ``b`` are not scaled by ``std``.

    Raises:
        TabgradError: fewer than one draw in a thousand is inside the limits.
    """
    root = math.sqrt(2) * std
    inside = 0.5 * (math.erf((b - mean) / root) - math.erf((a - mean) / root))
    if not inside > 1e-3:
        raise TabgradError(
            f"trunc_normal_: expected limits near the mean, got [{a}, {b}] for mean {mean} and std {std}; "
            "use uniform_ over such a narrow or distant range"
        )
    source = _source(generator, tensor)
    if source.twister is not None:
        return _fill(tensor, source.twister.truncated(tensor.numel(), mean, std, a, b))
    values = source.normal_array((tensor.numel(),), mean, std)
    while (outside := np.flatnonzero((values < a) | (values > b))).size:
        values[outside] = source.normal_array((outside.size,), mean, std)
    return _fill(tensor, values)


def constant_(tensor: Tensor, val: float) -> Tensor:
    """``val`` everywhere."""
    return _fill(tensor, np.full(tensor.shape, val))


def zeros_(tensor: Tensor) -> Tensor:
    """0 everywhere."""
    return constant_(tensor, 0.0)


def ones_(tensor: Tensor) -> Tensor:
    """1 everywhere."""
    return constant_(tensor, 1.0)


def eye_(tensor: Tensor) -> Tensor:
    """The identity matrix; ``tensor`` is ``[n, m]``."""
    if tensor.ndim != 2:
        raise ShapeError(f"eye_: expected a tensor of 2 dimensions, got {list(tensor.shape)}")
    return _fill(tensor, np.eye(tensor.shape[0], tensor.shape[1]))


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Uniform in ±gain·√(6 / (fan_in + fan_out)). Source: Glorot & Bengio 2010."""
    bound = gain * math.sqrt(6.0 / sum(calculate_fan(tensor.shape)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Normal with std gain·√(2 / (fan_in + fan_out)). Source: Glorot & Bengio 2010."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(calculate_fan(tensor.shape))), generator)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: FanMode = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Uniform in ±gain·√(3 / fan). Source: He et al. 2015, https://arxiv.org/abs/1502.01852

    Args:
        a: negative slope of the leaky ReLU after this layer.
        mode: preserve the variance of the forward pass (``fan_in``) or of the backward pass (``fan_out``).
    """
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: FanMode = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Normal with std gain / √fan; arguments as :func:`kaiming_uniform_`."""
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """A convolution's weight that leaves as many channels as possible as they are, in each group."""
    if tensor.ndim not in (3, 4, 5):
        raise ShapeError(f"dirac_: expected a tensor of 3, 4 or 5 dimensions, got {list(tensor.shape)}")
    if tensor.shape[0] % groups:
        raise ShapeError(f"dirac_: expected output channels divisible by groups={groups}, got {tensor.shape[0]}")
    values = np.zeros(tensor.shape, np.float32)
    each = tensor.shape[0] // groups
    middle = tuple(n // 2 for n in tensor.shape[2:])
    for group in range(groups):
        for channel in range(min(each, tensor.shape[1])):
            values[(group * each + channel, channel, *middle)] = 1
    return _fill(tensor, values)


def orthogonal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """A matrix with orthogonal rows or columns, of ``[n, ...]`` with the other dimensions as one; times ``gain``.

    Source: Saxe et al. 2014, https://arxiv.org/abs/1312.6120
    """
    if tensor.ndim < 2:
        raise ShapeError(f"orthogonal_: expected a tensor of at least 2 dimensions, got {list(tensor.shape)}")
    if tensor.numel() == 0:
        return tensor
    rows, columns = tensor.shape[0], math.prod(tensor.shape[1:])
    source, shape = _source(generator, tensor), (max(rows, columns), min(rows, columns))
    drawn = source.normal_array(shape) if source.twister is None else source.normal_array((rows, columns))
    drawn = (drawn if drawn.shape == shape else drawn.T).astype(np.float64)
    q, r = np.linalg.qr(drawn)
    q *= np.sign(np.diag(r))  # so that the distribution is uniform
    return _fill(tensor, gain * (q if rows >= columns else q.T))


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Normal, with a share ``sparsity`` of each column 0. Source: Martens 2010."""
    if tensor.ndim != 2:
        raise ShapeError(f"sparse_: expected a tensor of 2 dimensions, got {list(tensor.shape)}")
    source = _source(generator, tensor)
    values = source.normal_array(tensor.shape, 0, std)
    zeros = math.ceil(sparsity * tensor.shape[0])
    for column in range(tensor.shape[1]):
        values[source.permutation(tensor.shape[0])[:zeros], column] = 0
    return _fill(tensor, values)


def default_bias_(bias: Tensor, weight: Tensor) -> Tensor:
    """The initial bias of PyTorch's linear and convolution layers: uniform in ±1/√fan_in."""
    fan_in, _ = calculate_fan(weight.shape)
    bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0.0
    return uniform_(bias, -bound, bound)


def _kaiming_std(tensor: Tensor, a: float, mode: FanMode, nonlinearity: str) -> float:
    if mode not in ("fan_in", "fan_out"):
        raise TabgradError(f"kaiming: expected mode 'fan_in' or 'fan_out', got {mode!r}")
    fan = calculate_fan(tensor.shape)[mode == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(max(fan, 1))  # an empty weight has no values to scale


def _source(generator: Generator | None, tensor: Tensor | None = None) -> Generator:
    source = current().generator if generator is None else generator
    if source.twister is not None and tensor is not None and tensor.dtype is not float32:
        raise source.twister.differs(f"init of {tensor.dtype.name} by a function other than uniform_ and normal_")
    return source


def _fill(tensor: Tensor, values: np.ndarray) -> Tensor:
    return _copied(tensor, Tensor._of(values.astype(np.float32).reshape(tensor.shape)))


def _copied(tensor: Tensor, values: Tensor) -> Tensor:
    with no_grad():
        return tensor.copy_(values)


def _former(name: str, now: Callable[..., Tensor]) -> Callable[..., Tensor]:
    @functools.wraps(now)
    def call(*args: Any, **kwargs: Any) -> Tensor:
        warnings.warn(f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.", FutureWarning, stacklevel=2)
        made: Tensor = globals()[f"{name}_"](*args, **kwargs)  # as users call it
        return made

    call.__name__ = name
    return call


for _name in (
    "uniform", "normal", "constant", "eye", "dirac", "xavier_uniform", "xavier_normal", "kaiming_uniform",
    "kaiming_normal", "orthogonal", "sparse",
):  # fmt: skip
    globals()[_name] = _former(_name, globals()[f"{_name}_"])

reword_all(globals(), [name for name in list(globals()) if name.endswith("_") or name.startswith("calculate_")])


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)
