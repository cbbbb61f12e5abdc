"""Runs benchmarks in the page: ``here.py``, with all that it imports, as a script in the editor. Prints a table.

    build/venv-test/bin/python tests/bench/in_page.py fit plain --match mlp [--scale small] [--gpu] [--print]

Arguments are those of ``here.py``. ``run.py --on page`` starts this once for each benchmark.
"""

import argparse
import base64
import json
import sys
import threading
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "build_scripts"))

from bench import catalog
from bench.table import Table

TESTS = Path(__file__).resolve().parents[1]
OUTSIDE = {"in_page.py", "memory.py", "pack.py", "page.py", "run.py", "tuning.py"}  # not imported by here.py
_SCRIPT = """# {what}
import ast, base64, json, pathlib, sys, zlib
_folder = pathlib.Path("/tmp/tabgrad_bench")
for _name, _text in json.loads(zlib.decompress(base64.b64decode({packed!r}))).items():
    (_folder / _name).parent.mkdir(parents=True, exist_ok=True)
    (_folder / _name).write_text(_text, encoding="utf-8")
sys.argv = ["here.py", *{arguments!r}]
_path = _folder / "bench" / "here.py"
_code = compile(_path.read_text(encoding="utf-8"), str(_path), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
await eval(_code, {{"__name__": "__main__", "__file__": str(_path)}})
"""


def sources() -> dict[str, str]:
    """The texts that run in the page, by their paths in the folder of the tests."""
    files = [f for name in ("bench", "workloads") for f in sorted((TESTS / name).glob("*.py")) if f.name not in OUTSIDE]
    return {f.relative_to(TESTS).as_posix(): f.read_text(encoding="utf-8") for f in files}


def script(arguments: list[str]) -> str:
    """What is pasted into the editor."""
    packed = base64.b64encode(zlib.compress(json.dumps(sources()).encode(), 9)).decode()
    what = f"tests/bench/here.py {' '.join(arguments)}"
    return _SCRIPT.format(what=what, packed=packed, arguments=arguments)


def reports(text: str, *, gpu: bool, timeout_s: float) -> Iterator[dict[str, Any]]:
    """What the script reports in the page of a browser of its own.

    Raises:
        RuntimeError: it failed; the message is what the page says of it.
    """
    from playwright.sync_api import sync_playwright

    import graphics
    import server
    import website
    from web.visitor import Visitor

    arguments = [a for a in graphics.CHROMIUM_ARGS if not (gpu and "swiftshader" in a)]
    http = server.make(website.ensure())
    threading.Thread(target=http.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=graphics.chromium(), args=arguments)
        try:
            visitor = Visitor(browser.new_context(), f"http://localhost:{http.server_address[1]}/")
            visitor.visit()
            end = visitor.run(text, within_s=timeout_s)
            printed = "".join(output["text"] for output in visitor.all_heard("output"))
            errors = visitor.all_heard("error")
        finally:
            browser.close()
            http.shutdown()
    for line in printed.splitlines():
        if line.startswith("{"):
            yield {**json.loads(line), "device": "page"}
    if end["ok"] is not True:
        raise RuntimeError(f"the script failed in the page: {errors or printed[-500:] or end}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(catalog.NAMES)} (default: all)")
    parser.add_argument("--scale", choices=catalog.SCALES, default="full")
    parser.add_argument("--match", default="", help="only those whose name contains this")
    parser.add_argument("--json", metavar="FILE", help="append one line for each report; -: print lines, not a table")
    parser.add_argument("--gpu", action="store_true", help="the machine's GPU, not the software adapter")
    parser.add_argument("--timeout", type=float, default=900, metavar="SECONDS")
    parser.add_argument("--print", action="store_true", help="print the script and run nothing")
    options = parser.parse_args()
    text = script([*options.names, "--scale", options.scale, "--match", options.match, "--json", "-"])
    if options.print:
        print(text)
        return
    table = Table(lambda line: print(line, flush=True))
    for report in reports(text, gpu=options.gpu, timeout_s=options.timeout):
        line = json.dumps(report, ensure_ascii=False)
        if options.json == "-":
            print(line, flush=True)
            continue
        table.add(report)
        if options.json:
            with open(options.json, "a", encoding="utf-8") as file:
                file.write(line + "\n")


if __name__ == "__main__":
    main()
