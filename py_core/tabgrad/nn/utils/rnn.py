"""Sequences of different lengths: padded to one length, or packed, step by step, without padding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from tabgrad import ops
from tabgrad.argument_errors import reword_all
from tabgrad.errors import ArgumentError, ShapeError
from tabgrad.late import missing_name
from tabgrad.tensor import Tensor


class PackedSequence(NamedTuple):
    """Rows of all sequences by step: first those of step 0, and so on; :func:`pack_padded_sequence` makes it.

    Attributes:
        data: ``[sum of lengths, ...]``.
        batch_sizes: how many sequences have each step, int64 on the host.
        sorted_indices: the order of the sequences, longest first; None if they were in it.
        unsorted_indices: the way back.
    """

    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None

    def _with(self, data: Tensor) -> PackedSequence:
        return self._replace(data=data)

    def to(self, *target: Any, **options: Any) -> PackedSequence:
        """The data in another dtype."""
        return self._with(self.data.to(*target, **options))

    def cuda(self, *_: Any, **__: Any) -> PackedSequence:
        """Itself: it lies on the session's device."""
        return self

    def cpu(self) -> PackedSequence:
        """Itself: it lies on the session's device."""
        return self

    def float(self) -> PackedSequence:
        """The data in float32."""
        return self._with(self.data.float())

    def half(self) -> PackedSequence:
        """The data in float16."""
        return self._with(self.data.half())


def numbers_of(value: Any, caller: str, name: str) -> np.ndarray:
    """Integers on the host, of a tensor or a sequence; waits for those that lie on the device."""
    if isinstance(value, Tensor):
        found = value._node.host_elements()
        found = np.asarray(value.tolist()) if found is None else np.asarray(found)
    else:
        found = np.asarray([int(n) for n in value], np.int64)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        raise ShapeError(f"{caller}: expected {name} as whole numbers in one dimension, got {list(found.shape)}")
    return found.astype(np.int64)


def _tensor(numbers: np.ndarray) -> Tensor:
    return Tensor._of(numbers.astype(np.int32))


def padded_places(sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``[T, N]``: the row of each step of each sequence, and whether it has it."""
    first = np.cumsum(sizes) - sizes
    column = np.arange(sizes[0])
    has = column[None] < sizes[:, None]
    return np.where(has, first[:, None] + column[None], 0), has


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack sequences that are padded to one length.

    Args:
        input: ``[T, N, ...]``, or ``[N, T, ...]`` with ``batch_first``.
        lengths: ``[N]``: a tensor or numbers.
        enforce_sorted: whether the lengths must come longest first; if not, they are sorted.

    Raises:
        ArgumentError: lengths are not in order, or not from 1 to T.
    """
    caller = "pack_padded_sequence"
    counts = numbers_of(lengths, caller, "lengths")
    rows = input.transpose(0, 1) if batch_first else input
    steps, batch = rows.shape[:2]
    if counts.shape != (batch,):
        raise ShapeError(f"{caller}: expected {batch} lengths, one for each sequence, got {len(counts)}")
    if batch == 0 or counts.min() < 1 or counts.max() > steps:
        raise ArgumentError(f"{caller}: expected lengths from 1 to {steps}, got {counts.tolist()}")
    order = None
    if enforce_sorted:
        if np.any(np.diff(counts) > 0):
            raise ArgumentError(
                f"{caller}: expected lengths in decreasing order, got {counts.tolist()}; pass enforce_sorted=False"
            )
    else:
        order = np.argsort(-counts, kind="stable")
        counts, rows = counts[order], rows.index_select(1, _tensor(order))
    sizes = (counts[None] > np.arange(counts[0])[:, None]).sum(1)
    place = np.concatenate([step * batch + np.arange(size) for step, size in enumerate(sizes)])
    data = rows.reshape(steps * batch, *rows.shape[2:]).index_select(0, _tensor(place))
    if order is None:
        return PackedSequence(data, _tensor(sizes))
    return PackedSequence(data, _tensor(sizes), _tensor(order), _tensor(np.argsort(order)))


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """The sequences padded to one length, in their first order, and their lengths.

    Args:
        total_length: pad to this length, rather than that of the longest.
    """
    sizes = numbers_of(sequence.batch_sizes, "pad_packed_sequence", "batch_sizes")
    steps = len(sizes)
    if total_length is not None and total_length < steps:
        raise ArgumentError(
            f"pad_packed_sequence: expected total_length of at least {steps}, as the longest sequence has, got "
            f"{total_length}"
        )
    place, has = padded_places(np.pad(sizes, (0, (total_length or steps) - steps)))
    lengths = has.sum(0)
    if sequence.unsorted_indices is not None:
        back = numbers_of(sequence.unsorted_indices, "pad_packed_sequence", "unsorted_indices")
        place, has, lengths = place[:, back], has[:, back], lengths[back]
    if batch_first:
        place, has = place.T, has.T
    data = sequence.data
    inner = data.shape[1:]
    rows = data.index_select(0, _tensor(place.reshape(-1))).reshape(*place.shape, *inner)
    mask = Tensor._of(np.ascontiguousarray(has).reshape(*has.shape, *[1] * len(inner)))
    return ops.where(mask, rows, padding_value), _tensor(lengths)


def pad_sequence(
    sequences: Tensor | Sequence[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Tensors ``[L, ...]`` of different lengths as one ``[T, N, ...]``, or ``[N, T, ...]`` with ``batch_first``."""
    if padding_side not in ("left", "right"):
        raise ArgumentError(f"pad_sequence: expected padding_side 'left' or 'right', got {padding_side!r}")
    if not isinstance(sequences, Tensor | list | tuple):
        raise TypeError(f"pad_sequence: expected a list of tensors, got {type(sequences).__name__}")
    found = list(sequences)
    if not found or len({t.shape[1:] for t in found}) > 1:
        shapes = [list(t.shape) for t in found]
        raise ShapeError(f"pad_sequence: expected tensors that differ in their first dimension alone, got {shapes}")
    longest = max(t.shape[0] for t in found)
    padded = []
    for t in found:
        missing = longest - t.shape[0]
        pads = [0, 0] * (t.ndim - 1) + ([missing, 0] if padding_side == "left" else [0, missing])
        padded.append(ops.pad(t, pads, value=padding_value) if missing else t)
    return ops.stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Any, batch_first: bool = False) -> list[Tensor]:
    """The tensors that :func:`pad_sequence` was given."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [rows[n][: int(length)] for n, length in enumerate(numbers_of(lengths, "unpad_sequence", "lengths"))]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack tensors ``[L, ...]`` of different lengths."""
    lengths = [t.shape[0] for t in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The tensors that :func:`pack_sequence` was given."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)


def __getattr__(name: str) -> Any:
    raise missing_name(__name__, name)


__all__ = [
    "PackedSequence", "pack_padded_sequence", "pack_sequence", "pad_packed_sequence", "pad_sequence",
    "unpack_sequence", "unpad_sequence",
]  # fmt: skip
reword_all(globals(), [name for name in __all__ if name != "PackedSequence"])
