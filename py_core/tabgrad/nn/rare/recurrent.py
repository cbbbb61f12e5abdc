"""Recurrent layers: plain, LSTM and GRU."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from tabgrad import ops
from tabgrad.checks import real_number, true_or_false, whole_number
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.nn import init
from tabgrad.nn.module import Module
from tabgrad.nn.parameter import Parameter
from tabgrad.nn.utils.rnn import PackedSequence, numbers_of, padded_places
from tabgrad.tensor import Tensor

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


class RNNBase(Module):
    """Base of :class:`RNN`, :class:`LSTM` and :class:`GRU`.

    Args:
        mode: ``LSTM``, ``GRU``, ``RNN_TANH`` or ``RNN_RELU``.
        input_size, hidden_size: features of inputs and of the hidden state.
        num_layers: each takes the output of the one below.
        batch_first: whether inputs and outputs are ``[N, T, ...]`` rather than ``[T, N, ...]``.
        dropout: probability for the outputs of all layers but the last, in training.
        bidirectional: whether a second half of each layer goes from the last step to the first.
        proj_size: of an LSTM, features that the hidden state is projected to; 0 for none.

    Parameters of each layer: ``weight_ih_l0``, ``weight_hh_l0``, ``bias_ih_l0``, ``bias_hh_l0``, ``weight_hr_l0``; with
    ``_reverse`` at their end, of the second direction. All start uniform in ±1/√hidden_size.
    """

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        caller = type(self).__name__
        if mode not in _GATES:
            raise ArgumentError(f"{caller}: expected mode {', '.join(_GATES)}, got {mode!r}")
        for name, flag in (("bias", bias), ("batch_first", batch_first)):
            if not isinstance(flag, bool):
                raise TypeError(f"{caller}: expected {name} as a bool, got {type(flag).__name__}")
        for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
            if not isinstance(size, int):
                raise TypeError(f"{caller}: expected {name} as an int, got {type(size).__name__}")
        self.mode = mode
        self.input_size = whole_number(input_size, caller, "input_size", 1)
        self.hidden_size = whole_number(hidden_size, caller, "hidden_size", 1)
        self.num_layers = whole_number(num_layers, caller, "num_layers", 1)
        self.proj_size = whole_number(proj_size, caller, "proj_size", 0)
        self.bias = true_or_false(bias, caller, "bias")
        self.batch_first = true_or_false(batch_first, caller, "batch_first")
        self.bidirectional = true_or_false(bidirectional, caller, "bidirectional")
        self.dropout = real_number(dropout, caller, "dropout", 0, 1)
        if dropout and num_layers == 1:
            warnings.warn(
                f"{caller}: dropout={dropout} does nothing with num_layers=1, as it is added after all but the last "
                f"layer; leave it away, or add layers",
                UserWarning,
                stacklevel=2,
            )
        if proj_size and (mode != "LSTM" or proj_size >= hidden_size):
            raise ArgumentError(f"{caller}: expected proj_size below hidden_size, and of an LSTM only, got {proj_size}")
        gates, out = _GATES[mode] * hidden_size, proj_size or hidden_size
        directions = 2 if bidirectional else 1
        for layer in range(num_layers):
            for direction in range(directions):
                below = input_size if layer == 0 else out * directions
                shapes: dict[str, tuple[int, ...]] = {"weight_ih": (gates, below), "weight_hh": (gates, out)}
                if bias:
                    shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
                if proj_size:
                    shapes |= {"weight_hr": (proj_size, hidden_size)}
                for name, shape in shapes.items():
                    self.register_parameter(_name(name, layer, direction), Parameter(np.zeros(shape, np.float32)))
        self.reset_parameters()
        self._placed(device, dtype)

    def reset_parameters(self) -> None:
        """Draw new initial parameters."""
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def flatten_parameters(self) -> None:
        """Nothing: parameters need not lie in one memory here."""

    @property
    def all_weights(self) -> list[list[Tensor]]:
        """The parameters of each layer and direction."""
        names = ["weight_ih", "weight_hh"] + ["bias_ih", "bias_hh"] * self.bias + ["weight_hr"] * bool(self.proj_size)
        return [
            [getattr(self, _name(name, layer, direction)) for name in names]
            for layer in range(self.num_layers)
            for direction in range(2 if self.bidirectional else 1)
        ]

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Output of the last layer at all steps, and the last states of all layers.

        Args:
            input: ``[T, N, I]``, ``[N, T, I]`` with ``batch_first``, ``[T, I]`` of one sequence, or packed.
            hx: initial states ``[layers * directions, N, H]``, of an LSTM a pair; zeros if None.

        Raises:
            ShapeError: the sizes do not fit.
        """
        if isinstance(input, PackedSequence):
            return self._of_packed(input, hx)
        if input.ndim not in (2, 3):
            raise ShapeError(f"{type(self).__name__}: expected input of 2 or 3 dimensions, got {list(input.shape)}")
        single = input.ndim == 2
        given = None if hx is None else hx if isinstance(hx, tuple | list) else (hx,)
        if single:
            input = input.unsqueeze(0 if self.batch_first else 1)
            given = None if given is None else tuple(s.unsqueeze(1) for s in given)
        states = self._states(input, input.shape[0 if self.batch_first else 1], given)
        out, *ends = self._run(input, states, self.batch_first)
        if single:
            out, ends = out.squeeze(0 if self.batch_first else 1), [s.squeeze(1) for s in ends]
        return out, tuple(ends) if self.mode == "LSTM" else ends[0]

    def _of_packed(self, input: PackedSequence, hx: Any) -> tuple[PackedSequence, Any]:
        sizes = numbers_of(input.batch_sizes, type(self).__name__, "batch_sizes")
        place, has = padded_places(sizes)  # (T, N)
        rows = input.data.index_select(0, Tensor._of(place.reshape(-1).astype(np.int32)))
        given = None if hx is None else hx if isinstance(hx, tuple | list) else (hx,)
        if given is not None and input.sorted_indices is not None:
            given = tuple(s.index_select(1, input.sorted_indices) for s in given)
        states = self._states(input.data, int(sizes[0]), given)
        lengths = Tensor._of(has.sum(0).astype(np.int32))
        out, *ends = self._run(rows.reshape(*place.shape, -1), states, False, lengths)
        kept = np.flatnonzero(has.reshape(-1)).astype(np.int32)
        data = out.reshape(-1, out.shape[2]).index_select(0, Tensor._of(kept))
        if input.unsorted_indices is not None:
            ends = [s.index_select(1, input.unsorted_indices) for s in ends]
        return input._replace(data=data), tuple(ends) if self.mode == "LSTM" else ends[0]

    def _states(self, input: Tensor, batch: int, given: Any) -> tuple[Tensor, ...]:
        if input.shape[-1] != self.input_size:
            raise ShapeError(
                f"{type(self).__name__}: expected input_size {self.input_size} as the input's last dimension, got "
                f"{list(input.shape)}"
            )
        rows = self.num_layers * (2 if self.bidirectional else 1)
        shapes = [(rows, batch, self.proj_size or self.hidden_size)]
        shapes += [(rows, batch, self.hidden_size)] if self.mode == "LSTM" else []
        if given is None:
            return tuple(ops.zeros(shape, dtype=input.dtype) for shape in shapes)
        if len(given) != len(shapes) or any(s.shape != shape for s, shape in zip(given, shapes, strict=True)):
            raise ShapeError(
                f"{type(self).__name__}: expected hidden state {', '.join(str(list(s)) for s in shapes)}, got "
                f"{', '.join(str(list(s.shape)) for s in given)}"
            )
        return tuple(given)

    def _run(
        self, input: Tensor, states: tuple[Tensor, ...], batch_first: bool, lengths: Tensor | None = None
    ) -> tuple[Tensor, ...]:
        params = [w for weights in self.all_weights for w in weights]
        function: Callable[..., tuple[Tensor, ...]] = getattr(ops, self.mode.lower())
        return function(
            input, states if self.mode == "LSTM" else states[0], params, self.bias, self.num_layers, self.dropout,
            self.training, self.bidirectional, batch_first, lengths,
        )  # fmt: skip

    def extra_repr(self) -> str:
        """As PyTorch's."""
        shown = [f"{self.input_size}, {self.hidden_size}"]
        defaults = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0}
        shown += [f"{n}={getattr(self, n)}" for n, d in {**defaults, "bidirectional": False}.items() if
                  getattr(self, n) != d]  # fmt: skip
        return ", ".join(shown)


def _name(name: str, layer: int, direction: int) -> str:
    return f"{name}_l{layer}{'_reverse' if direction else ''}"


class RNN(RNNBase):
    """Elman's recurrent network; arguments as :class:`RNNBase`, ``nonlinearity`` is ``"tanh"`` or ``"relu"``."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ArgumentError(f"RNN: expected nonlinearity 'tanh' or 'relu', got {nonlinearity!r}")
        super().__init__(
            f"RNN_{nonlinearity.upper()}", input_size, hidden_size, num_layers, bias, batch_first, dropout,
            bidirectional, 0, device, dtype,
        )  # fmt: skip
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory; arguments as :class:`RNNBase`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            "LSTM", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size, device,
            dtype,
        )  # fmt: skip


class GRU(RNNBase):
    """Gated recurrent units; arguments as :class:`RNNBase`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(
            "GRU", input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, 0, device, dtype
        )


class RNNCellBase(Module):
    """One step of a recurrent layer; base of the cells."""

    weight_ih: Parameter
    weight_hh: Parameter
    bias_ih: Parameter | None
    bias_hh: Parameter | None

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__()
        self.input_size = whole_number(input_size, type(self).__name__, "input_size", 1)
        self.hidden_size = whole_number(hidden_size, type(self).__name__, "hidden_size", 1)
        self.bias = bias
        gates = num_chunks * hidden_size
        self.weight_ih = Parameter(np.zeros((gates, input_size), np.float32))
        self.weight_hh = Parameter(np.zeros((gates, hidden_size), np.float32))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(np.zeros(gates, np.float32)) if bias else None)
        self.reset_parameters()
        self._placed(device, dtype)

    def reset_parameters(self) -> None:
        """Draw new initial parameters."""
        bound = 1 / math.sqrt(self.hidden_size)
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def _step(self, function: Callable[..., Any], input: Tensor, hx: Any, count: int = 1) -> Any:
        if input.ndim not in (1, 2):
            raise ShapeError(f"{type(self).__name__}: expected input [N, I] or [I], got {list(input.shape)}")
        rows = input if input.ndim == 2 else input.unsqueeze(0)
        if hx is None:
            states = [ops.zeros(rows.shape[0], self.hidden_size, dtype=rows.dtype)] * count
        else:
            states = [s if input.ndim == 2 else s.unsqueeze(0) for s in (hx if count == 2 else (hx,))]
        if any(s.shape != (rows.shape[0], self.hidden_size) for s in states):
            raise ShapeError(
                f"{type(self).__name__}: expected hidden state [{rows.shape[0]}, {self.hidden_size}], got "
                f"{[list(s.shape) for s in states]}"
            )
        found = function(
            rows, states if count == 2 else states[0], self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh
        )
        if input.ndim == 2:
            return found
        return tuple(s.squeeze(0) for s in found) if count == 2 else found.squeeze(0)

    def extra_repr(self) -> str:
        """As PyTorch's."""
        text = f"{self.input_size}, {self.hidden_size}" + ("" if self.bias else f", bias={self.bias}")
        kind = getattr(self, "nonlinearity", "tanh")
        return text if kind == "tanh" else f"{text}, nonlinearity={kind}"


class RNNCell(RNNCellBase):
    """One step of :class:`RNN`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        if nonlinearity not in ("tanh", "relu"):
            raise ArgumentError(f"RNNCell: expected nonlinearity 'tanh' or 'relu', got {nonlinearity!r}")
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """``[N, I]`` or ``[I]``, and the hidden state, to the next hidden state."""
        function = ops.rnn_tanh_cell if self.nonlinearity == "tanh" else ops.rnn_relu_cell
        return self._step(function, input, hx)


class LSTMCell(RNNCellBase):
    """One step of :class:`LSTM`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        """``[N, I]`` or ``[I]``, and hidden and cell states, to the next ones."""
        return self._step(ops.lstm_cell, input, hx, 2)


class GRUCell(RNNCellBase):
    """One step of :class:`GRU`."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: DType | None = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """``[N, I]`` or ``[I]``, and the hidden state, to the next hidden state."""
        return self._step(ops.gru_cell, input, hx)


__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]
