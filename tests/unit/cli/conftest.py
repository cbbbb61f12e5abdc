"""Commands get signals, even if the tests run under ``nohup`` or in the background of a shell. The process that forks
some of them ends with these tests.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from unit.cli import forked


@pytest.fixture(autouse=True)
def signals_are_heard() -> Iterator[None]:
    """Child processes inherit ignored signals."""
    handlers = {"SIGHUP": signal.SIG_DFL, "SIGINT": signal.default_int_handler}
    numbers = {getattr(signal, name): handler for name, handler in handlers.items() if hasattr(signal, name)}
    before = {n: signal.signal(n, h) for n, h in numbers.items() if signal.getsignal(n) is signal.SIG_IGN}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(scope="package", autouse=True)
def _forks_no_more() -> Iterator[None]:
    yield
    forked.close()
