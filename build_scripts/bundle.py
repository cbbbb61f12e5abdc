"""Makes build/pyodide: the Python that the page and the Node harness start, slim, compiled, and named by content.

``build/pyodide/manifest.json`` says what lies where::

    {"version": "314.0.4", "indexPath": "runtime-<hash>/", "packagesPath": "packages-<hash>.bin",
     "libraries": [{"path": "numpy/...so", "file": "library-<hash>.wasm"}, ...], "snapshotPath": "snapshot-<hash>.bin",
     "lock": {...}, "files": [{"path": ..., "bytes": ...}, ...], "totalBytes": ...}

Every other file carries a hash in its path, so a server may let browsers keep it for ever. A second run with the
same inputs does nothing; a change in the package makes its own wheel and the snapshot again.
"""

import hashlib
import json
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import archive
import container
import datasets
import folders
import wheels
from console import main, run, say
from environment import node, node_modules
from paths import BUILD, BUNDLE, WEB

# Never of use where there are no processes, terminals, sockets or compilers. An import of one fails loudly.
_STDLIB_DROP = (
    r"(_pyrepl|multiprocessing|wsgiref|xmlrpc|__phello__|ctypes/macholib|site-packages)/"
    r"|(__hello__|antigravity|this|imaplib|poplib|smtplib|ftplib|mailbox|socketserver|webbrowser|pty|tty|zipapp)\.py$"
)
_NUMPY_DROP = (
    r"numpy/(.*/)?(tests|include|_examples|_pyinstaller)/|numpy/f2py/|numpy/conftest\.py$|numpy/random/lib/|numpy/_core/lib/"
    r"|.*\.(pyi|pxd|pyx|h|c|a|md|rst|build|template)$|.*/entry_points\.txt$"
)
# What `import numpy` loads. The page compiles them beside Python, and the snapshot refers to them.
_LIBRARIES = re.compile(r"numpy/(_core/_multiarray_umath|linalg/_umath_linalg)\..*\.so$")
_STORE = BUILD / "cache"
_HERE = Path(__file__).parent
_SNAPSHOT_RECIPE = [
    _HERE / "make_snapshot.mjs",
    *(WEB / "python" / name for name in ("container.js", "packages.js", "snapshot.js")),
]
_RECIPE = [
    *(
        _HERE / n
        for n in ("bundle.py", "wheels.py", "archive.py", "bytecode.py", "compile_bytecode.mjs", "container.py")
    ),
    *_SNAPSHOT_RECIPE,
]


def ensure() -> Path:
    """Bring build/pyodide up to date; return it.

    Raises:
        BuildError: an input cannot be had, or a tool fails.
    """
    runtime = node_modules() / "pyodide"
    with folders.exclusive("bundle"):
        datasets.ensure()
        inputs = folders.fingerprint([runtime / "package.json", *_RECIPE]) + wheels.tabgrad_fingerprint()
        manifest_path = BUNDLE / "manifest.json"
        if manifest_path.is_file() and json.loads(manifest_path.read_text())["inputs"] == inputs:
            return BUNDLE
        say("building the Pyodide bundle")
        with folders.replaced(BUNDLE) as scratch:
            manifest = _assemble(runtime, scratch)
            (scratch / "manifest.json").write_text(json.dumps({"inputs": inputs, **manifest}, indent=1))
    say(f"bundle: {len(manifest['files'])} files, {manifest['totalBytes'] / 1e6:.1f} MB in build/pyodide")
    return BUNDLE


def _assemble(runtime: Path, folder: Path) -> dict:
    """Write the bundle into ``folder``; return its manifest."""
    stock = json.loads((runtime / "pyodide-lock.json").read_text())
    version = json.loads((runtime / "package.json").read_text())["version"]
    entry = stock["packages"]["numpy"]
    parts = _compiled(
        runtime,
        [
            _Part("stdlib", version, lambda: _slim((runtime / "python_stdlib.zip").read_bytes(), _STDLIB_DROP)),
            _Part(entry["file_name"], entry["sha256"], lambda: _slim(wheels.numpy(version, entry), _NUMPY_DROP)),
            # Sources stay, so that tracebacks show lines.
            _Part(wheels.JINJA2, "", wheels.jinja2, keep_sources=True),
            _Part(wheels.CLOUDPICKLE, "", wheels.cloudpickle, keep_sources=True),
            _Part(wheels.MARKUPSAFE, "", wheels.markupsafe, keep_sources=True),
            _Part("tabgrad-0.1.0-py3-none-any.whl", wheels.tabgrad_fingerprint(), wheels.tabgrad, keep_sources=True),
        ],
    )

    core = {name: (runtime / name).read_bytes() for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm")}
    core["python_stdlib.zip"] = parts.pop("stdlib")
    index = f"runtime-{_digest(*core.values())[:12]}"
    (folder / index).mkdir()
    for name, content in core.items():
        (folder / index / name).write_bytes(content)

    files = {name: content for part in parts.values() for name, content in archive.read(part).items()}
    libraries = []
    for path in filter(_LIBRARIES.match, sorted(files)):
        file = folder / f"library-{_digest(files[path])[:12]}.wasm"
        file.write_bytes(files[path])
        libraries.append({"path": path, "file": file.name})
        files[path] = b""  # Python looks for the name; its code is there already
    content = container.pack(files)
    packages = folder / f"packages-{_digest(content)[:12]}.bin"
    packages.write_bytes(content)
    manifest = {
        "version": version,
        "indexPath": f"{index}/",
        "packagesPath": packages.name,
        "libraries": libraries,
        "lock": _lock(stock["info"], version, entry, parts),
    }
    manifest["snapshotPath"] = _snapshot(folder, manifest).name
    # The page asks for them in this order: what is compiled longest comes first.
    made = sorted(filter(Path.is_file, folder.rglob("*")), key=lambda path: (path.parent == folder, path))
    sizes = [{"path": path.relative_to(folder).as_posix(), "bytes": path.stat().st_size} for path in made]
    return {**manifest, "files": sizes, "totalBytes": sum(size["bytes"] for size in sizes)}


def _lock(info: dict, version: str, numpy: dict, parts: dict[str, bytes]) -> dict:
    """What Pyodide is to know of the wheels ``parts``, NumPy's first, made by its own tool: names, versions, imports.

    The tool refuses wheels built for wasm, so NumPy's entry is the stock one.

    Raises:
        BuildError: a wheel depends on one that is not among them.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        wheels_there = []
        for wheel, content in parts.items():
            (folder / wheel).write_bytes(content)
            wheels_there.append(folder / wheel)
        first = parts[numpy["file_name"]]
        entry = {
            **numpy,
            "file_name": wheels_there[0].name,
            "sha256": hashlib.sha256(first).hexdigest(),
        }
        base, made = folder / "stock.json", folder / "lock.json"
        # The tool of Python 3.11 insists on a version there; Pyodide itself wants the stock info, put back below.
        base.write_text(json.dumps({"info": {**info, "version": version}, "packages": {"numpy": entry}}))
        python = wheels.tools()
        # pyodide-build brings the `pyodide` command (Python >= 3.12); without it, the same command in pyodide-lock.
        command = python.parent / "pyodide"
        tool = (
            [command, "lockfile"] if command.exists() else [python, "-c", "from pyodide_lock.cli import main; main()"]
        )
        run([*tool, "add-wheels", "--input", base, "--output", made, "--base-path", folder, *wheels_there[1:]])
        return {"info": info, "packages": json.loads(made.read_text())["packages"]}


def _snapshot(folder: Path, manifest: dict) -> Path:
    """The memory of a Python that was started with ``manifest``, in ``folder``; kept in build/cache."""
    key = _digest(f"{folders.fingerprint(_SNAPSHOT_RECIPE)}\0{json.dumps(manifest)}".encode())
    stored = _STORE / f"{key}.snapshot"
    if not stored.exists():
        say("taking a memory snapshot of the started Python")
        partial = stored.with_suffix(".partial")
        run([node(), _HERE / "make_snapshot.mjs", folder, json.dumps(manifest), partial])
        partial.replace(stored)
    for path in _STORE.glob("*.snapshot"):  # what earlier versions of the package left
        if path != stored:
            path.unlink()
    final = folder / f"snapshot-{_digest(stored.read_bytes())[:12]}.bin"
    shutil.copyfile(stored, final)
    return final


@dataclass(frozen=True)
class _Part:
    """An archive of the bundle: what it depends on beyond its name, how to get it, whether its sources stay."""

    name: str
    depends: str
    source: Callable[[], bytes]
    keep_sources: bool = False


def _compiled(runtime: Path, parts: list[_Part]) -> dict[str, bytes]:
    """Each archive with bytecode, out of build/cache or compiled in one run of Pyodide under Node."""
    _STORE.mkdir(parents=True, exist_ok=True)
    recipe = folders.fingerprint([_HERE / "bytecode.py", _HERE / "compile_bytecode.mjs", _HERE / "archive.py"])
    stored, jobs = {}, []
    for part in parts:
        key = _digest(f"{part.name}\0{part.depends}\0{part.keep_sources}{_STDLIB_DROP}{_NUMPY_DROP}{recipe}".encode())
        stored[part.name] = _STORE / f"{key}.zip"
        if not stored[part.name].exists():
            raw, target = _STORE / f"{key}.raw", _STORE / f"{key}.compiled"
            raw.write_bytes(part.source())
            jobs.append(
                {"source": str(raw), "target": str(target), "keepSources": part.keep_sources, "name": part.name}
            )
    if jobs:
        say(f"compiling to bytecode in Pyodide: {', '.join(job['name'] for job in jobs)}")
        job_file = _STORE / "jobs.json"
        job_file.write_text(json.dumps(jobs))
        run([node(), _HERE / "compile_bytecode.mjs", runtime, job_file])
    for job in jobs:
        files = archive.read(Path(job["target"]).read_bytes())
        compressed = archive.wheel(files) if job["name"].endswith(".whl") else archive.write(files)
        Path(job["target"]).write_bytes(compressed)
        Path(job["target"]).replace(stored[job["name"]])
    for path in _STORE.iterdir():  # what earlier versions of the package left
        if path.suffix != ".snapshot" and path not in stored.values():
            path.unlink()
    return {name: path.read_bytes() for name, path in stored.items()}


def _slim(content: bytes, pattern: str) -> bytes:
    return archive.write(archive.drop(archive.read(content), pattern), compress=False)


def _digest(*contents: bytes) -> str:
    digest = hashlib.sha256()
    for content in contents:
        digest.update(hashlib.sha256(content).digest())
    return digest.hexdigest()


if __name__ == "__main__":
    main(lambda: print(ensure()))
