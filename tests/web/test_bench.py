"""The benchmarks run in the page; nothing here looks at times."""

from __future__ import annotations

import json

from bench import in_page, table
from web.visitor import Visitor


def test_a_benchmark_runs_in_the_page(visitor: Visitor) -> None:
    text = in_page.script(["plain", "--match", "mlp", "--scale", "small", "--json", "-"])
    assert visitor.run(text)["ok"]
    (report,) = map(json.loads, "".join(m["text"] for m in visitor.all_heard("output")).splitlines())
    assert (report["name"], report["kind"], report["check"]) == ("plain mlp", "plain", "ok")
    assert report["objects_created"] == 0
    assert report["compiled_ms"] > 0
    assert table.row(report)
