"""``info`` of matrices that have no inverse, solution or factor, as PyTorch's; and errors where they are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg

MATRICES = np.array([[[1, 2], [2, 4]], [[1, 2], [3, 4]], [[4, 1], [1, 3]], [[0, 0], [0, 0]]], np.float32)
CALLS: dict[str, Any] = {
    "inv_ex": lambda T, a: T.linalg.inv_ex(a),
    "solve_ex": lambda T, a: T.linalg.solve_ex(a, a[..., :1] + 1),
    "solve_ex of vectors": lambda T, a: T.linalg.solve_ex(a, a[..., 0] + 1),
    "cholesky_ex": lambda T, a: T.linalg.cholesky_ex(a),
    "cholesky_ex upper": lambda T, a: T.linalg.cholesky_ex(a, upper=True),
    "lu_factor_ex": lambda T, a: T.linalg.lu_factor_ex(a),
}


@pytest.mark.parametrize("name", CALLS)
def test_info_is_pytorchs(name: str) -> None:
    for given in (MATRICES, MATRICES[0], MATRICES[2], MATRICES[:0]):
        expected, got = CALLS[name](torch, torch.tensor(given)), CALLS[name](tg, tg.tensor(given))
        assert got.info.dtype is tg.int32
        np.testing.assert_array_equal(got.info.numpy(), expected.info.numpy())
        for theirs, ours in zip(expected, got, strict=True):
            assert tuple(ours.shape) == tuple(theirs.shape)
            good = np.asarray(expected.info == 0)
            np.testing.assert_allclose(ours.numpy()[good], theirs.numpy()[good], rtol=1e-5, atol=1e-6)


def test_what_has_no_result_is_nan_and_others_have_gradients() -> None:
    a = tg.tensor(MATRICES[:2], requires_grad=True)
    found = tg.linalg.inv_ex(a).inverse
    assert np.isnan(found[0].detach().numpy()).all()
    found[1].sum().backward()
    b = torch.tensor(MATRICES[1], requires_grad=True)
    torch.linalg.inv(b).sum().backward()
    np.testing.assert_allclose(a.grad.numpy()[1], b.grad, rtol=1e-5)
    assert not a.grad.numpy()[0].any()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda a: tg.linalg.inv_ex(a, check_errors=True), r"inv_ex: expected invertible .* at \[0\] \(info 2\)"),
        (lambda a: tg.linalg.cholesky_ex(a, check_errors=True), "cholesky_ex: expected positive definite"),
        (lambda a: tg.linalg.lu_factor(a), "lu_factor: expected matrices whose U has no 0 .* linalg.lu_factor_ex"),
        (lambda a: tg.linalg.solve_ex(a[0], a[0], check_errors=True), r"got another one \(info 2\)"),
    ],
)
def test_errors_are_raised_where_they_are_asked_for(call: Any, words: str) -> None:
    with pytest.raises(tg.linalg.LinAlgError, match=words):
        call(tg.tensor(MATRICES))
