"""The benchmarks run, say what they found as JSON lines, and notice wrong results. Nothing here looks at times."""

from __future__ import annotations

import ast
import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import tabgrad as tg
import workloads
from bench import (
    accumulated,
    bandwidth_bench,
    blocks,
    catalog,
    conv_bench,
    fit,
    gemm_bench,
    in_page,
    sampled_conv,
    table,
    workload_bench,
)
from bench.kernels_bench import Case, bench
from tabgrad.runtime import ProgramCache
from tabgrad.session import current

RUN = Path(__file__).parents[2] / "bench" / "run.py"
CASES = [*gemm_bench.cases("small"), *conv_bench.cases("small"), *bandwidth_bench.cases("small")]


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, RUN, "--on", "reference", "--scale", "small", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
    )


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_catalog_names_the_workloads() -> None:
    assert catalog.WORKLOADS == tuple(w.name for w in workloads.WORKLOADS) == tuple(w.name for w in workloads.SMALL)


def test_the_trainer_is_timed_beside_the_compiled_step(tmp_path: Path) -> None:
    done = run("fit", "--match", "mlp", "--json", tmp_path / "lines", "--python", sys.executable)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "compiled  ratio" in done.stdout
    (report,) = lines(tmp_path / "lines")
    assert (report["kind"], report["name"], report["check"]) == ("fit", "fit mlp", "ok")
    assert report["ratio"] == pytest.approx(report["ms_per_step"] / report["compiled_ms"], abs=0.02)
    assert report["objects_created"] == 0
    assert report["steps"] >= 24


def test_a_cold_start_is_timed(tmp_path: Path) -> None:
    done = run("cold-mlp", "--json", tmp_path / "lines", "--python", sys.executable)
    assert done.returncode == 0, done.stdout + done.stderr
    (report,) = lines(tmp_path / "lines")
    assert (report["kind"], report["name"], report["check"]) == ("cold", "cold mlp", "ok")
    assert table.row(report) in done.stdout
    assert report["steps"] >= 21


def test_the_page_is_given_the_same_benchmark() -> None:
    page = [sys.executable, RUN.with_name("in_page.py"), "fit", "--match", "mlp", "--scale", "small", "--print"]
    text = subprocess.run(page, capture_output=True, text=True, check=True).stdout
    assert "fit --scale small --match mlp --json -" in text.splitlines()[0]
    compile(text, "script", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    sent = in_page.sources()
    for module in (accumulated, blocks, catalog, fit, sampled_conv, table, workload_bench, workloads):
        path = Path(str(module.__file__))
        assert sent[path.relative_to(RUN.parents[1]).as_posix()] == path.read_text(encoding="utf-8")


def test_the_plain_loop_is_timed_beside_the_compiled_step(tmp_path: Path) -> None:
    done = run("plain", "--match", "mlp", "--json", tmp_path / "lines", "--python", sys.executable)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "compiled  ratio" in done.stdout
    (report,) = lines(tmp_path / "lines")
    assert (report["kind"], report["name"], report["check"]) == ("plain", "plain mlp", "ok")
    assert report["ratio"] == pytest.approx(report["ms_per_step"] / report["compiled_ms"], abs=0.02)
    assert table.row(report) in done.stdout


def test_command_prints_a_table_and_writes_json_lines(tmp_path: Path) -> None:
    done = run("mlp", "gemm", "--match", "64 A·B", "--json", tmp_path / "lines", "--python", sys.executable)
    assert done.returncode == 0, done.stderr
    step, *kernels = lines(tmp_path / "lines")
    assert step["kind"] == "workload" and step["name"] == "mlp"
    assert [k["name"] for k in kernels] == ["gemm 64 A·B", "gemm 64 A·Bᵀ"]
    for report in (step, *kernels):
        assert report["check"] == "ok"
        assert report["device"] == "reference"
        assert report["objects_created"] == 0
        assert report["submits"] == 1
        assert {"first_step_ms", "first_run_ms"} & set(report)
        assert {"adapter", "commit", "date", "host_share", "crossings", "peak_gpu_bytes", "dispatches"} < set(report)
        assert table.row(report) in done.stdout
    assert step["losses"] == {str(n): pytest.approx(loss, rel=1e-4) for n, loss in workloads.SMALL[0].losses.items()}


def test_command_reports_a_benchmark_that_fails(tmp_path: Path) -> None:
    done = run("mlp", "--json", tmp_path / "lines", "--python", "/nowhere/python")
    assert done.returncode == 1
    (report,) = lines(tmp_path / "lines")
    assert report["kind"] == "failed" and "/nowhere/python" in report["check"]


def test_command_names_what_it_knows() -> None:
    done = run("mpl")
    assert done.returncode == 2
    assert (
        "expected names of mlp, cnn, resnet18, gpt-small, gpt-base, plain, scale, fit, cold-mlp, cold-cnn, "
        "cold-resnet18, cold-gpt-small, cold-gpt-base, cold-plain-mlp, cold-plain-cnn, cold-plain-resnet18, "
        "cold-plain-gpt-small, cold-plain-gpt-base, gemm, conv, bandwidth, got mpl" in done.stderr
    )


def test_series_has_the_losses_of_pytorch() -> None:
    (workload,) = workload_bench.series("scale", "small")
    step, batches = workloads.training_step(workload), workload.batches()
    for n in range(max(workload.losses)):
        loss = step(*map(tg.tensor, batches[n % len(batches)])).item()
        assert loss == pytest.approx(workload.losses.get(n + 1, loss), rel=workload.loss_rtol)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_kernels_compute_what_they_should(case: Case) -> None:
    report = asyncio.run(bench(case, blocks.QUICK))
    assert report["check"] == "ok", report["error"]
    assert report["repetitions"] == case.repetitions


IN_PLACE = ("elementwise", "softmax", "layer norm")  # nothing to return


@pytest.mark.parametrize("case", [c for c in CASES if c.name not in IN_PLACE], ids=lambda case: case.name)
def test_a_wrong_result_is_noticed(case: Case) -> None:
    tg.manual_seed(0)
    prepared = case.prepare()
    good = prepared.step()
    # a hundredth of a typical entry: what a repetition left out would change, and more
    bad = good + (good * good).mean().sqrt() * 0.01
    assert asyncio.run(prepared.error(good, 1)) <= 1
    assert asyncio.run(prepared.error(bad, 1)) > 1
    assert asyncio.run(prepared.error(good * float("nan"), 1)) > 1


def test_a_missing_run_of_the_in_place_work_is_noticed() -> None:
    case = next(c for c in CASES if c.name == "elementwise")
    prepared = case.prepare()
    prepared.step()
    assert asyncio.run(prepared.error(None, 1)) <= 1
    assert asyncio.run(prepared.error(None, 2)) > 1


@pytest.mark.parametrize("name", ["softmax", "layer norm"])
def test_rows_that_were_not_written_are_noticed(name: str) -> None:
    prepared = next(c for c in CASES if c.name == name).prepare()
    assert asyncio.run(prepared.error(None, 1)) > 1
    prepared.step()
    assert asyncio.run(prepared.error(None, 1)) <= 1


def test_every_repetition_counts() -> None:
    """Work is counted for all repetitions, so all must be in the program."""
    case = next(c for c in CASES if c.name == "gemm 64 A·B")
    recorded = case.prepare().step.record()
    flops = sum(d.flops for d in current().own(ProgramCache).of(recorded.linear).compiled.program.dispatches)
    assert flops >= case.work * case.repetitions


@pytest.mark.parametrize(("stride", "padding", "kernel"), [(1, 1, 3), (2, 1, 4), (3, 0, 2)])
def test_sampled_convolutions_are_pytorchs(stride: int, padding: int, kernel: int) -> None:
    rng = np.random.default_rng(0)
    # such that the kernel reaches the image's last row: the gradient's size is that of the image
    side = 3 * stride + kernel - 2 * padding
    x = torch.tensor(rng.standard_normal((2, 3, side, side)), requires_grad=True)
    k = torch.tensor(rng.standard_normal((4, 3, kernel, kernel)), requires_grad=True)
    y = torch.nn.functional.conv2d(x, k, stride=stride, padding=padding)
    g = torch.tensor(rng.standard_normal(tuple(y.shape)))
    y.backward(g)
    arrays = {name: t.detach().numpy() for name, t in (("x", x), ("k", k), ("g", g))}
    assert x.grad is not None and k.grad is not None
    for found, expected, operands in (
        (sampled_conv.output, y.detach(), ("x", "k")),
        (sampled_conv.input_gradient, x.grad, ("g", "k")),
        (sampled_conv.weight_gradient, k.grad, ("g", "x")),
    ):
        at = accumulated.places(20, tuple(expected.shape))
        got = found(*(arrays[o] for o in operands), at, stride, padding)
        np.testing.assert_allclose(got, expected.numpy()[at], rtol=1e-10, atol=1e-12)


def test_layers_count_their_operations() -> None:
    plain, _, transposed = conv_bench.LAYERS["full"]
    assert plain.results == (32, 64, 56, 56) and transposed.results == (16, 512, 32, 32)
    assert plain.flops == 2 * 32 * 64 * 56 * 56 * 64 * 9
    assert transposed.flops == 2 * 16 * 1024 * 16 * 16 * 512 * 16


def test_table_keeps_columns_in_line() -> None:
    report = asyncio.run(bench(CASES[0], blocks.QUICK)) | {"device": "reference", "adapter": "NumPy"}
    printed: list[str] = []
    shown = table.Table(printed.append)
    shown.add(report)
    shown.add(report)
    adapter, header, first, second = printed
    assert adapter == "reference: NumPy"
    assert first == second
    assert header.index("device") == first.index("reference")
    assert len(header) == len(first) and header.endswith("check") and first.endswith("   ok")
