"""Samples of a share of the functions on the GPU devices: natively, and in Node, each in its turn."""

from __future__ import annotations

from typing import Any

import pytest

from daily import of_today
from node.one_python import OnePython
from parity import gpu, gpu_table, table

DAYS = 8  # within which each function has its turn on both


def _of_today(device: str) -> list[str]:
    return of_today(f"samples, {device}", [name for name in table.rows() if name not in gpu.SLOW], DAYS)


def _failures(device: str, found: gpu.Found, allowed: dict[str, set[str]]) -> list[str]:
    name, counts, bad = found
    known = {outcome for outcome, count in table.rows()[name].items() if count} | allowed.get(name, set())
    return [f"{device}: {line}" for line in bad] if set(counts) - known - {"works", "left out"} else []


@pytest.mark.native
def test_samples_natively(record_property: Any) -> None:
    total, failures = gpu.Counts(), []
    for found in gpu.native(_of_today("native"), gpu_table.seed_on_gpus()):
        total += found[1]
        failures += _failures("native", found, gpu_table.allowed_on_gpus()["native"])
    record_property("parity, native", dict(total))
    assert not failures, "\n".join(failures)
    assert total["works"] > len(table.rows()) // DAYS


@pytest.mark.node
def test_samples_in_node(record_property: Any) -> None:
    total, failures, python = gpu.Counts(), [], OnePython()
    try:
        for found in gpu.in_node(_of_today("Dawn"), gpu_table.seed_on_gpus(), python):
            total += found[1]
            failures += _failures("Dawn", found, gpu_table.allowed_on_gpus()["Dawn"])
    finally:
        python.close()
    record_property("parity, Dawn", dict(total))
    assert not failures, "\n".join(failures)
    assert total["works"] > len(table.rows()) // DAYS
