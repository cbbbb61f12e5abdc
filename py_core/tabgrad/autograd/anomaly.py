"""Finding the op whose gradient is the first that is not a number."""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from types import TracebackType
from typing import Any

from tabgrad.errors import GradError
from tabgrad.grad_mode import no_grad
from tabgrad.session import DEFAULT, Session, current
from tabgrad.tensor import Tensor
from tabgrad.tracing.tracer import Tracer
from tabgrad.watched import Watched

_mode: ContextVar[tuple[bool, bool]] = ContextVar("anomaly_mode", default=(False, True))


class _Anomalies(Watched):
    """Tells recordings of steps that the mode has changed."""

    def __init__(self, _: Session) -> None:
        super().__init__()


def is_anomaly_enabled() -> bool:
    """Whether gradients are looked at in backward passes.

    Raises:
        NotImplementedError: they would be, and a step is being recorded, in which no value can be looked at.
    """
    is_on, checks = _mode.get()
    recording = current().capturing()
    if recording is not None:
        watched = DEFAULT.own(_Anomalies)
        recording.late(watched, _mode.get, id(watched))
        if is_on and checks:
            raise NotImplementedError(
                f"detect_anomaly: expected backward passes outside of compiled steps, got one in {recording.name!r}, "
                f"whose values are not known while it is recorded; call the plain function"
            )
    return is_on and checks


def _set(mode: tuple[bool, bool]) -> None:
    if mode != _mode.get():
        _mode.set(mode)
        current().own(Tracer).forget()  # calls of backward() that are known do not look
        DEFAULT.own(_Anomalies).changed()


def check_pieces(op_name: str, pieces: Sequence[Tensor | None]) -> None:
    """Wait for the gradients of an op's arguments.

    Raises:
        GradError: one has a NaN; says which, and of which op.
    """
    for position, piece in enumerate(pieces):
        if not isinstance(piece, Tensor) or not piece.dtype.is_floating_point:
            continue
        with no_grad():
            if (piece != piece).any().item():
                raise GradError(
                    f"backward: expected gradients that are numbers, got NaN in that of argument {position} of "
                    f"'{op_name}' (shape {list(piece.shape)}), the first on the way back; look at that op's arguments"
                )


class set_detect_anomaly:
    """Look at all gradients of backward passes from here on, or do not; as a context manager, until the block's end.

    Each is waited for, so it is slow; see :class:`detect_anomaly`.

    Args:
        mode: whether to look.
        check_nan: whether a NaN raises.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = _mode.get()
        _set((bool(mode), bool(check_nan)))

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: Any, trace: TracebackType | None) -> None:
        _set(self._before)


class detect_anomaly:
    """Context manager: a backward pass in it raises a ``RuntimeError`` at the first gradient that has a NaN.

    The message names the op. Where it was called in the forward pass is not recorded.

    Args:
        check_nan: whether a NaN raises.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self._check_nan = bool(check_nan)
        self._before = _mode.get()

    def __enter__(self) -> None:
        self._before = _mode.get()
        _set((True, self._check_nan))

    def __exit__(self, kind: type[BaseException] | None, error: Any, trace: TracebackType | None) -> None:
        _set(self._before)


__all__ = ["check_pieces", "detect_anomaly", "is_anomaly_enabled", "set_detect_anomaly"]
