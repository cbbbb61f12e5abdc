"""What the namespace has: ``__array_namespace_info__``."""

from __future__ import annotations

from typing import Any

from tabgrad import dtypes
from tabgrad.compat.array_api.dtype_functions import KINDS
from tabgrad.dtypes import DType
from tabgrad.placement import check_placement, device, device_named
from tabgrad.session import current

_NAMES = ("bool", "int8", "int16", "int32", "uint8", "float32", "float64")


class NamespaceInfo:
    """Capabilities, devices and dtypes, as the standard asks for them."""

    def capabilities(self) -> dict[str, Any]:
        """Shapes may depend on data, where Python can wait for a device."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> device:
        """The session's."""
        return device_named(current().device.name)

    def devices(self) -> list[device]:
        """The session's alone."""
        return [self.default_device()]

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """Of Python floats float32, of integers and indices int32; there are no complex ones."""
        _check(device)
        return {"real floating": dtypes.float32, "integral": dtypes.int32, "indexing": dtypes.int32}

    def dtypes(self, *, device: Any = None, kind: str | tuple[str, ...] | None = None) -> dict[str, DType]:
        """The standard's dtypes that there are, by name; float64 only where NumPy computes.

        Raises:
            ValueError: there is no such kind.
        """
        _check(device)
        kinds = tuple(KINDS) if kind is None else (kind,) if isinstance(kind, str) else kind
        if not set(kinds) <= KINDS.keys():
            raise ValueError(f"dtypes: expected one of {', '.join(KINDS)}, got {kind!r}")
        there = {dtype for one in kinds for dtype in KINDS[one]}
        if self.default_device().type != "cpu":
            there.discard(dtypes.float64)
        return {name: dtypes.BY_NAME[name] for name in _NAMES if dtypes.BY_NAME[name] in there}


def _check(place: Any) -> None:
    if place is not None:
        check_placement("dtypes", {"device": place})


def __array_namespace_info__() -> NamespaceInfo:  # noqa: N807 - the standard's name
    """What the namespace has."""
    return NamespaceInfo()


__all__ = ["__array_namespace_info__"]
