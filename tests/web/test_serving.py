"""How the page is served: nothing from elsewhere, types and headers as browsers need them, no eval."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Error, Response

from web import scripts
from web.visitor import Visitor

# In a task of its own: the policy does not hold for what a debugger evaluates.
EVAL = """() => new Promise((resolve) => setTimeout(() => {
  try { resolve(globalThis.eval("1")); } catch (error) { resolve(error.name); }
}))"""


def test_page_loads_from_its_own_origin_with_the_right_headers(new_visitor: Callable[..., Visitor]) -> None:
    visitor = new_visitor()
    responses: list[Response] = []
    visitor.page.context.on("response", lambda response: responses.append(response))
    visitor.visit()
    visitor.heard("ready")
    assert visitor.run(scripts.SHORT)["ok"]

    fetched = {urlsplit(r.url).path: r for r in responses if not r.url.startswith(("data:", "blob:"))}
    origin = urlsplit(visitor.url)[:2]
    assert {urlsplit(r.url)[:2] for r in fetched.values()} == {origin}
    assert {r.status for r in fetched.values()} == {200}
    kinds = {path.rsplit(".", 1)[-1] for path in fetched}
    assert kinds >= {"/", "js", "css", "wasm", "mjs", "bin", "zip"}
    for path, response in fetched.items():
        headers = response.headers
        if path.endswith(".wasm"):
            assert headers["content-type"] == "application/wasm"
        if path.endswith(("js", "mjs")):
            assert headers["content-type"].startswith("text/javascript")
        fixed = path != "/" and not path.endswith("/manifest.json")  # all other names hold a hash of the content
        assert headers["cache-control"] == ("public, max-age=31536000, immutable" if fixed else "no-cache"), path
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["cross-origin-embedder-policy"] == "require-corp"
    assert visitor.page.evaluate("crossOriginIsolated")


def test_policy_forbids_eval_and_foreign_connections(new_visitor: Callable[..., Visitor]) -> None:
    visitor = new_visitor()
    visitor.do_without_python()
    visitor.visit()
    policy = visitor.page.request.get(visitor.url).headers["content-security-policy"]
    assert "'unsafe-eval'" not in policy
    assert "script-src 'self' 'wasm-unsafe-eval'" in policy
    assert visitor.page.evaluate(EVAL) == "EvalError"
    with pytest.raises(Error, match="Failed to fetch"):
        visitor.page.evaluate("() => fetch('http://127.0.0.1:9/')")
    assert all("Content Security Policy" in text for text in visitor.problems)
    visitor.problems.clear()


def test_second_visit_needs_only_the_page_itself(new_visitor: Callable[..., Visitor]) -> None:
    visitor = new_visitor()
    visitor.visit()
    visitor.heard("ready")
    visitor.visit()
    visitor.heard("ready")
    transferred = visitor.page.evaluate(
        "performance.getEntriesByType('resource').filter((e) => e.transferSize > 300).map((e) => e.name)"
    )
    assert transferred == []
