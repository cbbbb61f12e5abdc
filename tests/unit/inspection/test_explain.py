import json

import numpy as np
import pytest

import tabgrad as tg
from steps import step_of
from tabgrad import nn, optim
from tabgrad.errors import TabgradError
from tabgrad.inspection import PEAKS, Peaks
from tabgrad.nn import functional as F


@pytest.fixture
def product():
    """A step of one matrix product: [4, 8] @ [8, 16]."""
    weight = tg.tensor(np.ones((8, 16), np.float32))
    return tg.compile(lambda x: x @ weight), tg.zeros(4, 8)


def training(width=32, batch=16):
    tg.manual_seed(0)
    model = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 4))
    optimizer = optim.Adam(model.parameters(), lr=1e-3)
    step = tg.compile(step_of(optimizer, lambda x, y: F.cross_entropy(model(x), y)))
    return step, (tg.zeros(batch, 8), tg.tensor(np.zeros(batch, np.int64)))


def test_numbers_of_a_matrix_product(product):
    step, x = product
    e = tg.explain(step, x, target="gpu", tflops=1e-6, gbps=1.0)
    (kernel,) = e.kernels
    assert kernel.label == "matmul [1, 4, 16]"
    assert kernel.flops == e.flops == 2 * 4 * 8 * 16
    assert kernel.bytes_moved == e.bytes_moved == 4 * (4 * 8 + 8 * 16 + 4 * 16)
    assert [o.shape for o in kernel.reads] == [(4, 8), (8, 16)]
    assert [o.size_bytes for o in kernel.writes] == [4 * 4 * 16]
    assert kernel.share == 1
    assert kernel.bound == "arithmetic"
    assert kernel.estimated_us == pytest.approx(1024)  # 1024 operations at a million a second
    assert tg.explain(step, x, target="gpu", tflops=1e6, gbps=1e-6).kernels[0].bound == "memory"
    assert tg.explain(step, x, target="gpu").kernels[0].bound == "launch"
    assert e.bytes_by_role() == {"input": 4 * (4 * 8 + 8 * 16), "output": 4 * 4 * 16}
    assert e.must_live == {"batch": 4 * 4 * 8, "read only": 4 * 8 * 16, "result": 4 * 4 * 16}
    assert not e.is_training


def test_source_names_its_template_and_numbers(product):
    step, x = product
    for target in ("gpu", "software"):
        e = tg.explain(step, x, target=target)
        assert e.kernels[0].variant.startswith("gemm/register m=4 n=16 k=8 tile_m=")
        assert e.wgsl(0).startswith(f"// {e.kernels[0].variant}\n@group(0)")


def test_nothing_runs(product):
    step, x = product
    before = tg.current_session().device.counters.snapshot()
    tg.explain(step, x)
    assert tg.current_session().device.counters.snapshot() == before


def test_memory_of_a_training_step():
    step, batch = training()
    e = tg.explain(step, *batch, target="gpu")
    assert e.is_training
    assert e.name == "step"
    flat = 4 * sum(-(-n // 64) * 64 for n in (8 * 32, 32, 32 * 4, 4))  # each parameter begins at 256 bytes
    assert e.must_live["parameters"] == e.must_live["gradients"] == flat
    assert e.must_live["optimizer state"] == 2 * flat
    assert e.must_live["batch"] == 4 * (16 * 8 + 16)
    hidden, logits = 16 * 32, 16 * 4  # for the second layer's gradients; of the logits, the gradient itself
    assert e.must_live["saved activations"] == 4 * (hidden + logits)
    assert {b.purpose for b in e.buffers if b.role == "state"} == {
        "parameters", "optimizer state exp_avg", "optimizer state exp_avg_sq",
    }  # fmt: skip
    scratch = [b for b in e.buffers if b.role == "scratch"]
    assert e.scratch_bytes == sum(b.size_bytes for b in scratch) >= e.scratch_peak_bytes
    for b in scratch:
        users = {k.number for k in e.kernels for o in (*k.reads, *k.writes) if o.buffer == b.index}
        assert users == {n for _, first, last, _ in b.lives for n in users if first <= n <= last}
        assert max(size for *_, size in b.lives) == b.size_bytes
        assert all(before[2] < after[1] for before, after in zip(b.lives, b.lives[1:], strict=False))
    held = [sum(s for b in scratch for _, f, last, s in b.lives if f <= k.number <= last) for k in e.kernels]
    assert e.scratch_peak_bytes == max(held) == held[e.scratch_peak_at]


def test_scalars_name_their_kernels():
    step, batch = training()
    e = tg.explain(step, *batch)
    assert {s.dtype for s in e.scalars} == {"float32"}
    assert all(s.kernels == (len(e.kernels) - 1,) for s in e.scalars)  # the optimizer's, which comes last


def test_text_and_json_say_the_same():
    step, batch = training()
    e = tg.explain(step, *batch, target="gpu")
    text = str(e)
    assert all(len(line) <= 100 for line in text.splitlines())
    assert f"step: {len(e.kernels)} kernels (dispatches), {len(e.shaders)} distinct shaders, for gpu" in text
    for kernel in e.kernels:
        assert kernel.label in text
    data = json.loads(json.dumps(e.to_dict()))
    assert [k["label"] for k in data["kernels"]] == [k.label for k in e.kernels]
    assert data["flops"] == e.flops
    assert sum(k["share"] for k in data["kernels"]) == pytest.approx(1)


def test_without_arguments_the_largest_recording_is_explained():
    step, (x, y) = training()
    with pytest.raises(TabgradError, match="expected a step that has been called"):
        tg.explain(step)
    step(x, y)
    step(x[:8], y[:8])
    assert tg.explain(step).flops == tg.explain(step, x, y).flops > tg.explain(step, x[:8], y[:8]).flops


def test_what_cannot_be_is_refused(product):
    step, x = product
    with pytest.raises(TabgradError, match="expected a target gpu or software, got 'tpu'"):
        tg.explain(step, x, target="tpu")
    with pytest.raises(TabgradError, match="expected gbps above 0, got 0"):
        tg.explain(step, x, gbps=0)


def test_bounds_follow_the_peaks():
    peaks = Peaks(flops_per_s=100, bytes_per_s=10, launch_s=0.5)
    assert peaks.balance == 10
    assert (peaks.bound(200, 10), peaks.seconds(200, 10)) == ("arithmetic", 2)
    assert (peaks.bound(50, 10), peaks.seconds(50, 10)) == ("memory", 1)
    assert (peaks.bound(10, 1), peaks.seconds(10, 1)) == ("launch", 0.5)
    assert set(PEAKS) == {"gpu", "software", "numpy"}
