"""The test command fails if any of its runs of pytest does."""

from __future__ import annotations

import importlib.util

import pytest

from paths import ROOT

_SPEC = importlib.util.spec_from_file_location("test_command", ROOT / "build_scripts" / "test.py")
assert _SPEC is not None and _SPEC.loader is not None
command = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(command)


@pytest.mark.parametrize(
    ("statuses", "worst"),
    [
        ([0, 0], 0),
        ([0], 0),
        ([1, 0], 1),
        ([0, 1], 1),
        ([0, -11], -11),
        ([-6, 0], -6),
        ([5, 0], 0),
        ([5, 5], 5),
        ([5], 5),
    ],
    ids=str,
)
def test_worst_status_is_kept(statuses: list[int], worst: int) -> None:
    assert command._worst(statuses) == worst
