"""Collects what the benchmarks need on a machine that has nothing but Node and a Vulkan driver, in one folder.

    python3 tests/bench/pack.py DIR
    cd DIR && sh bench.sh                # on that machine: every benchmark in Node; arguments go to here.py

With a Python there, ``python3 tests/bench/run.py --on node`` prints one table of all; and with this package's
dependencies (``pip install numpy jinja2 wgpu typer rich``), ``--on native`` runs too.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "build_scripts"))

import bundle
import console
import environment
from bench import catalog
from bench.run import commit
from paths import BUNDLE, ROOT, WEB

FOLDERS = ("tests", "web/node", "web/executor", "web/python", "py_core", "wgsl_kernels")
_DAWN = "web/node_modules/webgpu"  # the one npm package that runs scripts; all others only build the page
_JUNK = shutil.ignore_patterns("__pycache__", "*.pyc", "*.egg-info")
_START = """#!/bin/sh
# Every benchmark in a process of its own: the table on the terminal, one JSON line for each report in results.jsonl.
#   sh bench.sh            all        NAMES="mlp gemm" sh bench.sh --scale small            some
cd "$(dirname "$0")" || exit 1
status=0
for name in ${NAMES:-%s}; do
  empty=$(mktemp -d) # in place of the folders where NVIDIA's and Mesa's drivers keep compiled kernels
  __GL_SHADER_DISK_CACHE_PATH=$empty MESA_SHADER_CACHE_DIR=$empty \\
  node web/node/run.mjs --device web tests/bench/here.py "$name" --json results.jsonl "$@" || status=1
  rm -rf "$empty"
done
exit $status
"""


def pack(target: Path) -> None:
    """Fill a new folder.

    Raises:
        BuildError: the folder is not empty, or a part cannot be made.
    """
    if target.exists() and any(target.iterdir()):
        raise console.BuildError(f"pack: expected a new or empty folder, got {target}, which has content")
    environment.node_modules()
    bundle.ensure()
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, target / folder, ignore=_JUNK)
    shutil.copytree(BUNDLE, target / "build" / "pyodide")
    shutil.copy(WEB / "package.json", target / "web")  # says that .js files are modules
    _copy_dawn(target)
    (target / "COMMIT").write_text(commit() + "\n")
    (target / "bench.sh").write_text(_START % " ".join(catalog.NAMES))


def _copy_dawn(target: Path) -> None:
    """The package with this platform's binary alone: all of them are five times the size."""
    source = ROOT / _DAWN
    shutil.copytree(source, target / _DAWN, ignore=shutil.ignore_patterns("dist"))
    machine = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64"}.get(platform.machine().lower(), platform.machine())
    binary = "darwin-universal" if sys.platform == "darwin" else f"{sys.platform}-{machine}"
    if not (source / "dist" / binary).is_dir():
        raise console.BuildError(f"pack: expected Dawn for {binary} in {source / 'dist'}, found none")
    shutil.copytree(source / "dist" / binary, target / _DAWN / "dist" / binary)


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR")
    folder = parser.parse_args().folder
    pack(folder)
    size = sum(f.stat().st_size for f in folder.rglob("*") if f.is_file())
    print(f"{folder}: {size / 1e6:.0f} MB; start with: cd {folder} && sh bench.sh")


if __name__ == "__main__":
    console.main(_main)
