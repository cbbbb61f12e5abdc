"""What the tests in Node share: one process for all scripts that need none of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from node.one_python import OnePython


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/tests/node/" in item.path.as_posix():
            item.add_marker("node")


@pytest.fixture(scope="package")
def one_python() -> Iterator[OnePython]:
    """A process that runs one script after the other; for scripts of which neither start nor end is looked at."""
    python = OnePython()
    yield python
    python.close()
