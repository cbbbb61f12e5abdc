"""The first losses of a digits run on Dawn are PyTorch's."""

from __future__ import annotations

import numpy as np

import losses
from node.one_python import OnePython


def test_first_losses_agree_with_pytorch(one_python: OnePython) -> None:
    found = one_python.run("losses_in_node.py").json()
    assert len(found) == losses.STEPS
    np.testing.assert_allclose(found, losses.torch_losses(), rtol=losses.RTOL)
