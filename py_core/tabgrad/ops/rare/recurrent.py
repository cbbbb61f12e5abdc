"""Recurrent layers and their cells, one step after the other; the inputs of all steps are projected by one product."""

from __future__ import annotations

from collections.abc import Sequence

from tabgrad.errors import ShapeError
from tabgrad.names import public
from tabgrad.ops import elementwise as ew
from tabgrad.ops.activation import dropout as dropped
from tabgrad.ops.activation import relu
from tabgrad.ops.matmul import linear, matmul
from tabgrad.ops.movement import reshape, transpose, unsqueeze
from tabgrad.ops.random_tensors import torch_draws
from tabgrad.ops.slicing import cat, narrow, stack
from tabgrad.tensor import Tensor

State = tuple[Tensor, ...]
"""The hidden state ``[N, H]``; of an LSTM the cell's, too."""


def _parts(x: Tensor, count: int) -> list[Tensor]:
    size = x.shape[-1] // count
    return [narrow(x, -1, n * size, size) for n in range(count)]


def _step(mode: str, projected: Tensor, hidden: Tensor, state: State, w_hr: Tensor | None = None) -> State:
    """The next state.

    Args:
        projected: ``[N, gates * H]``, the input's part of the gates.
        hidden: as ``projected``, the hidden state's.
    """
    if mode == "LSTM":
        i, f, g, o = _parts(projected + hidden, 4)
        cell = ew.sigmoid(f) * state[1] + ew.sigmoid(i) * ew.tanh(g)
        h = ew.sigmoid(o) * ew.tanh(cell)
        return (h if w_hr is None else matmul(h, transpose(w_hr, 0, 1))), cell
    if mode == "GRU":
        (ri, zi, ni), (rh, zh, nh) = _parts(projected, 3), _parts(hidden, 3)
        z = ew.sigmoid(zi + zh)
        n = ew.tanh(ni + ew.sigmoid(ri + rh) * nh)
        return (n + z * (state[0] - n),)
    out = projected + hidden
    return (ew.tanh(out) if mode == "RNN_TANH" else relu(out),)


def _direction(
    mode: str, x: Tensor, state: State, weights: Sequence[Tensor], biases: bool, reverse: bool, lengths: Tensor | None
) -> tuple[Tensor, State]:
    """``[T, N, I]`` to ``[T, N, H]``, and the last state."""
    w_ih, w_hh = weights[0], transpose(weights[1], 0, 1)
    b_ih, b_hh = (weights[2], weights[3]) if biases else (None, None)
    w_hr = weights[-1] if len(weights) in (3, 5) else None
    if mode != "GRU" and b_ih is not None and b_hh is not None:  # added once for all steps
        b_ih, b_hh = b_ih + b_hh, None
    projected = linear(x, w_ih, b_ih)  # (T, N, gates * H)
    steps, batch, width = projected.shape
    outs: list[Tensor] = []
    for step in reversed(range(steps)) if reverse else range(steps):
        hidden = matmul(state[0], w_hh)
        part = reshape(narrow(projected, 0, step, 1), (batch, width))
        after = _step(mode, part, hidden if b_hh is None else hidden + b_hh, state, w_hr)
        if lengths is not None:  # a sequence that is over, or has not begun in reverse, keeps its state
            runs = unsqueeze(ew.gt(lengths, step), 1)
            after = tuple(ew.where(runs, new, old) for new, old in zip(after, state, strict=True))
        state = after
        outs.append(state[0])
    return stack(outs[::-1] if reverse else outs), state


def run_layers(
    mode: str,
    x: Tensor,
    state: State,
    params: Sequence[Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
    lengths: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """Output and last states of layers, of which each takes the output of the one below.

    Args:
        mode: ``LSTM``, ``GRU``, ``RNN_TANH`` or ``RNN_RELU``.
        x: ``[T, N, I]``, or ``[N, T, I]`` with ``batch_first``.
        state: initial states, each ``[layers * directions, N, H]``.
        params: of each layer and direction: ``w_ih``, ``w_hh``, the biases if any, ``w_hr`` if projected.
        lengths: ``[N]``, of sequences that are shorter than T.
    """
    directions = 2 if bidirectional else 1
    each = len(params) // (num_layers * directions)
    x = transpose(x, 0, 1) if batch_first else x
    if x.shape[0] == 0:
        raise ShapeError(f"{mode}: expected sequences of at least one step, got input {list(x.shape)}")
    last: list[State] = []
    for layer in range(num_layers):
        outs = []
        for direction in range(directions):
            n = layer * directions + direction
            first = tuple(reshape(narrow(s, 0, n, 1), s.shape[1:]) for s in state)
            out, end = _direction(
                mode, x, first, params[n * each : (n + 1) * each], has_biases, bool(direction), lengths
            )
            outs.append(out)
            last.append(end)
        x = outs[0] if directions == 1 else cat(outs, 2)
        if dropout and train and layer < num_layers - 1:
            if lengths is not None and (torch := torch_draws(None)) is not None:
                raise torch.differs(f"{mode} with dropout of packed sequences")
            x = dropped(x, dropout, True)
    ends = tuple(stack(list(parts)) for parts in zip(*last, strict=True))
    return transpose(x, 0, 1) if batch_first else x, *ends


@public()
def lstm(
    input: Tensor,
    hx: Sequence[Tensor],
    params: Sequence[Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
    lengths: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """Long short-term memory: output, last hidden and cell states; arguments as :func:`run_layers`.

    Source: Hochreiter & Schmidhuber 1997, https://doi.org/10.1162/neco.1997.9.8.1735
    """
    return run_layers(
        "LSTM", input, tuple(hx), params, has_biases, num_layers, dropout, train, bidirectional, batch_first, lengths
    )


@public()
def gru(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
    lengths: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """Gated recurrent units: output and last hidden states; arguments as :func:`run_layers`.

    Source: Cho et al. 2014, https://arxiv.org/abs/1406.1078
    """
    return run_layers(
        "GRU", input, (hx,), params, has_biases, num_layers, dropout, train, bidirectional, batch_first, lengths
    )


@public()
def rnn_tanh(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
    lengths: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """Elman's network with ``tanh``: output and last hidden states; arguments as :func:`run_layers`."""
    return run_layers(
        "RNN_TANH", input, (hx,), params, has_biases, num_layers, dropout, train, bidirectional, batch_first, lengths
    )


@public()
def rnn_relu(
    input: Tensor,
    hx: Tensor,
    params: Sequence[Tensor],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
    lengths: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """As :func:`rnn_tanh`, with ``relu``."""
    return run_layers(
        "RNN_RELU", input, (hx,), params, has_biases, num_layers, dropout, train, bidirectional, batch_first, lengths
    )


def _cell(
    mode: str, x: Tensor, state: State, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None, b_hh: Tensor | None
) -> State:
    if x.shape[-1] != w_ih.shape[1] or state[0].shape[-1] != w_hh.shape[1]:
        raise ShapeError(
            f"{mode.lower()}_cell: expected input [N, {w_ih.shape[1]}] and hidden state [N, {w_hh.shape[1]}], got "
            f"{list(x.shape)} and {list(state[0].shape)}"
        )
    return _step(mode, linear(x, w_ih, b_ih), linear(state[0], w_hh, b_hh), state)


@public()
def lstm_cell(
    input: Tensor,
    hx: Sequence[Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, ...]:
    """One step of :func:`lstm`: the next hidden and cell states."""
    return _cell("LSTM", input, tuple(hx), w_ih, w_hh, b_ih, b_hh)


@public()
def gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """One step of :func:`gru`: the next hidden state."""
    return _cell("GRU", input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]


@public()
def rnn_tanh_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """One step of :func:`rnn_tanh`: the next hidden state."""
    return _cell("RNN_TANH", input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]


@public()
def rnn_relu_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """One step of :func:`rnn_relu`: the next hidden state."""
    return _cell("RNN_RELU", input, (hx,), w_ih, w_hh, b_ih, b_hh)[0]


__all__ = [
    "gru", "gru_cell", "lstm", "lstm_cell", "rnn_relu", "rnn_relu_cell", "rnn_tanh", "rnn_tanh_cell", "run_layers",
]  # fmt: skip
