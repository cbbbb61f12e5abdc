import numpy as np
import pytest
import torch

import tabgrad as tg


def to_ours(module, state):
    """Load a PyTorch state dict into one of our modules."""
    module.load_state_dict({name: tg.tensor(value.detach().numpy()) for name, value in state.items()})


@pytest.fixture
def same_as_torch():
    """Checks that two modules with the same state give the same output, gradients and buffers.

    Called with (ours, theirs, *inputs); inputs are NumPy arrays, and floats get gradients. Sums of
    about a hundred float32 terms in another order differ by some 1e-6 relative.
    """

    def check(ours, theirs, *arrays, rtol=2e-5, atol=2e-6):
        if hasattr(ours, "load_state_dict"):
            to_ours(ours, theirs.state_dict())
        our_inputs = [tg.tensor(a, requires_grad=a.dtype == np.float32) for a in arrays]
        their_inputs = [torch.tensor(a.astype(np.int64) if a.dtype == np.int32 else a) for a in arrays]
        for tensor in their_inputs:
            tensor.requires_grad_(tensor.is_floating_point())
        out, expected = ours(*our_inputs), theirs(*their_inputs)
        assert tuple(out.shape) == tuple(expected.shape)
        np.testing.assert_allclose(out.detach().numpy(), expected.detach().numpy(), rtol, atol)
        weight = np.random.default_rng(1).standard_normal(out.shape).astype(np.float32)
        (out * tg.tensor(weight)).sum().backward()
        (expected * torch.tensor(weight)).sum().backward()
        pairs = [(o.grad, t.grad) for o, t in zip(our_inputs, their_inputs, strict=True) if t.requires_grad]
        if hasattr(ours, "named_parameters"):
            mine = dict(ours.named_parameters())
            pairs += [(mine[name].grad, p.grad) for name, p in theirs.named_parameters()]
            buffers = dict(ours.named_buffers())
            pairs += [(buffers[name], b) for name, b in theirs.named_buffers()]
        for ours_value, their_value in pairs:
            assert ours_value is not None
            np.testing.assert_allclose(ours_value.numpy(), their_value.detach().numpy(), rtol, 10 * atol)

    return check


@pytest.fixture
def rng():
    return np.random.default_rng(0)
