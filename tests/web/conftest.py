"""The built page on a server, and visitors to it in Chromium. An error on the console fails the test it came up in."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

import graphics
import server
import website
from web.visitor import Visitor

# The files that take longest, in this order, so that two processes end at about one time.
LONGEST = ("test_tuning.py", "test_startup.py", "test_endings.py", "test_uncaught.py", "test_controls.py")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ours = [item for item in items if "/tests/web/" in item.path.as_posix()]
    for item in ours:
        item.add_marker("web")
    if len(ours) == len(items):
        items.sort(key=lambda item: LONGEST.index(item.path.name) if item.path.name in LONGEST else len(LONGEST))


@pytest.fixture(scope="session")
def site() -> Path:
    """The folder that the site was built in."""
    return website.ensure()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a folder's page, inside."""
    http = server.make(folder)
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    try:
        yield f"http://localhost:{http.server_address[1]}/"
    finally:
        http.shutdown()
        thread.join()
        http.server_close()


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    """The page's address while the tests run."""
    with served(site) as address:
        yield address


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    executable = graphics.chromium()
    if executable is None:
        pytest.skip("needs Chromium; python3 build_scripts/test.py installs it")
    return {**browser_type_launch_args, "executable_path": executable, "args": list(graphics.CHROMIUM_ARGS)}


@pytest.fixture
def new_visitor(browser: Browser, address: str) -> Iterator[Callable[..., Visitor]]:
    """Makes a visitor with nothing cached, in a context with the given options."""
    visitors: list[Visitor] = []

    def make(in_browser: Browser = browser, **options: Any) -> Visitor:
        visitors.append(Visitor(in_browser.new_context(**options), address))
        return visitors[-1]

    yield make
    for visitor in visitors:
        visitor.page.context.close()
    assert [problem for visitor in visitors for problem in visitor.problems] == []


@pytest.fixture(scope="session")
def resident(browser: Browser, address: str) -> Iterator[Visitor]:
    """A visitor who stays: Python starts once for many tests."""
    visitor = Visitor(browser.new_context(), address)
    yield visitor
    visitor.page.context.close()


@pytest.fixture
def visitor(resident: Visitor) -> Iterator[Visitor]:
    """The resident visitor with Python ready, the digits example chosen and nothing running."""
    resident.problems.clear()
    if resident.page.url == "about:blank":
        resident.visit()
        resident.heard("ready")
        resident.editor.wait_for()
    resident.calm_down()
    yield resident
    assert resident.problems == []
