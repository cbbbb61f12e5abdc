"""Attention beside its values: what is stored and launched, second derivatives, dropout in compiled steps, errors."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad.compiler.compile import compile_graph
from tabgrad.compiler.target import Target
from tabgrad.devices.base import Limits
from tabgrad.errors import DTypeError, ShapeError, TabgradError
from tabgrad.graph.linearize import linearize
from tabgrad.nn import functional as F
from tabgrad.program import Program
from unit.compiler.strict_device import check_program

ADAPTERS = {
    "gpu": Target(limits=Limits(), software=False, renders=True),
    "large gpu": Target(limits=Limits(max_workgroup_bytes=49152), software=False, renders=True),
    "software": Target(limits=Limits(), software=True, renders=True),
}
each_adapter = pytest.mark.parametrize("target", ADAPTERS.values(), ids=ADAPTERS)
attend = F.scaled_dot_product_attention


def _array(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def _normal(*shape: int, seed: int = 0, grad: bool = True) -> tg.Tensor:
    return tg.tensor(_array(*shape, seed=seed), requires_grad=grad)


def _program(target: Target, *wanted: tg.Tensor) -> Program:
    program = compile_graph(linearize([t._node for t in wanted]), target).program
    check_program(program, target.limits.max_storage_buffers)
    return program


def _trained(target: Target, length: int = 48, width: int = 4, **options) -> Program:
    q, k, v = (_normal(2, 3, length, width, seed=n) for n in range(3))
    out = attend(q, k, v, **options)
    out.backward(_normal(*out.shape, grad=False))
    return _program(target, out, q.grad, k.grad, v.grad)


@each_adapter
def test_forward_is_one_kernel(target: Target) -> None:
    q, k, v = (_normal(2, 3, 9, 4, seed=n) for n in range(3))
    flat = [d for d in _program(target, attend(q, k, v)).dispatches if "attention" in d.label]
    assert [d.label for d in flat] == ["attention [6, 9, 4] x [6, 9, 4]"]


@each_adapter
@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"dropout_p": 0.5}], ids=str)
def test_scores_are_never_stored_and_kernels_are_few(target: Target, options: dict) -> None:
    program = _trained(target, **options)
    names = [d.label.split()[0] for d in program.dispatches]
    assert names.count("attention") == 1
    assert [n for n in names if n.startswith("attention_")] == ["attention_grad_query", "attention_grad_key_value"]
    # the rest copies results that are asked for by themselves: four values
    assert len(names) <= 3 + 4
    assert max(b.size_bytes for b in program.buffers) < 4 * 2 * 3 * 48 * 48


@each_adapter
def test_a_layer_makes_no_copies_of_heads(target: Target) -> None:
    x, w, o = _normal(2, 9, 8), _normal(8, 24), _normal(8, 8)
    q, k, v = (t.unflatten(-1, (2, 4)).transpose(1, 2) for t in (x @ w).split(8, -1))  # (2, heads, 9, 4)
    y = attend(q, k, v, is_causal=True).transpose(1, 2).flatten(2) @ o
    y.backward(_normal(*y.shape, grad=False))
    program = _program(target, y, x.grad, w.grad, o.grad)
    # x w, attention, times o, three gradients of products by o and w, two of attention, the three parts side by side
    assert len(program.dispatches) <= 10, [d.label for d in program.dispatches]


@each_adapter
def test_a_mask_is_read_and_not_spread_over_heads(target: Target) -> None:
    q = _normal(4, 3, 40, 4)
    keep = tg.tensor(np.random.default_rng(0).random((4, 1, 1, 40)) < 0.7)
    program = _program(target, attend(q, q, q, attn_mask=tg.logical_not(keep)))
    assert max(b.size_bytes for b in program.buffers) < 4 * 4 * 3 * 40 * 40


@pytest.mark.parametrize("bindings", [8, 10])
def test_all_gradients_with_a_mask_stay_within_the_bindings(bindings: int) -> None:
    target = Target(limits=Limits(max_storage_buffers=bindings), software=False, renders=True)
    _trained(target, attn_mask=_normal(48, 48, grad=False))


@pytest.mark.parametrize("limit", [16384, 32768, 49152, 65536])
@pytest.mark.parametrize("widths", [(1, 1), (32, 32), (64, 64), (128, 128), (8, 256), (256, 3), (100, 36)], ids=str)
def test_tiles_fit_the_workgroup_memory(widths: tuple[int, int], limit: int) -> None:
    target = Target(limits=Limits(max_workgroup_bytes=limit), software=False, renders=True)
    q, k, v = _normal(64, 256, widths[0]), _normal(64, 256, widths[0], seed=1), _normal(64, 256, widths[1])
    out = attend(q, k, v)
    out.backward(_normal(*out.shape, grad=False))
    for source in _program(target, out, q.grad, k.grad, v.grad).shaders:
        vectors = sum(int(n) for n in re.findall(r"var<workgroup> \w+: array<vec4<f32>, (\d+)>", source))
        assert 16 * vectors <= limit


@pytest.mark.parametrize(("width", "tiled"), [(256, True), (257, False)])
def test_rows_too_wide_for_registers_are_left_to_kernels_without_tiles(width: int, tiled: bool) -> None:
    q = _normal(64, 64, width)
    (source,) = (s for s in _program(ADAPTERS["gpu"], attend(q, q, q)).shaders if "log(" in s)
    assert ("var<workgroup> tile" in source) == tiled


def test_long_sequences_on_software_adapters_have_short_loops() -> None:
    """Mesa's llvmpipe ends a thread's loops after 65,535 turns: a thread per row would take 4096 / 4 * 128 of them."""
    q = _normal(1, 4096, 64)
    (source,) = (s for s in _program(ADAPTERS["software"], attend(q, q, q)).shaders if "log(" in s)
    assert "var<workgroup>" in source


def test_operations_are_counted_and_causality_halves_them() -> None:
    def count(**options) -> list[int]:
        dispatches = _trained(ADAPTERS["gpu"], **options).dispatches
        return [d.flops for d in dispatches if d.label.startswith("attention")]

    pairs = 2 * 3 * 48 * 48
    assert count() == [2 * pairs * 8, 2 * pairs * 12, 2 * pairs * 16]
    assert [f * 2 * 48 for f in count(is_causal=True)] == [f * 49 for f in count()]


def test_labels_say_what_is_computed() -> None:
    labels = [d.label for d in _trained(ADAPTERS["gpu"], is_causal=True).dispatches]
    for name in ("attention", "attention_grad_query", "attention_grad_key_value"):
        assert f"{name} [6, 48, 4] x [6, 48, 4] causal" in labels


# Derivatives


@pytest.mark.parametrize("causal", [False, True])
def test_second_derivatives_are_pytorchs(causal: bool) -> None:
    arrays = [_array(2, n, 3, seed=seed) for seed, n in enumerate((4, 5, 5))]

    def second(T, inputs):
        attention = torch.nn.functional.scaled_dot_product_attention if T is torch else attend
        out = attention(*inputs, is_causal=causal)
        first = T.autograd.grad((out * out).sum(), inputs, create_graph=True)
        total = sum(((g * g * g).sum() for g in first), 0.0)
        return T.autograd.grad(total, inputs)

    found = second(tg, [tg.tensor(a, requires_grad=True) for a in arrays])
    with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
        expected = second(torch, [torch.tensor(a, dtype=torch.float64, requires_grad=True) for a in arrays])
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=1e-3, atol=1e-4)


# Dropout


def test_a_compiled_step_drops_anew_and_its_gradient_drops_alike() -> None:
    n = 17
    q = tg.zeros(1, n, 4)
    v = tg.tensor(np.eye(n, dtype=np.float32)[None], requires_grad=True)

    @tg.compile
    def step(g):
        v.grad = None
        out = attend(q, q, v, dropout_p=0.5)  # with v the identity: the weights
        (out * g).sum().backward()
        return out.detach(), v.grad

    g = _normal(1, n, n, grad=False)
    masks = []
    for _ in range(3):
        out, grad = (t.numpy() for t in step(g))
        np.testing.assert_allclose(grad[0], out[0].T @ g.numpy()[0], rtol=1e-4, atol=1e-5)
        masks.append(out != 0)
    assert all((masks[0] != m).mean() > 0.3 for m in masks[1:])


def test_forward_and_backward_drop_alike_when_they_run_apart() -> None:
    n = 17
    v = tg.tensor(np.eye(n, dtype=np.float32)[None], requires_grad=True)
    out = attend(tg.zeros(1, n, 4), tg.zeros(1, n, 4), v, dropout_p=0.5)
    weights = out.detach().numpy()
    out.sum().backward()
    np.testing.assert_allclose(v.grad.numpy()[0, :, 0], weights[0].sum(0), rtol=1e-5)


# Errors


def _f(*shape: int) -> tg.Tensor:
    return tg.zeros(*shape)


WRONG = [
    (lambda: attend(_f(3), _f(3), _f(3)), ShapeError, "expected [..., L, E], [..., S, E] and [..., S, Ev], got [3]"),
    (lambda: attend(_f(2, 3), _f(2, 4), _f(2, 3)), ShapeError, "with one E >= 1 and one S, got [2, 3], [2, 4], [2, 3]"),
    (lambda: attend(_f(2, 3), _f(2, 3), _f(4, 3)), ShapeError, "with one E >= 1 and one S, got [2, 3], [2, 3], [4, 3]"),
    (lambda: attend(_f(2, 0), _f(2, 0), _f(2, 3)), ShapeError, "with one E >= 1 and one S"),
    (lambda: attend(_f(2, 1, 3), _f(3, 1, 3), _f(3, 1, 3)), ShapeError, "expected shapes that broadcast, got [2] and"),
    (
        lambda: attend(_f(2, 3), _f(4, 3), _f(4, 3), attn_mask=_f(3, 4)),
        ShapeError,
        "expected shapes that broadcast, got [3, 4] and [2, 4]",
    ),
    (
        lambda: attend(_f(2, 3), _f(4, 3), _f(4, 3), attn_mask=_f(5, 2, 4)),
        ShapeError,
        "expected attn_mask to broadcast to [2, 4], got [5, 2, 4]",
    ),
    (
        lambda: attend(_f(2, 3), _f(2, 3), _f(2, 3), attn_mask=_f(2, 2), is_causal=True),
        TabgradError,
        "expected attn_mask=None with is_causal=True, got both",
    ),
    (lambda: attend(_f(2, 3), _f(2, 3), _f(2, 3), dropout_p=1.5), TabgradError, "dropout_p in [0, 1], got 1.5"),
    (
        lambda: attend(_f(2, 3).int(), _f(2, 3), _f(2, 3)),
        DTypeError,
        "expected tensors of one floating-point dtype, got int32, float32, float32",
    ),
    (
        lambda: attend(_f(2, 3), _f(2, 3), _f(2, 3), attn_mask=_f(2, 2).int()),
        DTypeError,
        "expected a bool or float32 attn_mask, got int32; use .bool()",
    ),
    (
        lambda: attend(_f(2, 3), _f(2, 3), _f(2, 3), enable_gqa=True),
        ShapeError,
        "expected a number of the query's heads that is a multiple of the key's",
    ),
]


@pytest.mark.parametrize(("call", "kind", "message"), WRONG, ids=[m for _, _, m in WRONG])
def test_misuse_is_explained(call, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith("scaled_dot_product_attention")
    assert message in str(caught.value)
