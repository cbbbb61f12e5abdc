"""Checkpoints that PyTorch reads, and PyTorch's own."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.errors import FileFormatError


def _trained(library: Any) -> tuple[Any, Any]:
    nn = library.nn
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Linear(4, 1))
    optimizer = library.optim.Adam(model.parameters(), lr=0.01)
    model(library.randn(8, 3)).sum().backward()
    optimizer.step()
    return model, optimizer


def _saved(library: Any, obj: Any) -> bytes:
    file = io.BytesIO()
    library.save(obj, file)
    return file.getvalue()


@pytest.mark.parametrize(("writes", "reads"), [(tg, torch), (torch, tg), (tg, tg)], ids=["ours", "theirs", "alone"])
def test_checkpoint_of_a_training(writes: Any, reads: Any) -> None:
    model, optimizer = _trained(writes)
    state = {"epoch": 3, "model": model.state_dict(), "optimizer": optimizer.state_dict(), "loss": 0.5, "best": None}
    loaded = reads.load(io.BytesIO(_saved(writes, state)), map_location="cpu", weights_only=True)
    assert (loaded["epoch"], loaded["loss"], loaded["best"]) == (3, 0.5, None)
    other, again = _trained(reads)
    other.load_state_dict(loaded["model"])
    again.load_state_dict(loaded["optimizer"])
    for name, value in model.state_dict().items():
        np.testing.assert_array_equal(value.numpy(), other.state_dict()[name].numpy(), err_msg=name)
    first, second = optimizer.state_dict()["state"][0], again.state_dict()["state"][0]
    np.testing.assert_array_equal(first["exp_avg"].numpy(), second["exp_avg"].numpy())


@pytest.mark.parametrize(("writes", "reads"), [(tg, torch), (torch, tg)], ids=["ours", "theirs"])
def test_objects_of_all_kinds(writes: Any, reads: Any) -> None:
    t = writes
    bfloat = t.tensor([1.5, -2.0]).to(t.bfloat16)
    state = [
        t.arange(6.0).reshape(2, 3).t(), t.arange(6.0)[1:5:2], t.tensor(2.5), t.zeros(0, 3), t.tensor([True, False]),
        bfloat, t.tensor([1.5]).half(), t.tensor([3], dtype=t.uint8), t.tensor([-3], dtype=t.int8), t.tensor([[7, -8]]),
    ]  # fmt: skip
    more = {
        "parameter": t.nn.Parameter(t.ones(2)),
        "size": t.zeros(2, 3).shape,
        "device": t.device("cpu"),
        (1, "a"): {2},
    }
    loaded, plain = reads.load(io.BytesIO(_saved(writes, [state, {**more, "dtype": t.float16}])))
    for before, after in zip(state, loaded, strict=True):
        assert tuple(before.shape) == tuple(after.shape)
        assert before.tolist() == after.tolist()
        assert before.dtype.is_floating_point == after.dtype.is_floating_point
    assert isinstance(plain["parameter"], reads.nn.Parameter)
    assert plain["parameter"].requires_grad
    assert plain["size"] == (2, 3)
    assert plain["dtype"] is reads.float16
    assert plain[1, "a"] == {2}


def test_one_memory_stays_one() -> None:
    tied = tg.ones(3)
    file = _saved(tg, {"a": tied, "b": tied.detach()})
    assert len([name for name in zipfile.ZipFile(io.BytesIO(file)).namelist() if "/data/" in name]) == 1
    loaded = tg.load(file)
    loaded["a"].mul_(2)
    assert loaded["b"].tolist() == [2, 2, 2]


def test_whole_module(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5))
    tg.save(model, tmp_path / "model.pt")
    again = tg.load(tmp_path / "model.pt", weights_only=False)
    assert repr(again) == repr(model)
    assert again.eval()(tg.ones(1, 3)).tolist() == model.eval()(tg.ones(1, 3)).tolist()
    optimizer = optim.SGD(again.parameters(), lr=0.1)
    again(tg.ones(1, 3)).sum().backward()
    optimizer.step()
    with pytest.raises(pickle.UnpicklingError, match=r"Weights only load failed.*Sequential.*weights_only=False"):
        tg.load(tmp_path / "model.pt")


def test_what_names_other_code_is_refused() -> None:
    import os

    file = io.BytesIO()
    torch.save({"a": os.getcwd}, file)
    with pytest.raises(pickle.UnpicklingError, match=r"Weights only"):
        tg.load(file.getvalue())


def test_pytorch_module_is_refused_by_name() -> None:
    file = _saved(torch, torch.nn.Linear(2, 2))
    with pytest.raises(pickle.UnpicklingError, match=r"torch.nn.modules.linear.Linear; save model.state_dict"):
        tg.load(file, weights_only=False)


def test_malformed_files(tmp_path: Path) -> None:
    good = _saved(tg, {"a": tg.ones(4)})
    with pytest.raises(FileFormatError):
        tg.load(good[: len(good) // 2])
    with pytest.raises(FileNotFoundError):
        tg.load(tmp_path / "nothing.pt")
    old = io.BytesIO()
    torch.save([1], old, _use_new_zipfile_serialization=False)
    with pytest.raises(FileFormatError, match=r"before 1.6"):
        tg.load(old.getvalue())
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as source, zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as target:
        for name in source.namelist():
            target.writestr(name, source.read(name))
    with pytest.raises(FileFormatError, match="not compressed"):
        tg.load(packed.getvalue())


def test_names_choose_safetensors(tmp_path: Path) -> None:
    tg.save({"a": tg.ones(2)}, tmp_path / "a.safetensors")
    assert (tmp_path / "a.safetensors").read_bytes()[8:9] == b"{"
    assert tg.load(tmp_path / "a.safetensors")["a"].tolist() == [1, 1]
