"""Samples of a third of the functions, on the reference device."""

from __future__ import annotations

from typing import Any

import pytest

from parity.check import check, share


@pytest.mark.parametrize("name", share(1))
def test_samples(name: str, record_property: Any) -> None:
    check(name, record_property)
