"""Benchmark of the page: how long a visitor who presses Train at once waits for the first loss. Prints JSON.

    build/venv-test/bin/python tests/bench/page.py [--rounds 3] [--example digits] [--gpu]

A cold visit is the first one of a new browser profile, a warm visit the second one of the same profile. The
stages are the times, in ms since navigation, at which the page learnt of each from its worker.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "build_scripts"))

from playwright.sync_api import BrowserContext, Playwright, sync_playwright

import graphics
import server
import website
from web.visitor import RECORDER

# The example is chosen and Train pressed in the task in which both appear.
PRESS = """addEventListener("DOMContentLoaded", () => {
  const press = () => {
    const example = document.querySelector("#example");
    const button = document.querySelector(".button-primary");
    if (!example || !button) return false;
    example.value = EXAMPLE;
    example.dispatchEvent(new Event("change"));
    button.click();
    recorder.pressed = performance.now();
    return true;
  };
  const watch = new MutationObserver(() => press() && watch.disconnect());
  if (!press()) watch.observe(document, { subtree: true, childList: true });
});"""
STAGES = {
    "downloaded": {"type": "starting"},
    "python_ready": {"type": "ready"},
    "script_runs": {"type": "fit_start"},
    "compiling_begins": {"type": "status", "phase": "compiling"},
    "compiled": {"type": "status", "phase": "training"},
    "first_loss": {"type": "metrics"},
}


def visit(context: BrowserContext, address: str, example: str) -> dict[str, float]:
    """One visit in a new tab: ms since navigation of each stage."""
    page = context.new_page()
    page.add_init_script(path=RECORDER)
    page.add_init_script(PRESS.replace("EXAMPLE", json.dumps(example)))
    page.goto(address, wait_until="commit")
    page.wait_for_load_state()
    heard = {
        stage: page.evaluate("(wanted) => recorder.next(wanted, 0, 120000)", wanted) for stage, wanted in STAGES.items()
    }
    times = {
        "first_paint": page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"),
        "train_pressed": page.evaluate("recorder.pressed"),
        **{stage: message["at"] for stage, message in heard.items()},
    }
    page.close()
    return times


def profile(playwright: Playwright, address: str, example: str, arguments: list[str]) -> dict[str, dict[str, float]]:
    """Two visits of a new profile."""
    with tempfile.TemporaryDirectory() as folder:
        context = playwright.chromium.launch_persistent_context(
            folder, executable_path=graphics.chromium(), args=arguments
        )
        try:
            return {kind: visit(context, address, example) for kind in ("cold", "warm")}
        finally:
            context.close()


def median(visits: list[dict[str, float]]) -> dict[str, Any]:
    """The median of each stage, and the spread of the last."""
    last = [visit["first_loss"] for visit in visits]
    middle = {stage: round(statistics.median(visit[stage] for visit in visits)) for stage in visits[0]}
    return {**middle, "first_loss_spread": [round(min(last)), round(max(last))]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="new profiles; medians are reported")
    parser.add_argument("--example", default="digits", choices=["digits", "diabetes"])
    parser.add_argument("--gpu", action="store_true", help="the machine's GPU, not the software adapter")
    options = parser.parse_args()
    arguments = [a for a in graphics.CHROMIUM_ARGS if not (options.gpu and "swiftshader" in a)]
    http = server.make(website.ensure())
    threading.Thread(target=http.serve_forever, daemon=True).start()
    address = f"http://localhost:{http.server_address[1]}/"
    with sync_playwright() as playwright:
        rounds = [profile(playwright, address, options.example, arguments) for _ in range(options.rounds)]
    report = {
        "example": options.example,
        "rounds": options.rounds,
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        **{kind: median([r[kind] for r in rounds]) for kind in ("cold", "warm")},
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
