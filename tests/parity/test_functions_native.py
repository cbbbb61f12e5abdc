"""Four samples of each function that runs on a GPU, natively."""

from __future__ import annotations

from typing import Any

import pytest

from daily import of_today
from parity import table
from parity.check import NOT_ON_GPU, check

pytestmark = pytest.mark.native


@pytest.mark.parametrize("name", of_today("samples on a GPU", [n for n in table.rows() if n not in NOT_ON_GPU], 8))
def test_samples(name: str, record_property: Any) -> None:
    check(name, "native", record_property)
