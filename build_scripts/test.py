"""Install what the tests need, then run lint, types and all tests: ``python3 build_scripts/test.py``."""

import argparse
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import datasets
import graphics
import website
import wheels
from console import BuildError, main, run, say
from environment import node, node_modules, python_env
from paths import BUILD, ROOT, SITE, WEB

_CHECKS = ("lint", "types")
_TESTS = (
    "node",
    "device",
    "parity",
    "programs",
    "unit",
    "web",
)  # the longest files first, so that the processes end at about one time
_NO_TESTS = 5  # pytest's status
_PROCESSES = 3  # one more than small machines have cores: tests wait for other processes, and for the GPU's driver
_PAGES = 2  # browsers at once
_BY_FILE = ("--dist=loadfile", "--no-loadscope-reorder")
_NO_BROWSER = ("-p", "no:playwright")  # the plugin adds steps to every test
_ALONE = "alone"  # marks tests that look at delays
_TOOLS = ["ruff==0.17.5", "mypy==2.4.1"]
_TEST_PACKAGES = [
    "pytest==9.2.0",
    "pytest-xdist==3.8.0",
    "hypothesis==6.170.15",
    "pytest-playwright==0.10.0",
    "safetensors==0.8.0",
    "scikit-learn==1.7.2",
    "nvidia-ml-py>=12",
    "expecttest==0.3.0",  # which PyTorch's own samples import
]
_TORCH = "torch==2.13.0"  # the oracle; any build serves, and pip obeys PIP_EXTRA_INDEX_URL for a smaller one


def _test() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=[*_CHECKS, *_TESTS], help="a part; may be repeated")
    parser.add_argument("pytest_args", nargs="*", metavar="-- PYTEST_ARGS", help="passed on to pytest")
    options = parser.parse_args()
    parts = options.only or [*_CHECKS, *_TESTS]
    tests = [part for part in _TESTS if part in parts]

    failed = []

    def check(name: str, step: Callable[[], object]) -> None:
        try:
            step()
        except BuildError as error:
            failed.append(name)
            print(f"\n--- {name} failed ---\n{error}\n", flush=True)
        else:
            say(f"{name}: ok")

    def check_python(python: Path) -> None:
        if "lint" in parts:
            check("ruff format", lambda: run([python, "-m", "ruff", "format", "--check", "."], cwd=ROOT))
            check("ruff check", lambda: run([python, "-m", "ruff", "check", "."], cwd=ROOT))
        if "types" in parts:
            check("mypy", lambda: run([python, "-m", "mypy"], cwd=ROOT))

    def check_web() -> None:
        if "lint" in parts:
            check("oxlint", lambda: run([node(), _web_tool("oxlint", "bin/oxlint"), "--deny-warnings", "."], cwd=WEB))
        if packaging is not None:
            packaging.result()
            check("site", website.ensure)  # before tsc: the page imports the bundle's manifest
        if "types" in parts:
            check("tsc", lambda: run([node(), _web_tool("typescript", "bin/tsc"), "--noEmit", "-p", "."], cwd=WEB))

    def check_graphics() -> None:
        if {"device", "node", "programs", "web"} & set(parts):
            check("graphics", graphics.ensure)

    datasets.ensure()  # first: the Python package and the site both hold them
    with ThreadPoolExecutor() as pool:  # side by side: each waits for its own downloads
        packaging = pool.submit(wheels.tools) if {"types", "node", "web"} & set(parts) else None
        others = [pool.submit(step) for step in (check_web, check_graphics)]
        python = _environment()
        checked = pool.submit(check_python, python)
        for done in others:
            done.result()
        if tests:
            status = _pytest(python, tests, options.pytest_args, before_web=checked.result)
            if status != 0:
                failed.append("pytest")
        checked.result()
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr, flush=True)
    return int(bool(failed))


def _environment() -> Path:
    """Python with this package (editable), the oracle and the tools."""
    project = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
    return python_env(
        "test",
        [_TORCH, *_TOOLS, *_TEST_PACKAGES],
        editable=ROOT,
        depends=project,
    )


def _web_tool(package: str, script: str) -> Path:
    return node_modules() / package / script


def _pytest(python: Path, tests: list[str], extra: list[str], *, before_web: Callable[[], object]) -> int:
    """Several processes at a time. The page's tests have runs of their own: Playwright keeps an event loop for itself.

    ``before_web`` waits for what else goes on: page tests look at delays.
    """
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    env = {
        **inherited,
        "PYTHONPYCACHEPREFIX": str(BUILD / "pycache"),  # tests start many a Python, which compiles all without it
        "TABGRAD_SITE": str(SITE),
        "TABGRAD_CHROMIUM": graphics.chromium() or "",
        "TABGRAD_SWIFTSHADER_ICD": graphics.swiftshader_icd() or "",
    }

    def ended(names: list[str], *options: str) -> int:
        command = ["-m", "pytest", *(f"tests/{name}" for name in names), *options, *extra]
        say(" ".join(command[1:]))
        return subprocess.run([python, *command], cwd=ROOT, env=env, stdin=subprocess.DEVNULL).returncode

    others = [name for name in tests if name != "web"]
    found = [ended(others, f"--numprocesses={_PROCESSES}", *_BY_FILE, *_NO_BROWSER)] if others else []
    if "web" in tests:
        before_web()
        found += [ended(["web"], f"--numprocesses={_PAGES}", *_BY_FILE, "-m", f"not {_ALONE}")]
        found += [ended(["web"], "-m", _ALONE)]
    return _worst(found)


def _worst(statuses: list[int]) -> int:
    """The status of several runs of pytest: 0 if all passed, some of which PYTEST_ARGS may have left nothing to run.

    A run that a signal ended has a negative one.
    """
    if 0 in statuses:
        statuses = [status for status in statuses if status != _NO_TESTS]
    return next((status for status in statuses if status != 0), 0)


if __name__ == "__main__":
    main(_test)
