"""The table of primitives is total: every op states its type rules, a NumPy reference, a lowering and a gradient."""

from __future__ import annotations

import inspect
import re

import pytest

import tabgrad.compiler.compile  # noqa: F401 - the compiler registers an op of its own
from tabgrad.compiler.families.attention import ATTENTION
from tabgrad.compiler.families.gemm import CONTRACTIONS
from tabgrad.compiler.lower import Lowerer
from tabgrad.compiler.templates import kernel_folder
from tabgrad.graph.op import OPS, Kind, Op

EVERY = pytest.mark.parametrize("op", OPS.values(), ids=lambda op: op.name)

# Results that are no smooth function of a float input; and what is never recorded.
NO_GRADIENT = {
    "assign", "attention", "attention_grad_key_value", "attention_grad_query",
    "bits_to_uniform", "buffer", "const", "copy", "eq", "eq_float", "floor_div", "floor_div_int", "ge", "gt", "iota",
    "isfinite", "isnan", "le", "logical_and", "logical_not", "logical_or", "lt", "ne", "ne_float", "pack",
    "random_bits", "scalar",
}  # fmt: skip

BUILTINS = {"abs", "ceil", "cos", "exp", "f32", "floor", "inverseSqrt", "round", "select", "sign", "sin", "sqrt"}


@EVERY
def test_op_has_type_rules(op: Op) -> None:
    assert callable(op.shape_rule)
    assert callable(op.dtype_rule)
    assert OPS[op.name] is op


@EVERY
def test_op_has_a_reference_unless_the_device_provides_its_value(op: Op) -> None:
    assert (op.reference is None) == (op.kind in (Kind.SOURCE, Kind.ASSIGN))


@EVERY
def test_op_has_a_gradient_or_is_known_to_have_none(op: Op) -> None:
    assert (op.grad is None) == (op.name in NO_GRADIENT)


@EVERY
def test_op_has_a_lowering(op: Op) -> None:
    if op.kind is Kind.ELEMENTWISE:
        called = set(re.findall(r"([a-zA-Z]\w*)\(", op.lowering.replace("{t}", "f32")))
        ours = {p.stem for p in (kernel_folder() / "functions").glob("*.wgsl")}
        assert called <= BUILTINS | ours, "a WGSL function that exists nowhere"
    elif op.kind is Kind.VIEW:
        assert callable(getattr(Lowerer, f"_{op.lowering}"))
    elif op.kind is Kind.HEAVY:
        assert op.name in CONTRACTIONS or op.name in ATTENTION or op.name == "reduce" or "pool" in op.name
    else:
        assert op.lowering


@pytest.mark.parametrize("op", [o for o in OPS.values() if o.kind is Kind.ELEMENTWISE], ids=lambda op: op.name)
def test_elementwise_lowering_uses_each_argument_of_its_gradient(op: Op) -> None:
    places = sorted({int(n) for n in re.findall(r"\{(\d)[!?]*\}", op.lowering)})
    assert places == list(range(len(places)))
    if op.grad is None:
        return
    parameters = [p for p in inspect.signature(op.grad).parameters.values() if p.default is p.empty]
    if not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        tensors = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.name not in ("dtype",)]
        assert len(tensors) == 2 + len(places), "grad, out, and one per input"


def test_op_has_no_defaults() -> None:
    assert all(p.default is p.empty for p in inspect.signature(Op).parameters.values())
