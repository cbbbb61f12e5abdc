"""The table of primitives is total: whatever a layer asks of an op, its declaration answers, or was refused."""

from __future__ import annotations

import inspect
import re
from dataclasses import MISSING, fields, replace
from typing import Any

import numpy as np
import pytest

import tabgrad as tg
from device.op_cases import OP_CASES, evaluate
from tabgrad.compiler import families
from tabgrad.compiler.codegen.templates import kernel_folder
from tabgrad.compiler.families.gemm import CONTRACTIONS
from tabgrad.compiler.passes.large.views import RULES
from tabgrad.graph.linearize import topological
from tabgrad.graph.node import LOAD, SCALAR, STORE
from tabgrad.graph.op import OPS, Elementwise, Heavy, Kind, Op, View, register
from tabgrad.ops.arithmetic import ADD, COPY
from tabgrad.ops.matmul import Gemm
from tabgrad.ops.pack import PACK
from tabgrad.ops.random_tensors import BITS_BELOW, BITS_TO_UNIFORM, RANDOM_BITS
from tabgrad.ops.reduce import FOLDS

EVERY = pytest.mark.parametrize("op", OPS.values(), ids=lambda op: op.name)
ELEMENTWISE = pytest.mark.parametrize(
    "op", [o for o in OPS.values() if o.kind is Kind.ELEMENTWISE], ids=lambda op: op.name
)

# Results that are no smooth function of a float input; and what is never recorded.
NO_GRADIENT = {
    "assign", "attention", "attention_grad_key_value", "attention_grad_query", "bits_below", "bits_to_uniform",
    "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "buffer",
    "const", "copy", "eq", "eq_float", "exponent", "float_key", "floor_div", "floor_div_int", "gcd", "ge", "gt",
    "iota", "isfinite", "isnan", "le", "load", "logical_and", "logical_not", "logical_or", "lt", "ne", "ne_float",
    "nextafter", "order_blocks", "order_invert", "order_merge", "order_search", "pack", "pow_int", "random_bits",
    "scalar", "scan", "segment", "signbit", "store",
}  # fmt: skip

BUILTINS = {
    "abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "cos", "cosh", "exp", "exp2", "f32",
    "floor", "fract", "inverseSqrt", "log", "log2", "max", "min", "round", "select", "sign", "sin", "sinh", "sqrt",
    "tan", "trunc", "u32",
}  # fmt: skip


def lowering(op: Op) -> Any:
    return op.lowering


@EVERY
def test_op_is_in_the_table_under_its_name(op: Op) -> None:
    assert OPS[op.name] is op
    assert repr(op) == repr(op.name)


@EVERY
def test_op_has_a_gradient_or_is_known_to_have_none(op: Op) -> None:
    assert (op.grad is None) == (op.name in NO_GRADIENT)


@EVERY
def test_every_pass_of_the_compiler_can_treat_the_op(op: Op) -> None:
    match op.lowering:
        case Elementwise(wgsl=wgsl):
            called = set(re.findall(r"([a-zA-Z]\w*)\(", wgsl.replace("{t}", "f32")))
            ours = {p.stem for p in (kernel_folder() / "functions").glob("*.wgsl")}
            assert called <= BUILTINS | ours, "a WGSL function that exists nowhere"
        case View() as view:
            # large values fall into parts by roles, or by a rule
            assert (view.dims is None) == (op in RULES)
        case Gemm():
            assert op in CONTRACTIONS
        case Heavy():
            assert type(op.lowering) in families.FAMILIES


@ELEMENTWISE
def test_elementwise_wgsl_uses_each_argument_of_its_gradient(op: Op) -> None:
    text = lowering(op).wgsl.replace("{convert}", "{0}")
    places = sorted({int(n) for n in re.findall(r"\{(\d)[!?]*\}", text)})
    assert places == list(range(len(places)))
    assert len(lowering(op).neutral) in (0, len(places))
    if op.grad is None:
        return
    parameters = [p for p in inspect.signature(op.grad).parameters.values() if p.default is p.empty]
    if not any(p.kind is p.VAR_POSITIONAL for p in parameters):
        tensors = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD and p.name not in ("dtype",)]
        assert len(tensors) == 2 + len(places), "grad, out, and one per input"


def test_no_answer_that_is_needed_has_a_default() -> None:
    required = {
        Op: {"name", "lowering", "shape_rule", "dtype_rule", "reference", "grad"},
        Elementwise: {"wgsl", "cost"},
        View: {"read", "moves_one", "follows"},
        Heavy: {"flops", "terms"},
    }
    for kind, names in required.items():
        assert {f.name for f in fields(kind) if f.init and f.default is MISSING} == names


def test_incomplete_declarations_are_refused() -> None:
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'cost'"):
        Elementwise(wgsl="{0}")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="op 'add': expected a name of its own, got one that another op has"):
        register(ADD)
    with pytest.raises(ValueError, match="op 'sum2': expected a NumPy reference for what computes"):
        register(replace(ADD, name="sum2", reference=None))
    assert "sum2" not in OPS


def test_heavy_op_without_a_kernel_family_is_refused() -> None:
    class Sort(Heavy):
        """A family that nobody has written."""

    rules = {"flops": lambda attrs, out, x: 0, "terms": lambda attrs, out, x: 1}
    with pytest.raises(TypeError, match=r"op .sort.: expected a lowering that a kernel family is for, got .*Sort"):
        families.require_families([replace(ADD, name="sort", lowering=Sort(**rules))])


@pytest.mark.parametrize("kind", [kind for kind, fold in FOLDS.items() if fold.of_nothing is None])
def test_fold_that_nothing_has_refuses_nothing(kind: str) -> None:
    with pytest.raises(ValueError, match=r"empty|zero-size"):
        FOLDS[kind].reference(np.ones((2, 0), np.float32), (1,))


@pytest.mark.parametrize("kind", ["sum", "prod"])
def test_fold_of_nothing_is_what_the_reference_says(kind: str) -> None:
    assert FOLDS[kind].reference(np.ones((2, 0), np.float32), (1,)).tolist() == [[FOLDS[kind].of_nothing]] * 2


def test_every_op_has_a_case_on_every_device() -> None:
    """Cases run on all devices; what they compute, gradients included, is made of all ops there are."""
    used: set[Op] = set()
    for case in OP_CASES:
        values = evaluate(case, tg, tg.nn.functional, lambda array, grad: tg.tensor(array, requires_grad=grad))
        used |= {node.op for node in topological(v._node for v in values.values() if v is not None)}
    elsewhere = {
        *(COPY, LOAD, STORE),  # the compiler's own
        *(RANDOM_BITS, BITS_TO_UNIFORM, BITS_BELOW),  # device/random_checks.py
        *(PACK, SCALAR),  # training steps: device/test_workloads.py
    }
    assert set(OPS.values()) - used == elsewhere
