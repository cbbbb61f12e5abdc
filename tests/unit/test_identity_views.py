"""Views that change nothing are other tensors of the same memory, as PyTorch's are; copies have memory of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import GradError

START = np.arange(12, dtype=np.float32).reshape(3, 4)

VIEWS: dict[str, Callable[[Any], Any]] = {
    "reshape": lambda x: x.reshape(3, 4),
    "reshape -1": lambda x: x.reshape(-1, 4),
    "view": lambda x: x.view(3, 4),
    "view of a view": lambda x: x.view(3, 4).view(3, 4),
    "view of a part": lambda x: x[1:].t().view(4, 2).t(),
    "expand": lambda x: x.expand(3, -1),
    "broadcast_to": lambda x: x.broadcast_to((3, 4)),
    "ellipsis": lambda x: x[...],
    "colon": lambda x: x[:],
    "colons": lambda x: x[:, :],
    "nothing": lambda x: x[()],
    "permute": lambda x: x.permute(0, 1),
    "transpose": lambda x: x.transpose(1, 1),
    "t of a row": lambda x: x[0].t(),
    "squeeze": lambda x: x.squeeze(),
    "squeeze one": lambda x: x.squeeze(0),
    "unflatten": lambda x: x.unflatten(0, (3,)),
    "narrow": lambda x: x.narrow(0, 0, 3),
    "split": lambda x: x.split(3)[0],
    "chunk": lambda x: x.chunk(1)[0],
}

COPIES: dict[str, Callable[[Any], Any]] = {
    "clone": lambda x: x.clone(),
    "repeat": lambda x: x.repeat(1, 1),
    "repeat in front": lambda x: x.repeat(1, 1, 1),
    "repeat a one": lambda x: x[0, :1].repeat(4),
    "tile": lambda x: (torch if isinstance(x, torch.Tensor) else tg).tile(x, (1, 1)),
    "pad": lambda x: (torch if isinstance(x, torch.Tensor) else tg).nn.functional.pad(x, (0, 0)),
    "crop": lambda x: (torch if isinstance(x, torch.Tensor) else tg).nn.functional.pad(x, (-1, -1)),
    "cat": lambda x: (torch if isinstance(x, torch.Tensor) else tg).cat([x]),
    "stack": lambda x: (torch if isinstance(x, torch.Tensor) else tg).stack([x]),
}

SELVES: dict[str, Callable[[Any], Any]] = {
    "contiguous": lambda x: x.contiguous(),
    "to": lambda x: x.to(x.dtype),
    "float": lambda x: x.float(),
    "flatten": lambda x: x.flatten(1, 1),
}


def pair() -> tuple[tg.Tensor, torch.Tensor]:
    return tg.tensor(START), torch.tensor(START)


@pytest.mark.parametrize("recorded", [False, True], ids=["no_grad", "recorded"])
@pytest.mark.parametrize("name", [*VIEWS, *COPIES, *SELVES])
def test_what_is_made_of_a_tensor_shares_what_pytorchs_does(name: str, recorded: bool) -> None:
    make = {**VIEWS, **COPIES, **SELVES}[name]
    x, theirs = pair()
    with tg.set_grad_enabled(recorded), torch.set_grad_enabled(recorded):
        ours, other = make(x), make(theirs)
        assert (ours is x) is (other is theirs) is (name in SELVES)
        ours.mul_(2)
        other.mul_(2)
        np.testing.assert_array_equal(x.numpy(), theirs.numpy())
        x.add_(1)
        theirs.add_(1)
        np.testing.assert_array_equal(ours.numpy(), other.numpy())


@pytest.mark.parametrize("name", VIEWS)
def test_asking_for_gradients_of_a_view_asks_for_none_of_what_it_shows(name: str) -> None:
    x = tg.tensor(START)
    view = VIEWS[name](x).requires_grad_()
    assert not x.requires_grad
    assert view.is_leaf
    (view * view).sum().backward()
    assert view.grad is not None
    np.testing.assert_array_equal(view.grad.numpy(), 2 * view.detach().numpy())
    assert x.grad is None


@pytest.mark.parametrize("name", [n for n in VIEWS if n not in ("split", "chunk")])  # PyTorch refuses such writes
def test_gradients_flow_through_a_view_and_what_is_written_to_it(name: str) -> None:
    found = []
    for lib in (tg, torch):
        leaf = lib.tensor(START, requires_grad=True)
        x = leaf * 1
        view = VIEWS[name](x)
        view *= 2
        view += leaf.sum()
        ((x + 1) * x).sum().backward()
        found.append((leaf.grad.numpy(), x.detach().numpy(), view.detach().numpy()))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_a_view_of_a_leaf_that_asks_for_gradients_is_none_itself() -> None:
    x = tg.tensor(START, requires_grad=True)
    view = x[:]
    assert view.requires_grad and not view.is_leaf
    with pytest.raises(GradError, match="expected no view of a leaf"):
        view += 1
    with tg.no_grad():
        quiet = x.view(3, 4)
        quiet += 1
    assert quiet is not x and not quiet.requires_grad
    np.testing.assert_array_equal(x.detach().numpy(), START + 1)


def test_items_that_are_all_are_changed_once() -> None:
    x, theirs = pair()
    for t in (x, theirs):
        t[:] += 1
        t[...] *= 2
        t[:, :] = t[:] + t[...]
    np.testing.assert_array_equal(x.numpy(), theirs.numpy())
    version = x._version
    x[:] += 1
    assert x._version == version + 1


def test_views_that_change_nothing_add_no_kernel() -> None:
    """Nor in the source of one."""
    texts = []
    for views in (True, False):
        x = tg.tensor(START)
        step = tg.compile(lambda x, views=views: ((x[:].view(3, 4)[...] if views else x) * 2).sum(1))
        step(x)
        texts.append(str(tg.explain(step, x, target="gpu").wgsl(0)))
    assert texts[0] == texts[1]
