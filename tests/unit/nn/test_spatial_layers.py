"""Layers against PyTorch's: text, state, output, and gradients of inputs and parameters."""

import numpy as np
import pytest
import torch

from tabgrad import nn
from unit.nn.spatial_cases import CASES


@pytest.mark.filterwarnings("ignore:Using padding='same' with even kernel:UserWarning")
@pytest.mark.parametrize(("name", "args", "keywords", "shape"), CASES, ids=[f"{c[0]}{c[1]}" for c in CASES])
def test_a_layer_is_torchs(same_as_torch, name, args, keywords, shape):
    rng = np.random.default_rng(0)
    ours, theirs = getattr(nn, name)(*args, **keywords), getattr(torch.nn, name)(*args, **keywords)
    assert repr(ours) == repr(theirs)
    assert [(k, tuple(v.shape)) for k, v in ours.state_dict().items()] == [
        (k, tuple(v.shape)) for k, v in theirs.state_dict().items()
    ]
    x = (rng.standard_normal(shape) * 2).astype(np.float32)
    if keywords.get("inplace") or True in args:  # a leaf that requires grad is not changed in place
        same_as_torch(lambda t: ours(t * 1), lambda t: theirs(t * 1), x)
    else:
        same_as_torch(ours.eval(), theirs.eval(), x)
