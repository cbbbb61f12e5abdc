"""The recipe for a panel, followed: a folder beside the others, and the page shows it between them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import website
from environment import node, node_modules
from paths import BUNDLE, ROOT, WEB
from web.conftest import served
from web.scripts import SHORT
from web.visitor import Visitor

RECIPE = ROOT / "tests" / "recipes" / "panel" / "web"
_BUILD_SECONDS = 120


@pytest.fixture(scope="module")
def extended(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the page with one more panel."""
    folder = tmp_path_factory.mktemp("panels")
    sources, built = folder / "web", folder / "site"
    shutil.copytree(WEB, sources, ignore=shutil.ignore_patterns("node_modules"))
    (sources / "node_modules").symlink_to(node_modules(), target_is_directory=True)
    for addition in RECIPE.rglob("*.add"):
        target = sources / addition.relative_to(RECIPE).with_suffix("")
        assert not target.exists()
        target.parent.mkdir(exist_ok=True)
        shutil.copy(addition, target)
    (folder / "build").mkdir()
    (folder / "build" / "pyodide").symlink_to(BUNDLE, target_is_directory=True)
    (folder / "build" / "kernels.json").symlink_to(website.example_kernels())
    shutil.copytree(site, built, ignore=shutil.ignore_patterns("assets", "index.html"), copy_function=os.link)
    vite = [node(), str(node_modules() / "vite" / "bin" / "vite.js"), "build", "--logLevel", "warn"]
    subprocess.run(
        [*vite, "--outDir", str(built), "--emptyOutDir", "false"], cwd=sources, check=True, timeout=_BUILD_SECONDS
    )
    index = built / "index.html"
    index.write_text(website.with_policy(index.read_text()))
    with served(built) as address:
        yield address


def test_a_panel_is_one_folder(extended: str, browser: Browser) -> None:
    visitor = Visitor(browser.new_context(), extended)
    visitor.visit()
    panel = visitor.page.get_by_role("region", name="Plan")
    expect(panel).to_contain_text("0 epochs")
    expect(panel).to_have_css("padding", "7px")
    visitor.run(SHORT)
    expect(panel).to_contain_text("20 epochs")
    titles = [box["y"] for box in (s.bounding_box() for s in visitor.page.locator(".training > section").all()) if box]
    assert titles == sorted(titles)
    assert visitor.problems == []
    visitor.page.context.close()
