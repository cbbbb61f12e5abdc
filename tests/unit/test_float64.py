"""float64: on the reference device as in PyTorch; on a GPU refused, or float32 where the session says so."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from sessions import session_on

MAKERS: dict[str, Callable[[], Any]] = {
    "zeros": lambda: tg.zeros(3, dtype=tg.float64),
    "a NumPy array": lambda: tg.from_numpy(np.arange(3.0)),
    "double": lambda: tg.ones(3).double(),
    "to": lambda: tg.ones(3).to(tg.float64),
    "tensor": lambda: tg.tensor([1, 2, 3], dtype=tg.double),
}


def test_losses_and_gradients_are_those_of_pytorch_to_the_last_digits() -> None:
    rng = np.random.default_rng(0)
    x, w = rng.standard_normal((5, 4)), rng.standard_normal((3, 4))

    def loss(T: Any, x: Any, w: Any) -> Any:
        hidden = T.tanh(x @ w.T) + T.exp(x[:, :3] * 0.1)
        return (hidden.softmax(1) * hidden.sigmoid() + T.erf(hidden)).sum(1).std()

    ours, theirs = tg.tensor(w).requires_grad_(), torch.tensor(w).requires_grad_()
    got, expected = loss(tg, tg.tensor(x), ours), loss(torch, torch.tensor(x), theirs)
    got.backward()
    expected.backward()
    assert got.dtype is tg.float64
    np.testing.assert_allclose(got.detach().numpy(), expected.detach().numpy(), rtol=1e-13)
    np.testing.assert_allclose(ours.grad.numpy(), theirs.grad.numpy(), rtol=1e-11, atol=1e-14)


@pytest.mark.native
@pytest.mark.parametrize("maker", MAKERS)
def test_a_gpu_refuses_it_with_the_remedy(maker: str) -> None:
    with (
        session_on("native"),
        pytest.raises(tg.DTypeError, match=r"GPUs have no float64.*tabgrad\.float64_as_float32\(\)"),
    ):
        MAKERS[maker]()


@pytest.mark.native
@pytest.mark.parametrize("maker", MAKERS)
def test_float32_is_taken_for_it_where_that_is_asked_for_and_says_so_once(maker: str) -> None:
    with session_on("native"):
        tg.float64_as_float32()
        with pytest.warns(UserWarning, match="float32 is taken for it"):
            assert MAKERS[maker]().dtype is tg.float32
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert MAKERS[maker]().dtype is tg.float32
        tg.float64_as_float32(False)
        with pytest.raises(tg.DTypeError):
            MAKERS[maker]()


def test_calls_that_were_put_off_keep_the_dtype_that_was_asked_for() -> None:
    def lazy() -> tuple[tg.Tensor, tg.Tensor]:
        made = [((tg.arange(3.0) + n).double() * 2, (tg.arange(3.0) + n).sum().item()) for n in range(5)]
        return made[-1][0], made[-2][0]

    with session_on("reference"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tg.float64_as_float32()
        narrow = lazy()
        tg.float64_as_float32(enabled=False)
        wide = lazy()
        for ours, dtype in ((narrow, tg.float32), (wide, tg.float64)):
            assert [t.dtype for t in ours] == [dtype, dtype]
            assert [t.tolist() for t in ours] == [[8, 10, 12], [6, 8, 10]]
