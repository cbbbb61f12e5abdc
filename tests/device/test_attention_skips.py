"""Attention kernels of real GPUs over several tiles, where causality hides columns from some threads of a tile."""

from __future__ import annotations

import pytest

from device.op_cases import attention
from device.oracle import check_op
from tabgrad.compiler.families import attention_tiles
from tabgrad.compiler.families.attention_tiles import Choice
from tabgrad.compiler.target import Target

pytestmark = pytest.mark.native

CASES = {c.name: c for c in attention.CASES if "causal in vectors" in c.name or "causal over a tile" in c.name}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("skip", [0, 1])
@pytest.mark.parametrize("choice", [c for c in attention_tiles.CHOICES if not c.skip], ids=str)
def test_hidden_columns_add_nothing(
    choice: Choice, skip: int, name: str, as_gpu: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Target, "busy_threads", 1)
    monkeypatch.setattr(attention_tiles, "CHOICES", (Choice(**{**choice.__dict__, "skip": skip}),))
    check_op(CASES[name], "native")


def test_skipping_is_a_choice_under_causality() -> None:
    assert len(CASES) == 2, "names of cases have changed"
    assert any(c.skip for c in attention_tiles.CHOICES)
