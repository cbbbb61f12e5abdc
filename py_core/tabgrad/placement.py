"""Where and how tensors lie, as PyTorch's programs say it: here on the session's device, in row-major order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tabgrad.errors import ArgumentError

TYPES = ("cpu", "cuda", "mps", "xpu", "webgpu")
"""Names of devices that programs pass; each stands for the session's."""


class device:
    """A device as programs name it: ``device("cuda:0")``. Each stands for the device of the tensor's session.

    Attributes:
        type: such as ``"cuda"``.
        index: such as 0, or None.

    Raises:
        ArgumentError: no program of PyTorch's has such a device.
        NotImplementedError: ``meta``.
    """

    __slots__ = ("index", "type")

    type: str
    index: int | None

    def __init__(self, type: Any, index: int | None = None) -> None:
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        if isinstance(type, int) and not isinstance(type, bool):
            type, index = "webgpu", type
        if not isinstance(type, str):
            raise TypeError(f"device: expected a name such as 'cpu' or 'cuda:0', got {type!r}")
        name, colon, number = type.partition(":")
        if name == "meta":
            raise NotImplementedError(
                "device: expected one that computes, got 'meta'; make the tensors, which take no memory until then"
            )
        if name not in TYPES or (colon and (not number.isdigit() or index is not None)):
            raise ArgumentError(
                f"device: expected one of {', '.join(TYPES)}, with an index as in 'cuda:0' or without, got {type!r}; "
                f"tabgrad.set_default_device chooses what computes"
            )
        self.type = name
        self.index = int(number) if colon else index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type={self.type!r}{'' if self.index is None else f', index={self.index}'})"

    def __enter__(self) -> device:
        return self

    def __exit__(self, *_: object) -> None:
        pass


@dataclass(frozen=True)
class MemoryFormat:
    """An order of elements in memory that programs ask for; it changes no value, and is not followed here."""

    name: str

    def __repr__(self) -> str:
        return f"tabgrad.{self.name}"


@dataclass(frozen=True)
class Layout:
    """How a tensor is stored; ``strided`` alone exists here."""

    name: str

    def __repr__(self) -> str:
        return f"tabgrad.{self.name}"


contiguous_format = MemoryFormat("contiguous_format")
preserve_format = MemoryFormat("preserve_format")
channels_last = MemoryFormat("channels_last")
channels_last_3d = MemoryFormat("channels_last_3d")
strided = Layout("strided")


def device_named(kind: str) -> device:
    """That of tensors in a session whose device is of this kind."""
    return device("cpu" if kind == "reference" else "webgpu")


def is_device(value: Any) -> bool:
    """Whether a value names a device as PyTorch's programs do."""
    return isinstance(value, device) or (isinstance(value, str) and value.partition(":")[0] in (*TYPES, "meta"))


def check_placement(caller: str, given: Mapping[str, Any]) -> None:
    """Look at the keywords ``device``, ``layout``, ``pin_memory``, ``memory_format``, of which some are given.

    Raises:
        ArgumentError: there is no such device.
        NotImplementedError: a layout other than ``strided``.
        TypeError: a value of another kind.
    """
    if given.get("device") is not None:
        device(given["device"])
    layout, pinned, order = given.get("layout"), given.get("pin_memory"), given.get("memory_format")
    if layout not in (None, strided):
        raise NotImplementedError(f"{caller}: expected layout tabgrad.strided, got {layout!r}; make a dense tensor")
    if pinned not in (None, True, False):
        raise TypeError(f"{caller}: expected pin_memory as a bool, got {pinned!r}")
    if order is not None and not isinstance(order, MemoryFormat):
        raise TypeError(f"{caller}: expected a memory_format such as tabgrad.contiguous_format, got {order!r}")


__all__ = [
    "Layout", "MemoryFormat", "channels_last", "channels_last_3d", "check_placement", "contiguous_format", "device",
    "device_named", "is_device", "preserve_format", "strided",
]  # fmt: skip
