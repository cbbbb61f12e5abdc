"""CONTRIBUTING's recipes, followed: what each adds, to how many files, in a copy of the package where it then works.

``tests/recipes/NAME`` holds what a recipe adds: ``FILE.add`` is text for the end of FILE, or for the place after the
line that its first line names, or all of a new one; ``check.py`` says what must hold then.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from paths import ROOT

RECIPES = ROOT / "tests" / "recipes"
NAMES = sorted(p.name for p in RECIPES.iterdir() if p.is_dir())
IN_PYTHON = [name for name in NAMES if (RECIPES / name / "check.py").is_file()]
"""The others are of the page, where tests/web follows them."""
_ENTRY = re.compile(r"^\| \*\*(?P<name>[^*]+)\*\*[^|]* \| (?P<count>\d+)( folder)? \| (?P<files>.*) \|$", re.MULTILINE)
_AFTER = "# after: "
_SECONDS = 300
_RUN = """
import json, runpy, sys, traceback
found = []
for path in sys.argv[1:]:
    try:
        runpy.run_path(path)
        found.append("")
    except Exception:
        found.append(traceback.format_exc())
print(json.dumps(found))
"""


def _additions(name: str) -> dict[str, Path]:
    """The file that holds each addition, by the path of what it is added to."""
    folder = RECIPES / name
    return {str(p.relative_to(folder)).removesuffix(".add"): p for p in sorted(folder.rglob("*.add"))}


def _added(before: str, text: str) -> str:
    if not text.startswith(_AFTER):
        return before + text
    mark, text = text.removeprefix(_AFTER).split("\n", 1)
    lines = before.splitlines(keepends=True)
    (at,) = (n for n, line in enumerate(lines) if line.strip() == mark)
    return "".join([*lines[: at + 1], text, *lines[at + 1 :]])


def _table() -> dict[str, tuple[int, list[str]]]:
    """CONTRIBUTING's recipes: how many files, and which."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return {
        m["name"].lower().replace(" ", "_"): (int(m["count"]), re.findall(r"`([^`]+)`", m["files"]))
        for m in _ENTRY.finditer(text)
    }


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree with everything added."""
    root = tmp_path_factory.mktemp("recipes")
    ignored = shutil.ignore_patterns("__pycache__", "recipes", "web", "bench", "node")
    for part in ("py_core", "wgsl_kernels", "tests"):
        shutil.copytree(ROOT / part, root / part, ignore=ignored)
    for name in IN_PYTHON:
        for path, addition in _additions(name).items():
            target = root / path
            target.parent.mkdir(parents=True, exist_ok=True)
            before = target.read_text(encoding="utf-8") if target.is_file() else ""
            target.write_text(_added(before, addition.read_text(encoding="utf-8")), encoding="utf-8")
    return root


def test_every_recipe_is_followed() -> None:
    assert sorted(_table()) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_recipe_touches_the_files_that_contributing_names(name: str) -> None:
    count, files = _table()[name]
    added = list(_additions(name))
    if name not in IN_PYTHON:
        added = sorted({os.path.dirname(path) for path in added})
    assert len(added) == len(files) == count
    for pattern in files:
        wildcard = re.compile(re.sub(r"[A-Z]{2,}", r"\\w+", re.escape(pattern)))  # capitals stand for one's own name
        (path,) = (p for p in added if p == pattern or (p not in files and wildcard.fullmatch(p)))
        assert (ROOT / path).exists() == (path == pattern)


@pytest.fixture(scope="module")
def failures(copy: Path) -> dict[str, str]:
    """Tracebacks by recipe, of one process that runs all checks."""
    paths = [str(copy / "py_core"), str(copy / "tests"), str(ROOT / "build_scripts")]
    result = subprocess.run(
        [sys.executable, "-c", _RUN, *(str(RECIPES / name / "check.py") for name in IN_PYTHON)],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(paths),
            "TABGRAD_TUNING": "off",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        cwd=copy,
        capture_output=True,
        text=True,
        timeout=_SECONDS,
    )
    assert result.returncode == 0, result.stderr
    return dict(zip(IN_PYTHON, json.loads(result.stdout.splitlines()[-1]), strict=True))


@pytest.mark.parametrize("name", IN_PYTHON)
def test_recipe_works(name: str, failures: dict[str, str]) -> None:
    assert not failures[name], failures[name]
