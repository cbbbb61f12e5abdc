import numpy as np
import safetensors.torch
import torch

import tabgrad as tg
from tabgrad import nn
from tabgrad.interop import load, save


def classifier(lib):
    return lib.Sequential(
        lib.Conv2d(1, 4, 3, padding=1),
        lib.BatchNorm2d(4),
        lib.ReLU(),
        lib.MaxPool2d(2),
        lib.Flatten(),
        lib.Linear(64, 10),
    )


def test_a_model_trained_here_runs_in_pytorch(tmp_path):
    ours, theirs = classifier(nn), classifier(torch.nn)
    x = np.random.default_rng(0).standard_normal((6, 1, 8, 8)).astype(np.float32)
    ours(tg.tensor(x))  # moves the running statistics
    save(ours.state_dict(), tmp_path / "model.safetensors")
    theirs.load_state_dict(safetensors.torch.load_file(tmp_path / "model.safetensors"))
    out, expected = ours.eval()(tg.tensor(x)), theirs.eval()(torch.tensor(x))
    # float32 sums of 64 terms in another order
    np.testing.assert_allclose(out.detach().numpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-6)
    assert theirs[1].num_batches_tracked == 1


def test_a_model_of_pytorch_runs_here(tmp_path):
    ours, theirs = classifier(nn), classifier(torch.nn)
    safetensors.torch.save_file(theirs.state_dict(), tmp_path / "model.safetensors")
    assert ours.load_state_dict(load(tmp_path / "model.safetensors")) == ([], [])
    x = np.random.default_rng(0).standard_normal((6, 1, 8, 8)).astype(np.float32)
    out, expected = ours.eval()(tg.tensor(x)), theirs.eval()(torch.tensor(x))
    np.testing.assert_allclose(out.detach().numpy(), expected.detach().numpy(), rtol=1e-5, atol=1e-6)
