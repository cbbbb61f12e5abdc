"""The kernel templates: found, compiled by Jinja2, and rendered. Wheels carry them compiled, as that takes 40 ms each.

This module imports nothing of tabgrad: the build of a wheel uses it, too.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import jinja2

COMPILED = f"compiled_jinja{jinja2.__version__.replace('.', '_')}"  # only this version's code is trusted


@cache
def kernel_folder() -> Path:
    """Where the templates lie: inside the installed package, or beside ``py_core`` in a checkout."""
    package = Path(__file__).resolve().parents[2]
    for folder in (package / "wgsl_kernels", package.parent.parent / "wgsl_kernels"):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"tabgrad: expected the folder wgsl_kernels in {package} or beside py_core, found neither")


def _environment(folder: Path, compiled: Path | None) -> jinja2.Environment:
    source = jinja2.FileSystemLoader(folder)
    return jinja2.Environment(
        loader=source if compiled is None else jinja2.ChoiceLoader([jinja2.ModuleLoader(compiled), source]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        auto_reload=False,
    )


@cache
def _loaded() -> jinja2.Environment:
    compiled = kernel_folder() / COMPILED
    return _environment(kernel_folder(), compiled if compiled.is_dir() else None)


def render(template: str, **variables: Any) -> str:
    """A template's text; an undefined name fails."""
    return _loaded().get_template(template).render(**variables)


@cache
def functions() -> dict[str, str]:
    """WGSL library functions by name; each file holds one, and what it calls is found by name too."""
    return {p.name.split(".")[0]: p.read_text() for p in sorted((kernel_folder() / "functions").glob("*.wgsl"))}


def compile_into(folder: Path, source: Path) -> None:
    """Write every template of ``source`` as a Python module into ``folder``."""
    _environment(source, None).compile_templates(folder, extensions=["j2"], zip=None)
