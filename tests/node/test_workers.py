"""Batches that worker threads prepare in Node: the same in number, content and order."""

from __future__ import annotations

from typing import Any

import pytest

import worker_cases
from daily import of_today
from node.one_python import OnePython

LOADERS = of_today("loaders in node", list(worker_cases.LOADERS), 4)


@pytest.fixture(scope="module")
def report(one_python: OnePython) -> dict[str, Any]:
    return one_python.run("workers_in_node.py", *LOADERS, device="reference").json()


def test_batches_are_the_same(report: dict[str, Any]) -> None:
    assert report["differing"] == []
    assert report["awaited"] == report["expected"]


def test_errors_of_the_dataset_come_with_their_traceback(report: dict[str, Any]) -> None:
    assert "Caught KeyError in DataLoader worker process 0" in report["raising"]
    assert "no second sample" in report["raising"]


def test_a_thread_that_hangs_is_replaced_once_and_then_named(report: dict[str, Any]) -> None:
    warned, error = report["hanging"]
    assert "worker 0 is started again, once: it has not given batch 2 within 0.3 s" in warned
    assert "expected worker 0 to prepare a batch, got none, a second time" in error


def test_a_thread_that_dies_is_replaced_once_and_then_named(report: dict[str, Any]) -> None:
    warned, error = report["dying"]
    assert "worker 0 is started again, once: " in warned
    assert "expected worker 0 to prepare a batch, got none, a second time" in error
