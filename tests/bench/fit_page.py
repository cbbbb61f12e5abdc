"""Benchmark of the trainer in the page: ``fit.py`` as a script in the editor. Prints a JSON line for each model.

build/venv-test/bin/python tests/bench/fit_page.py [mlp cnn] [--scale small] [--gpu] [--print]
"""

import argparse
import sys
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "build_scripts"))

MODELS = ("mlp", "cnn")
_END = """
import json
for _name in {models!r}:
    print(json.dumps({{**await bench(_name, {scale!r}), "device": tg.device().name, "adapter": tg.device().info.name}}))
"""


def script(models: list[str], scale: str) -> str:
    """What is pasted into the editor."""
    text = Path(__file__).with_name("fit.py").read_text(encoding="utf-8")
    return text + _END.format(models=models, scale=scale)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=f"of {', '.join(MODELS)} (default: all)")
    parser.add_argument("--scale", choices=["full", "small"], default="full")
    parser.add_argument("--gpu", action="store_true", help="the machine's GPU, not the software adapter")
    parser.add_argument("--print", action="store_true", help="print the script and run nothing")
    options = parser.parse_args()
    text = script(options.models or list(MODELS), options.scale)
    if options.print:
        print(text)
        return
    from playwright.sync_api import sync_playwright

    import graphics
    import server
    import website
    from web.visitor import Visitor

    arguments = [a for a in graphics.CHROMIUM_ARGS if not (options.gpu and "swiftshader" in a)]
    http = server.make(website.ensure())
    threading.Thread(target=http.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=graphics.chromium(), args=arguments)
        visitor = Visitor(browser.new_context(), f"http://localhost:{http.server_address[1]}/")
        visitor.visit()
        end = visitor.run(text, within_s=900)
        for output in visitor.all_heard("output"):
            print(output["text"], end="")
        browser.close()
    sys.exit(end["ok"] is not True)


if __name__ == "__main__":
    main()
