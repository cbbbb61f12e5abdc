"""Switches of PyTorch's that programs set at their start. None of them changes what is computed here."""

from __future__ import annotations

from tabgrad.errors import ArgumentError
from tabgrad.session import Session, current

_PRECISIONS = ("highest", "high", "medium")


class TorchSettings:
    """What a session's program has set."""

    def __init__(self, session: Session) -> None:
        self.deterministic = False
        self.warn_only = False
        self.precision = "highest"
        self.threads = 1


def _own() -> TorchSettings:
    return current().own(TorchSettings)


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Accepted: all kernels are deterministic."""
    _own().deterministic, _own().warn_only = bool(mode), bool(warn_only)


def are_deterministic_algorithms_enabled() -> bool:
    """What :func:`use_deterministic_algorithms` was told."""
    return _own().deterministic


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    """What :func:`use_deterministic_algorithms` was told."""
    return _own().warn_only


def set_float32_matmul_precision(precision: str) -> None:
    """Accepted: products are computed in float32, the highest precision, whatever is chosen.

    Raises:
        ArgumentError: none of ``highest``, ``high``, ``medium``.
    """
    if precision not in _PRECISIONS:
        raise ArgumentError(
            f"set_float32_matmul_precision: expected one of {', '.join(_PRECISIONS)}, got {precision!r}"
        )
    _own().precision = precision


def get_float32_matmul_precision() -> str:
    """What :func:`set_float32_matmul_precision` was told."""
    return _own().precision


def set_num_threads(threads: int) -> None:
    """Accepted: the device decides how it computes."""
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise ArgumentError(f"set_num_threads: expected a number of at least 1, got {threads!r}")
    _own().threads = threads


def get_num_threads() -> int:
    """What :func:`set_num_threads` was told; 1 before."""
    return _own().threads


set_num_interop_threads = set_num_threads
get_num_interop_threads = get_num_threads


def set_flush_denormal(mode: bool) -> bool:
    """False: the device decides."""
    return False


__all__ = [
    "are_deterministic_algorithms_enabled", "get_float32_matmul_precision",
    "get_num_interop_threads", "get_num_threads", "is_deterministic_algorithms_warn_only_enabled",
    "set_float32_matmul_precision", "set_flush_denormal", "set_num_interop_threads",
    "set_num_threads", "use_deterministic_algorithms",
]  # fmt: skip
