"""Tools that the build needs, set up where they are missing: Python environments, Node, npm packages."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import debian
from console import BuildError, run, say
from paths import BUILD, WEB

_MIN_NODE = (20, 19)


def python_env(
    name: str,
    requirements: Sequence[str],
    *,
    python: str = sys.executable,
    editable: Path | None = None,
    depends: str = "",
) -> Path:
    """The Python of a virtual environment under build/, with ``requirements`` installed.

    Args:
        name: of the folder, ``build/venv-<name>``.
        requirements: as pip takes them; after a change the environment is made again.
        python: the interpreter to make it from.
        editable: a project to install in place, with its dependencies.
        depends: any text; a change installs again.

    Raises:
        BuildError: no environment can be made, or pip fails.
    """
    folder = BUILD / f"venv-{name}"
    interpreter = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wanted = [python, sys.version, str(folder), *requirements]
    stamp = folder / "installed.json"
    installed = json.loads(stamp.read_text()) if stamp.is_file() and _runs([interpreter, "-c", ""]) else {}
    if installed == {"made": wanted, "depends": depends}:
        return interpreter
    say(f"setting up Python for {name}: {', '.join(requirements)}")
    if installed.get("made") != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        _make_venv(python, folder)
    # What is imported is compiled then; most of PyTorch never is.
    pip = [interpreter, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    project = [] if editable is None else ["--editable", editable]
    run([*pip, *requirements, *project])
    stamp.write_text(json.dumps({"made": wanted, "depends": depends}))
    return interpreter


def newest_python(at_least: tuple[int, int]) -> str | None:
    """A Python of at least this version that can make environments, where there is one."""
    names = [sys.executable, *(shutil.which(f"python3.{minor}") for minor in range(15, at_least[1] - 1, -1))]
    probe = f"import sys, venv, ensurepip; sys.exit(sys.version_info < {at_least})"
    return next((name for name in names if name and _runs([name, "-c", probe])), None)


def node() -> str:
    """The ``node`` to use.

    Raises:
        BuildError: there is none, or it is too old.
    """
    found = shutil.which("node")
    need = f"Node {'.'.join(map(str, _MIN_NODE))} or newer is needed (https://nodejs.org)"
    if found is None:
        raise BuildError(f"{need}; there is no `node` on the PATH")
    version = subprocess.run([found, "--version"], capture_output=True, text=True).stdout.strip()
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    if numbers < _MIN_NODE:
        raise BuildError(f"{need}; {found} is {version}")
    return found


def node_modules() -> Path:
    """web/node_modules, as package-lock.json has it.

    Raises:
        BuildError: npm is missing or fails.
    """
    node()
    folder = WEB / "node_modules"
    if not _matches_lock(folder):
        say("npm ci in web/")
        npm = shutil.which("npm")
        if npm is None:
            raise BuildError("npm: not found; it comes with Node (Debian: apt install npm)")
        run([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], cwd=WEB)
    return folder


def _matches_lock(folder: Path) -> bool:
    installed_lock = folder / ".package-lock.json"
    if not installed_lock.is_file():
        return False
    installed = json.loads(installed_lock.read_text())["packages"]
    wanted = json.loads((WEB / "package-lock.json").read_text())["packages"]
    return all(
        installed.get(path, {}).get("version") == entry.get("version") and (WEB / path).is_dir()
        for path, entry in wanted.items()
        if path and not entry.get("optional")
    )


def _make_venv(python: str, folder: Path) -> None:
    if not _runs([python, "-c", "import venv, ensurepip"]):
        version = "python3" if python == sys.executable else Path(python).name
        debian.install([f"{version}-venv"], reason="Python's venv module")
    run([python, "-m", "venv", folder])


def _runs(command: Sequence[str | Path]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
