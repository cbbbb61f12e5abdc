"""The wheels of the bundle as they come from outside, before they are slimmed and compiled."""

import tempfile
from collections.abc import Mapping
from pathlib import Path

import fetch
from console import BuildError, run, say
from environment import newest_python, python_env
from folders import fingerprint
from paths import KERNELS, PACKAGE, ROOT

JINJA2 = "jinja2-3.1.6-py3-none-any.whl"
MARKUPSAFE = "markupsafe-3.0.3-py3-none-any.whl"
_JINJA2 = "jinja2==3.1.6"  # compiles the kernel templates for the wheel, so the bundle's own version
_JINJA2_SHA256 = "85ece4451f492d0c13c5dd7c13a64681a86afae63a5f347908daf103ce6d2f67"
CLOUDPICKLE = "cloudpickle-3.1.2-py3-none-any.whl"
_CLOUDPICKLE_SHA256 = "9acb47f6afd73f60dc1df93bb801b472f05ff42fa6c84167d25cb206be1fbf4a"
_CDN = "https://cdn.jsdelivr.net/pyodide/v{version}/full/{file_name}"
# The one place on PyPI that carries Pyodide's own build of NumPy; the sha256 in Pyodide's lock decides.
_ON_PYPI = ("open-webui", "0.12.4", "open_webui/frontend/pyodide/{file_name}")


def tools() -> Path:
    """The Python of the environment with the packaging tools; pyodide-build needs Python 3.12."""
    python = newest_python((3, 12))
    if python is not None:
        return python_env(
            "packaging",
            ["build==1.6.1", "hatchling==1.33.0", _JINJA2, "pyodide-build==0.39.2", "pyodide-lock[wheel]==0.2.1"],
            python=python,
        )
    return python_env(
        "packaging", ["build==1.6.1", "hatchling==1.33.0", _JINJA2, "click>=8", "pyodide-lock[wheel]==0.1.2"]
    )


def numpy(version: str, entry: Mapping[str, str]) -> bytes:
    """The NumPy wheel of Pyodide ``version``, as its lock's ``entry`` names it: from Pyodide's CDN, else from PyPI.

    Raises:
        BuildError: neither answers.
    """
    file_name, sha256 = entry["file_name"], entry["sha256"]
    content = fetch.cached(sha256)
    if content is not None:
        return content
    say(f"fetching {file_name}")
    try:
        return fetch.from_url(_CDN.format(version=version, file_name=file_name), sha256)
    except LookupError as cdn:
        project, project_version, member = _ON_PYPI
        try:
            return fetch.from_wheel(project, project_version, member.format(file_name=file_name), sha256)
        except BuildError as pypi:
            raise BuildError(f"{pypi}\n  cdn: {cdn}") from None


def jinja2() -> bytes:
    """Jinja2's wheel from PyPI."""
    return fetch.cached(_JINJA2_SHA256) or fetch.keep(_pip_wheel(JINJA2), _JINJA2_SHA256, "jinja2")


def cloudpickle() -> bytes:
    """cloudpickle's wheel from PyPI."""
    return fetch.cached(_CLOUDPICKLE_SHA256) or fetch.keep(_pip_wheel(CLOUDPICKLE), _CLOUDPICKLE_SHA256, "cloudpickle")


def markupsafe() -> bytes:
    """MarkupSafe built without its C part: it publishes no wheel for wasm, and the pure one is enough."""
    return _pip_wheel(MARKUPSAFE, "--no-binary=markupsafe", env={"CC": "false"})


def tabgrad() -> bytes:
    """This project's wheel, data sets and kernels included."""
    say("building the tabgrad wheel")
    with tempfile.TemporaryDirectory() as folder:
        run([tools(), "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT])
        return next(Path(folder).glob("*.whl")).read_bytes()


def tabgrad_fingerprint() -> str:
    """Changes exactly when the wheel of this project would."""
    return fingerprint([*(ROOT / name for name in ("pyproject.toml", "README.md", "LICENSE")), PACKAGE, KERNELS])


def _pip_wheel(file_name: str, *options: str, env: Mapping[str, str] | None = None) -> bytes:
    project, version = file_name.split("-")[:2]
    say(f"pip wheel {project}=={version}")
    with tempfile.TemporaryDirectory() as folder:
        run(
            [tools(), "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", folder, *options, f"{project}=={version}"],
            env=env,
        )
        return (Path(folder) / file_name).read_bytes()
