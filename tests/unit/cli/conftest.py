"""What the tests of the command share: one process that forks all those of which the start is not looked at."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from unit.cli import forked


@pytest.fixture(scope="package", autouse=True)
def _closed() -> Iterator[None]:
    yield
    forked.close()
