"""A program as JSON: equal after the way there and back, and whatever is wrong with a text is said with its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tabgrad as tg
from daily import daily_random
from device import program_cases
from tabgrad import nn
from tabgrad.compiler.compile import compile_graph
from tabgrad.compiler.target import Target
from tabgrad.devices.base import Limits
from tabgrad.errors import DeviceError, FileFormatError
from tabgrad.graph.linearize import linearize
from tabgrad.program import Program
from unit.compiler.recipes import grow, leaves, recipes
from workloads import SMALL, Workload, training_step

TARGETS = {
    "gpu": Target(limits=Limits(), software=False, renders=True),
    "numpy": Target(limits=Limits(), software=False, renders=False),
}


def check_round_trip(program: Program) -> None:
    text = program.to_json()
    again = Program.from_json(text)
    assert repr(again) == repr(program)  # a NaN among the constants equals nothing, itself included
    assert again.to_json() == text
    json.loads(text, parse_constant=pytest.fail)  # Infinity and NaN are Python's, and no JSON
    bare = Program.from_json(program.to_json(instructions=False))
    assert (bare.buffers, bare.shaders, bare.scalars) == (program.buffers, program.shaders, program.scalars)
    assert not any(d.instructions for d in bare.dispatches)
    assert [d.bindings for d in bare.dispatches] == [d.bindings for d in program.dispatches]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("workload", SMALL, ids=lambda w: w.name)
def test_training_steps_are_equal_after_json(workload: Workload, target: str) -> None:
    x, y = workload.batches()[0]
    recorded = training_step(workload).record(tg.tensor(x), tg.tensor(y))
    program = compile_graph(recorded.linear, TARGETS[target]).program
    assert program.num_scalars == len(recorded.linear.scalars) > 0
    check_round_trip(program)


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(recipe=recipes, seed=st.integers(0, 99))
def test_random_graphs_are_equal_after_json(recipe: Any, seed: int) -> None:
    values = grow(tg, [tg.tensor(a) for a in leaves(seed)], recipe)
    linear = linearize([v._node for v in values[-3:] if v._node.args] or [(values[0] + 1)._node])
    check_round_trip(compile_graph(linear, TARGETS["gpu"]).program)


@pytest.mark.parametrize("case", program_cases.PROGRAM_CASES, ids=lambda c: c.name)
def test_hand_made_programs_are_equal_after_json(case: program_cases.ProgramCase) -> None:
    check_round_trip(case.program)
    assert Program.from_json(case.program.to_json()) == case.program


@pytest.mark.parametrize("target", TARGETS)
def test_writes_through_views_are_equal_after_json(target: str) -> None:
    w, v = (tg.tensor(np.arange(24, dtype=np.float32).reshape(4, 6)) for _ in range(2))

    @tg.compile
    def step(x: tg.Tensor) -> tg.Tensor:
        w[1:3, ::2] = x * 2
        w[0].mul_(3)
        w.view(-1)[5] = x.sum()
        v[:, 2:4].add_(w[:, :2])
        v.t()[1:3] = 0.5
        return (w + v).sum()

    check_round_trip(compile_graph(step.record(tg.ones(2, 3)).linear, TARGETS[target]).program)


def test_what_json_lacks_is_kept() -> None:
    x = tg.tensor([1.0, -2.0])
    values = [tg.where(x > 0, x, float("-inf")), (x * -0.0).to(tg.int32), tg.full((2,), float("nan")) + x]
    program = compile_graph(linearize([v._node for v in values]), TARGETS["numpy"]).program
    check_round_trip(program)
    attrs = [i.attrs for d in program.dispatches for i in d.instructions]
    assert {"value": float("-inf")} in attrs
    assert any(str(a.get("value")) == "nan" for a in attrs)
    assert any(str(a.get("value")) == "-0.0" for a in attrs)
    assert {"dtype": tg.int32} in attrs


def test_a_program_without_instructions_is_none_for_the_reference() -> None:
    bare = Program.from_json(program_cases.PROGRAM_CASES[0].program.to_json(instructions=False))
    with pytest.raises(DeviceError, match="reference: expected instructions for the kernel 'add_scaled', got a shader"):
        tg.current_session().device.load(bare)


# What is refused

SCALED, RANGES = (program_cases.PROGRAM_CASES[n].program for n in (0, 3))
Change = Callable[[Any], None]


def _without(name: str) -> Change:
    return lambda document: document.pop(name)


def _put(path: str, value: Any) -> Change:
    *way, last = (int(step) if step.isdigit() else step for step in path.split())

    def change(document: Any) -> None:
        for step in way:
            document = document[step]
        document[last] = value

    return change


REFUSED: dict[str, tuple[Change, str]] = {
    "another form": (_put("format", "tabgrad program 2"), "the form 'tabgrad program 1'.* at format, got 'tabgrad"),
    "no form": (_without("format"), "at format, got None"),
    "no buffers": (_without("buffers"), "expected an object with 'buffers', got"),
    "more than there is": (_put("more", 1), "expected an object without 'more', got"),
    "buffers no list": (_put("buffers", {}), "expected a list at buffers, got {}"),
    "a size of text": (_put("buffers 0 size_bytes", "4"), r"from 1 at buffers\[0\].size_bytes, got '4'"),
    "a size of true": (_put("buffers 0 size_bytes", True), r"at buffers\[0\].size_bytes, got True"),
    "a size of 0": (_put("buffers 0 size_bytes", 0), r"at buffers\[0\].size_bytes, got 0"),
    "a role": (_put("buffers 1 role", "king"), r"input, state, output, scratch at buffers\[1\].role, got 'king'"),
    "a shader": (_put("shaders 0", 7), r"expected text at shaders\[0\], got 7"),
    "a scalar's dtype": (_put("scalars 1", "int8"), r"expected one of bool, .* at scalars\[1\], got 'int8'"),
    "a shader's number": (_put("dispatches 0 shader", 1), r"one of 1 shaders at .*shader, got 1"),
    "a buffer's number": (_put("dispatches 0 bindings 2 0", 3), r"3 buffers at .*bindings\[2\]\[0\], got 3"),
    "a short binding": (_put("dispatches 0 bindings 0", []), r"a list of 4 at .*bindings\[0\]"),
    "an offset": (_put("dispatches 0 bindings 0 1", 4), r"a multiple of 256 at .*bindings\[0\]\[1\], got 4"),
    "a range": (_put("dispatches 0 bindings 0 2", 4016), r"from 1 to 4012 at .*bindings\[0\]\[2\]"),
    "an access": (_put("dispatches 0 bindings 0 3", "write"), r"one of read, read_write at .*\[3\], got 'write'"),
    "workgroups": (_put("dispatches 0 workgroups", [1, 1]), r"a list of 3 at .*workgroups"),
    "negative workgroups": (_put("dispatches 0 workgroups 0", -1), r"workgroups\[0\], got -1"),
    "a flag": (_put("dispatches 0 uses_scalars", 1), r"true or false at .*uses_scalars, got 1"),
    "an op": (_put("dispatches 0 instructions 5 op", "mull"), r"an op .* at dispatches\[0\].instructions\[5\].op"),
    "no kernel's op": (_put("dispatches 0 instructions 5 op", "assign"), r"an op of this version"),
    "a later argument": (_put("dispatches 0 instructions 5 args", [1, 5]), r"5 earlier instructions at .*\.args\[1\]"),
    "too many arguments": (_put("dispatches 0 instructions 7 args", [4, 4]), r"a list of 1 at .*\[7\].args"),
    "a binding's number": (_put("dispatches 0 instructions 0 attrs", {"binding": 3}), r"at .*attrs.binding, got 3"),
    "a binding to read": (_put("dispatches 0 instructions 7 attrs", {"binding": 0}), "a binding that may be written"),
    "a slot": (_put("dispatches 0 instructions 2 attrs", {"slot": 2}), r"one of 2 scalars at .*attrs.slot, got 2"),
    "a dtype": (_put("dispatches 0 instructions 0 dtype", "float128"), r"at .*\[0\].dtype, got 'float128'"),
    "a scalar of another dtype": (_put("dispatches 0 instructions 2 dtype", "int32"), "one float32, as the program's"),
    "a shape beyond the binding": (_put("dispatches 0 instructions 0 shape", [1004]), "the binding's 4012 bytes"),
    "a result's shape": (_put("dispatches 0 instructions 5 shape", [1002]), r"result of float32 \(1003,\) at .*\[5\]"),
    "attributes": (_put("dispatches 0 instructions 5 attrs", {"a": {"b": 1}}), r"an object with 'float' at .*attrs.a"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", REFUSED)
def test_what_is_wrong_is_said_with_its_place(wrong: str) -> None:
    change, message = REFUSED[wrong]
    document = json.loads(SCALED.to_json())
    change(document)
    with pytest.raises(FileFormatError, match=f"Program.from_json: .*{message}"):
        Program.from_json(json.dumps(document))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Expecting value"),
        ("[1, 2", "Expecting ',' delimiter"),
        ("NaN", "NaN is no JSON"),
        ('{"format": "tabgrad program 1", "format": 1}', "the key 'format' is there twice"),
        ("[" * 100_000, "nested more than 16 deep"),
        ("9" * 5000, "digits"),
        ("[]", "expected an object with format, buffers"),
        ("null", "expected an object"),
        ('{"format": 1}', "at format, got 1"),
    ],
)
def test_text_that_is_no_program_is_refused(text: str, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        Program.from_json(text)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of a document."""
    for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield value, key
        yield from _places(value[key])


def test_changed_documents_are_read_or_refused() -> None:
    """Whatever stands anywhere in a document: a program comes out, or the one error."""
    numbers = daily_random("changed documents")
    x, y = SMALL[0].batches(2)[0]
    recorded = training_step(SMALL[0]).record(tg.tensor(x), tg.tensor(y))
    text = compile_graph(recorded.linear, TARGETS["numpy"]).program.to_json()
    values = [None, True, -1, 0, 1, 3, 2**40, 0.5, "", "mul", "float32", [], [1], {}, {"float": "inf"}, {"binding": 0}]
    refused = []
    for _ in range(150):
        document = json.loads(text)
        at, key = numbers.choice(list(_places(document)))
        at[key] = numbers.choice(values)
        try:
            Program.from_json(json.dumps(document))
        except FileFormatError as error:
            refused.append(str(error))
    assert len(refused) > 50
    assert all(message.startswith("Program.from_json: expected ") for message in refused)


def test_attributes_that_an_op_cannot_run_with_are_named() -> None:
    """An op's rules look at what its type depends on; the rest shows when NumPy runs it."""
    x, w = tg.zeros(1, 2, 4, 4), tg.zeros(2, 2, 3, 3)
    conv = nn.functional.conv2d(x * 1, w * 1, padding=1)
    document = json.loads(compile_graph(linearize([conv._node]), TARGETS["numpy"]).program.to_json())
    (attrs,) = [i["attrs"] for d in document["dispatches"] for i in d["instructions"] if i["op"] == "conv2d"]
    del attrs["groups"]
    program, device = Program.from_json(json.dumps(document)), tg.current_session().device
    buffers = [device.allocate(program.buffers[n].size_bytes) for n in program.externals]
    with pytest.raises(DeviceError, match=r"got 'conv2d' with .* as instruction \d of the kernel .*KeyError: 'groups'"):
        device.run(device.bind(device.load(program), buffers), np.empty(0, np.uint8))
