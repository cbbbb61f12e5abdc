"""Views that other functions make: which share memory, as PyTorch's do; writes through them, and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg

VIEWS: dict[str, Callable[[Any, Any], Any]] = {
    "diagonal": lambda T, x: x.diagonal(),
    "diagonal above": lambda T, x: x.diagonal(1, 1, 2),
    "diagonal of a transpose": lambda T, x: x.transpose(0, 2).diagonal(-1, 0, 1),
    "unfold": lambda T, x: x.unfold(1, 2, 2),
    "unfold with gaps": lambda T, x: x.unfold(2, 1, 2),
    "as_strided": lambda T, x: T.as_strided(x, (2, 3), (12, 2), 1),
    "as_strided of a transpose": lambda T, x: x.transpose(0, 1).as_strided((2, 3), (4, 1)),
    "select": lambda T, x: x.select(1, -1),
    "unbind": lambda T, x: x.unbind(2)[1],
    "movedim": lambda T, x: T.movedim(x, (0, 2), (2, 1)),
    "swapaxes": lambda T, x: x.swapaxes(0, 2),
    "expand_as": lambda T, x: x[:, :1, :1].expand_as(x)[:, 0, 0],
    "view_as": lambda T, x: x.view_as(T.zeros(12, 2)),
    "ravel": lambda T, x: x.ravel(),
    "tensor_split": lambda T, x: x.tensor_split([1, 2], 1)[1],
    "hsplit": lambda T, x: x.hsplit(3)[2],
    "narrow from the end": lambda T, x: x.narrow(1, -2, 1),
    "squeeze of several": lambda T, x: x[:1, :, :1].squeeze((0, 2)),
    "broadcast_tensors": lambda T, x: T.broadcast_tensors(x, x[:1])[0],
    "atleast_3d": lambda T, x: T.atleast_3d(x),
    "mH": lambda T, x: x.mH,
}


NOT_WRITTEN = ("unbind", "expand_as")
"""PyTorch refuses to write to one of several views; here what ``expand`` repeats is not written, nor parts of it."""
WRITTEN = {name: view for name, view in VIEWS.items() if name not in NOT_WRITTEN}


@pytest.mark.parametrize("view", WRITTEN.values(), ids=WRITTEN)
def test_a_write_through_a_view_is_seen_and_differentiated_as_in_pytorch(view: Callable[[Any, Any], Any]) -> None:
    data = np.random.default_rng(0).standard_normal((2, 3, 4)).astype(np.float32)

    def run(T: Any) -> list[np.ndarray]:
        leaf = T.tensor(data, requires_grad=True)
        x = leaf * 2
        part = view(T, x)
        part.mul_(3)
        x.add_(1)
        (g,) = T.autograd.grad((x * x * part.sum()).sum(), [leaf])
        return [x.detach().numpy(), part.detach().numpy(), g.numpy()]

    for got, expected in zip(run(tg), run(torch), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_views_have_pytorchs_strides(view: Callable[[Any, Any], Any]) -> None:
    got, expected = view(tg, tg.zeros(2, 3, 4)), view(torch, torch.zeros(2, 3, 4))
    assert got.shape == tuple(expected.shape)
    assert got.stride() == expected.stride()


COPIES: dict[str, Callable[[Any, Any], Any]] = {
    "roll": lambda T, x: T.roll(x, (1, -1), (0, 1)),
    "rot90": lambda T, x: x.rot90(1, (0, 1)),
    "narrow_copy": lambda T, x: x.narrow_copy(0, 0, 2),
    "permute_copy": lambda T, x: T.permute_copy(x, (1, 0)),
    "diag": lambda T, x: x.diag(),
    "select_scatter": lambda T, x: x.select_scatter(x[0] * 2, 0, 1),
    "diagonal_scatter": lambda T, x: x.diagonal_scatter(x[0, :2]),
    "slice_scatter": lambda T, x: x.slice_scatter(x[:1], 0, 1, 2),
    "hstack": lambda T, x: T.hstack((x, x)),
    "concat": lambda T, x: T.concat((x, x), dim=1),
}


@pytest.mark.parametrize("copy", COPIES.values(), ids=COPIES)
def test_a_write_to_a_copy_leaves_the_tensor(copy: Callable[[Any, Any], Any]) -> None:
    found = []
    for T in (tg, torch):
        x = T.arange(6.0).reshape(2, 3)
        y = copy(T, x)
        found.append(y.numpy().copy())
        y.zero_()
        assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    np.testing.assert_array_equal(*found)


def test_methods_that_change_the_shape_keep_memory_and_record() -> None:
    for T in (torch, tg):
        x = T.arange(6.0).reshape(2, 3)
        row = x[1]
        x.unsqueeze_(0).squeeze_(0).t_()
        assert tuple(x.shape) == (3, 2)
        x[0] = 9
        assert row.tolist() == [9, 4, 5]
        leaf = T.ones(2, 3, requires_grad=True)
        y = leaf * 2
        y.transpose_(0, 1).mul_(3)
        (y[0] ** 2).sum().backward()
        assert leaf.grad.tolist() == [[72, 0, 0], [72, 0, 0]]
        with pytest.raises(RuntimeError):
            leaf.unsqueeze_(0)
        assert T.arange(6).resize_(2, 2).tolist() == [[0, 1], [2, 3]]


def test_diagonals_are_filled_and_offsets_counted_as_in_pytorch() -> None:
    for T in (torch, tg):
        assert T.zeros(3, 2).fill_diagonal_(1).tolist() == [[1, 0], [0, 1], [0, 0]]
        assert T.zeros(5, 2).fill_diagonal_(1, wrap=True).tolist() == [[1, 0], [0, 1], [0, 0], [1, 0], [0, 1]]
        part = T.arange(12.0).reshape(3, 4)[1:, 2:]
        assert part.storage_offset() == 6
        assert part[:1].as_strided((2,), (1,), 6).tolist() == [6, 7]


def test_places_outside_of_a_part_are_those_of_its_memory() -> None:
    for T in (torch, tg):
        x = T.arange(20)
        part = x[5:15]
        assert part.as_strided((2, 2), (1, 2), 0).tolist() == [[0, 2], [1, 3]]
        part[::2].as_strided((2,), (9,), 10).mul_(0)
        assert x[[9, 10, 11, 19]].tolist() == [9, 0, 11, 0]
        with pytest.raises(RuntimeError):
            part.as_strided((2,), (1,), 19)
    leaf = tg.arange(20.0).requires_grad_()
    with pytest.raises(tg.GradError, match="as_strided: expected places among those that the tensor shows"):
        leaf[5:15].as_strided((2,), (1,), 0)


def test_memory_of_other_strides_is_made() -> None:
    for T in (torch, tg):
        x = T.empty_strided((2, 3), (1, 2))
        assert tuple(x.stride()) == (1, 2)
        assert tuple(x.new_empty_strided((3,), (4,)).stride()) == (4,)


def test_windows_that_overlap_are_read_and_not_written() -> None:
    x = tg.arange(6.0)
    assert x.unfold(0, 3, 1).tolist() == torch.arange(6.0).unfold(0, 3, 1).tolist()
    for view in (x.unfold(0, 3, 1), x.as_strided((3, 3), (1, 1))):
        with pytest.raises(RuntimeError, match="each of whose elements has memory of its own"):
            view.mul_(2)


@pytest.mark.parametrize(
    "call",
    [
        lambda T: T.zeros(3).expand(-1, 3),
        lambda T: T.zeros(2, 3).reshape(-2, -3),
        lambda T: T.zeros(2, 3).t().view(-1),
        lambda T: T.zeros(3).split(0),
        lambda T: T.zeros(3).chunk(0),
        lambda T: T.zeros(3).narrow(0, 2, 2),
        lambda T: T.zeros(2, 3).squeeze((0, 0)),
        lambda T: T.zeros(2, 2).flip(0, 0),
        lambda T: T.stack([T.zeros(2), T.zeros(3)]),
        lambda T: T.cat([T.tensor(1.0)]),
        lambda T: T.zeros(3).unflatten(0, (2, -1)),
        lambda T: T.block_diag(T.zeros(1, 1, 1)),
        lambda T: T.zeros(2, 3).diagonal(0, 1, 1),
        lambda T: T.zeros(3).unfold(0, 4, 1),
    ],
)
def test_misuse_is_a_runtime_error_in_both(call: Callable[[Any], Any]) -> None:
    for T in (torch, tg):
        with pytest.raises(RuntimeError):
            call(T)


def test_keywords_are_pytorchs() -> None:
    for T in (torch, tg):
        x = T.arange(6).reshape(shape=(2, 3))
        assert x.permute(dims=(1, 0)).tolist() == [[0, 3], [1, 4], [2, 5]]
        assert T.flip(input=x, dims=(1,)).tolist() == [[2, 1, 0], [5, 4, 3]]
        assert [tuple(p.shape) for p in x.split(split_size=2, dim=1)] == [(2, 2), (2, 1)]
        assert [tuple(p.shape) for p in T.split(tensor=x, split_size_or_sections=1)] == [(1, 3), (1, 3)]
        assert tuple(x.repeat(repeats=(2, 1)).shape) == (4, 3)
        assert tuple(T.tile(x, dims=(2,)).shape) == (2, 6)
        assert T.gather(input=x, dim=1, index=T.tensor([[2]])).tolist() == [[2]]
        assert x.where(x > 2, 0).tolist() == [[0, 0, 0], [3, 4, 5]]
        assert [t.tolist() for t in T.where(x > 3)] == [[1, 1], [1, 2]]
        assert T.cat([x, T.zeros(0, dtype=x.dtype)]).tolist() == x.tolist()
        out = T.zeros(2, 6, dtype=x.dtype)
        assert T.cat((x, x), dim=1, out=out) is out
        assert out[0].tolist() == [0, 1, 2, 0, 1, 2]
    with pytest.raises(NotImplementedError, match="memory cannot be shown as another dtype"):
        tg.zeros(2).view(tg.int32)
