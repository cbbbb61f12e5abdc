"""The first losses of a digits run on Dawn are PyTorch's."""

from __future__ import annotations

import numpy as np

import losses
from node.harness import run_here


def test_first_losses_agree_with_pytorch() -> None:
    found = run_here("losses_in_node.py").json()
    assert len(found) == losses.STEPS
    np.testing.assert_allclose(found, losses.torch_losses(), rtol=losses.RTOL)
