"""How many launches the pieces of well-known models take on a GPU, in training."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.compiler.compile import compile_graph
from tabgrad.compiler.target import Target
from tabgrad.devices.base import Limits
from tabgrad.graph.linearize import linearize
from tabgrad.nn import functional as F
from unit.compiler.strict_device import check_program

BINDINGS = pytest.mark.parametrize("bindings", [8, 10])


def _count(tensors: list[tg.Tensor], bindings: int = 8) -> int:
    target = Target(limits=Limits(max_storage_buffers=bindings), software=False, renders=True)
    program = compile_graph(linearize([t._node for t in tensors]), target).program
    check_program(program, bindings)
    return len(program.dispatches)


def _leaf(*shape: int) -> tg.Tensor:
    return tg.tensor(np.full(shape, 0.5, np.float32), requires_grad=True)


def _counts(fn: Callable[..., tg.Tensor], *shapes: tuple[int, ...]) -> tuple[int, int]:
    """Launches of the forward pass, and of all gradients, from what the forward pass stored."""
    leaves = [_leaf(*s) for s in shapes]
    out = fn(*leaves)
    gradients = list(tg.grad([out], leaves, [_leaf(*out.shape).detach()]))
    forward = _count([out])
    return forward, _count([out, *gradients]) - forward


# forward, backward; the batch norm's images are large enough that a workgroup a channel would leave a GPU idle
PIECES = {
    "layer norm": (lambda x, w, b: F.layer_norm(x, (384,), w, b), [(4096, 384), (384,), (384,)], 1, 3),
    "layer norm of a short batch": (lambda x, w, b: F.layer_norm(x, (64,), w, b), [(96, 64), (64,), (64,)], 1, 2),
    "layer norm without parameters": (lambda x: F.layer_norm(x, (384,)), [(4096, 384)], 1, 1),
    "rms norm": (lambda x, w: F.rms_norm(x, (384,), w), [(1024, 384), (384,)], 1, 2),
    "group norm": (lambda x: F.group_norm(x, 4), [(64, 16, 8, 8)], 1, 1),
    "softmax": (lambda x: F.softmax(x, -1), [(64, 8, 64, 64)], 1, 1),
    "log-softmax": (lambda x: F.log_softmax(x, -1), [(4096, 65)], 1, 1),
    "batch norm": (
        lambda x, w, b: F.relu(F.batch_norm(x, None, None, w, b, training=True)), [(64, 8, 32, 64), (8,), (8,)], 3, 3,
    ),
    "batch norm and residual": (
        lambda x, y, w, b: F.relu(F.batch_norm(x, None, None, w, b, training=True) + y),
        [(64, 8, 32, 64), (64, 8, 32, 64), (8,), (8,)], 3, 3,
    ),
    "batch norm of many channels": (
        lambda x, w, b: F.relu(F.batch_norm(x, None, None, w, b, training=True)),
        [(8, 256, 8, 8), (256,), (256,)], 1, 3,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PIECES)
def test_piece(name: str) -> None:
    fn, shapes, forward, backward = PIECES[name]
    found = _counts(fn, *shapes)
    assert found[0] <= forward
    assert found[1] <= backward


@pytest.mark.parametrize("reduction", ["mean", "sum"])
def test_cross_entropy_and_its_gradient(reduction: str) -> None:
    x, y = _leaf(512, 65), tg.tensor(np.arange(512) % 65)
    loss = F.cross_entropy(x, y, reduction=reduction)
    loss.backward()
    assert _count([loss.detach(), x.grad]) <= 3


def test_statistics_run_with_what_follows() -> None:
    """The running averages and the number of batches take no launch of their own."""
    layer, x = nn.BatchNorm2d(8), _leaf(16, 8, 4, 4)
    assert _count([layer(x), layer.running_mean, layer.running_var, layer.num_batches_tracked]) <= 2


class _Attention(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.width = heads, width
        self.norm, self.qkv, self.proj = nn.LayerNorm(width), nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.norm2, self.up, self.down = nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: tg.Tensor) -> tg.Tensor:
        n, t, d = x.shape
        parts = self.qkv(self.norm(x)).reshape(n, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = parts[0], parts[1], parts[2]  # [n, heads, t, d / heads]
        mixed = F.softmax(q @ k.transpose(-2, -1) * 0.2, -1) @ v
        x = x + self.proj(mixed.transpose(1, 2).reshape(n, t, d))
        return x + self.down(F.gelu(self.up(self.norm2(x)), approximate="tanh"))


class _Residual(nn.Module):
    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1, self.norm1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
        self.conv2, self.norm2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)

    def forward(self, x: tg.Tensor) -> tg.Tensor:
        y = F.relu(self.norm1(self.conv1(x)))
        return F.relu(self.norm2(self.conv2(y)) + x)


def _step(model: nn.Module, x: tg.Tensor, bindings: int) -> int:
    optimizer = optim.AdamW(model.parameters(), lr=1e-3)

    def step(x: tg.Tensor) -> tg.Tensor:
        optimizer.zero_grad()
        loss = (model(x) * 0.1).exp().mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    recorded = tg.compile(step).record(x)
    target = Target(limits=Limits(max_storage_buffers=bindings), software=False, renders=True)
    program = compile_graph(recorded.linear, target).program
    check_program(program, bindings)
    return len(program.dispatches)


@BINDINGS
def test_transformer_blocks(bindings: int) -> None:
    """Each: two norms, two products and a softmax for attention, four linear layers; backward twice that, and sums:
    of biases, and of the parts in which the weights' gradients are computed.
    """
    x = _leaf(16, 64, 128).detach()
    one, two = (_step(nn.Sequential(*(_Attention(128, 4) for _ in range(n))), x, bindings) for n in (1, 2))
    assert two - one <= 31
    assert one <= 35


@BINDINGS
def test_residual_blocks(bindings: int) -> None:
    x = _leaf(32, 64, 8, 8).detach()
    one, two = (_step(nn.Sequential(*(_Residual(64) for _ in range(n))), x, bindings) for n in (1, 2))
    assert two - one <= 11
    assert one <= 15
