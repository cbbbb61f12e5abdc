"""Builds the site: Vite's page and worker, the Pyodide bundle, the example scripts; a folder for any static host."""

import json
import os
import shutil
from pathlib import Path

import bundle
import folders
from console import BuildError, main, run, say
from environment import node, node_modules
from paths import BUILD, BUNDLE, SITE, WEB

# `wasm-unsafe-eval` lets WebAssembly compile and still forbids eval. CodeMirror and uPlot set styles on elements.
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "worker-src blob:",  # and no other: a worker of a host's own file has no policy unless the host sends one
        "connect-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
    ]
)
_KERNELS = BUILD / "kernels.json"  # of the examples; the worker has it as an asset
_SOURCES = ("src", "executor", "python", "public", "index.html", "package-lock.json", "vite.config.ts")


def ensure(out: Path = SITE) -> Path:
    """Bring the site in ``out`` up to date; return it.

    Raises:
        BuildError: a tool is missing, the page does not compile, or ``out`` holds something else.
    """
    bundle.ensure()
    example_kernels()
    page = _page()
    with folders.exclusive("site"):
        state = folders.fingerprint([page, BUNDLE / "manifest.json", WEB / "examples", Path(__file__)])
        stamp = out / "build.json"
        if stamp.is_file() and json.loads(stamp.read_text()).get("inputs") == state:
            return out
        if out.exists() and any(out.iterdir()) and not stamp.is_file():
            raise BuildError(f"{out} is not empty and was not built by this script; name another folder")
        with folders.replaced(out) as scratch:
            shutil.copytree(page, scratch, dirs_exist_ok=True)
            shutil.copytree(BUNDLE, scratch / "pyodide", copy_function=_link)
            shutil.copytree(WEB / "examples", scratch / "examples")
            index = scratch / "index.html"
            index.write_text(with_policy(index.read_text()))
            (scratch / "build.json").write_text(json.dumps({"inputs": state}))
        say(f"site: {out}")
    return out


def example_kernels() -> Path:
    """The file of kernels that the page compiles before Python has started: see ``example_kernels.py``."""
    script = Path(__file__).with_name("example_kernels.py")
    examples = [WEB / "examples" / f"{name}.py" for name in ("digits", "diabetes")]  # mnist_files.py wants files
    with folders.exclusive("kernels"):
        state = folders.fingerprint([BUNDLE / "manifest.json", script, *examples])
        stamp = BUILD / "kernels.built"
        if _KERNELS.is_file() and stamp.is_file() and stamp.read_text() == state:
            return _KERNELS
        say("compiling the examples' programs")
        run([node(), WEB / "node" / "run.mjs", "--device", "reference", script, _KERNELS, *examples])
        stamp.write_text(state)
    return _KERNELS


def _page() -> Path:
    """Vite's output in build/page, built again where a source changed."""
    out = BUILD / "page"
    with folders.exclusive("page"):
        state = folders.fingerprint([*(WEB / name for name in _SOURCES), BUNDLE / "manifest.json", _KERNELS])
        stamp = BUILD / "page.built"
        if out.is_dir() and stamp.is_file() and stamp.read_text() == state:
            return out
        say("vite build")
        run([node(), node_modules() / "vite" / "bin" / "vite.js", "build", "--logLevel", "warn"], cwd=WEB)
        stamp.write_text(state)
    return out


def with_policy(html: str) -> str:
    """The page with the policy as a tag, for hosts that set no headers."""
    head = "<head>"
    if head not in html:
        raise BuildError("web/index.html: expected a plain <head> tag, found none")
    return html.replace(
        head, f'{head}\n    <meta http-equiv="Content-Security-Policy" content="{CONTENT_SECURITY_POLICY}">'
    )


def _link(source: str, target: str) -> None:
    """A hard link where the file system has them: the bundle is 18 MB."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


if __name__ == "__main__":
    main(lambda: print(ensure()))
