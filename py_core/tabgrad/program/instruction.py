"""Instructions: a kernel as primitive ops, for devices that interpret programs instead of compiling shaders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tabgrad.dtypes import BY_NAME, DType
from tabgrad.graph.node import CONST, IOTA, LOAD, SCALAR
from tabgrad.graph.op import OPS, Kind, Op
from tabgrad.program.json_field import Field

_NOT_FINITE = ("inf", "-inf", "nan")
_NAMES = ("op", "args", "attrs", "shape", "dtype")


@dataclass(frozen=True)
class Instruction:
    """One primitive op inside a kernel.

    ``args`` name earlier instructions of the same kernel by position. ``LOAD`` and ``STORE``
    name a binding of the dispatch in ``attrs["binding"]``, ``SCALAR`` one of the program's scalars in
    ``attrs["slot"]``. ``attrs`` hold numbers, booleans, text, dtypes, None, and tuples
    of these.
    """

    op: Op
    args: tuple[int, ...]
    attrs: dict[str, Any]
    shape: tuple[int, ...]
    dtype: str

    def to_plain(self) -> dict[str, Any]:
        """As JSON has it: the op by its name."""
        attrs = {name: _to_plain(value) for name, value in self.attrs.items()}
        return {"op": self.op.name, "args": self.args, "attrs": attrs, "shape": self.shape, "dtype": self.dtype}

    @staticmethod
    def from_plain(
        field: Field, earlier: Sequence[Instruction], bindings: Sequence[tuple[int, str]], scalars: Sequence[str]
    ) -> Instruction:
        """The inverse of :meth:`to_plain`.

        Args:
            earlier: the kernel's instructions before this one.
            bindings: size and access of the dispatch's.
            scalars: dtypes of the program's.

        Raises:
            FileFormatError: it is no instruction that can follow those; says where and what is wrong.
        """
        parts = field.object(_NAMES)
        made = Instruction(
            _op(parts["op"]),
            tuple(arg.index(len(earlier), "earlier instructions") for arg in parts["args"].list()),
            {name: _from_plain(value) for name, value in parts["attrs"].any_object().items()},
            tuple(size.integer() for size in parts["shape"].list()),
            parts["dtype"].one_of(BY_NAME),
        )
        if made.op.kind is Kind.ACCESS:
            _check_access(made, parts, earlier, bindings)
        elif made.op.kind is Kind.SOURCE:
            _check_source(made, parts, scalars)
        else:
            _check_type(made, field, earlier)
        return made


def _op(name: Field) -> Op:
    """An op that occurs in kernels."""
    op = OPS.get(name.text())
    if op is None or (op.reference is None and op.kind is not Kind.ACCESS and op not in (CONST, IOTA, SCALAR)):
        name.refuse("the name of an op of this version")
    return op


def _to_plain(value: Any) -> Any:
    """As JSON has it: what it lacks are objects of one entry, ``{"float": "inf"}`` and ``{"dtype": "int32"}``."""
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    if isinstance(value, DType):
        return {"dtype": value.name}
    if isinstance(value, tuple):
        return [_to_plain(v) for v in value]
    assert value is None or type(value) in (bool, int, float, str), f"no plain data: {value!r}"
    return value


def _from_plain(field: Field) -> Any:
    if isinstance(field.value, dict) and "dtype" in field.value:
        return BY_NAME[field.object(("dtype",))["dtype"].one_of(BY_NAME)]
    if isinstance(field.value, dict):
        return float(field.object(("float",))["float"].one_of(_NOT_FINITE))
    if isinstance(field.value, list):
        return tuple(_from_plain(v) for v in field.list())
    return field.value


def _check_access(
    made: Instruction, parts: dict[str, Field], earlier: Sequence[Instruction], bindings: Sequence[tuple[int, str]]
) -> None:
    attrs = parts["attrs"].object(("binding",))
    size_bytes, access = bindings[attrs["binding"].index(len(bindings), "bindings")]
    if math.prod(made.shape) * BY_NAME[made.dtype].itemsize > size_bytes:
        parts["shape"].refuse(f"a shape whose elements fit into the binding's {size_bytes} bytes")
    if made.op is LOAD:
        parts["args"].list(0)
    else:
        if access != "read_write":
            attrs["binding"].refuse("a binding that may be written")
        parts["args"].list(1)
        if earlier[made.args[0]].shape != made.shape:
            parts["shape"].refuse("the shape of what is stored")


def _check_source(made: Instruction, parts: dict[str, Field], scalars: Sequence[str]) -> None:
    parts["args"].list(0)
    if made.op is CONST:
        value = parts["attrs"].object(("value",))["value"]
        if not isinstance(made.attrs["value"], bool | int | float):
            value.refuse("a number, true or false")
    elif made.op is IOTA:
        parts["attrs"].object(("axis",))["axis"].index(len(made.shape), "dimensions")
    else:
        assert made.op is SCALAR, made.op
        slot = parts["attrs"].object(("slot",))["slot"].index(len(scalars), "scalars")
        if made.shape or scalars[slot] != made.dtype:
            parts["dtype"].refuse(f"one {scalars[slot]}, as the program's scalar is")


def _check_type(made: Instruction, field: Field, earlier: Sequence[Instruction]) -> None:
    """The result's shape and dtype must follow from the op's own rules."""
    args = [earlier[a] for a in made.args]
    try:
        shape = made.op.shape_rule(made.attrs, *(a.shape for a in args))
        dtype = made.op.dtype_rule(made.attrs, *(BY_NAME[a.dtype] for a in args)).name
    except Exception as error:  # noqa: BLE001 - rules trust their caller: whatever they raise is about these values
        field.refuse(f"arguments and attributes as {made.op.name!r} takes them ({type(error).__name__}: {error})")
    if (shape, dtype) != (made.shape, made.dtype):
        field.refuse(f"a result of {dtype} {shape}")


__all__ = ["Instruction"]
