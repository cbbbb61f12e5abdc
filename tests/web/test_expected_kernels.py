"""What the page compiles before Python has started is what an example's first step needs, and is kept for later."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import website
from paths import WEB
from web.visitor import Visitor

# The kept text, as soon as it is there.
READ_KEPT = """async () => {
  const open = () => new Promise((resolve, reject) => {
    const request = indexedDB.open("tabgrad");
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const database = await open();
  for (;;) {
    const request = database.transaction("tuning").objectStore("tuning").get("kernels");
    const text = await new Promise((resolve) => (request.onsuccess = () => resolve(request.result)));
    if (text) return text;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}"""


def named(kernels: list[dict[str, str]]) -> dict[tuple[str, str], str]:
    return {(kernel["signature"], kernel["source"]): kernel["label"] for kernel in kernels}


def test_kernels_built_for_an_example_are_those_that_its_first_step_needs(
    new_visitor: Callable[..., Visitor],
) -> None:
    script = (WEB / "examples" / "digits.py").read_text()
    (built,) = [e for e in json.loads(website.example_kernels().read_text()) if e["script"] == script]
    visitor = new_visitor()
    visitor.visit()
    visitor.press("Train")
    visitor.heard("status", phase="training")
    kept: list[dict[str, Any]] = json.loads(visitor.page.evaluate(READ_KEPT))
    assert [(entry["script"], json.loads(entry["adapter"])["kind"]) for entry in kept] == [(script, built["kind"])]
    assert named(kept[0]["kernels"]) == named(built["kernels"])
    assert visitor.heard("metrics")["step"] >= 1
