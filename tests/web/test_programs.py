"""Well-known programs of PyTorch's, pasted into the page as they are, give PyTorch's losses there."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest
from playwright.sync_api import Route

from programs import oracle, running, step_watch
from web.visitor import Visitor

WITHIN_S = 120.0  # the first step compiles up to a hundred kernels without a GPU
SOURCES = [inspect.getsource(module) for module in (running, step_watch)]

# Behind the program, whose names are not these modules'.
MEASURED = f"""
import io, json
import numpy as np
from pyodide.http import pyfetch

measuring = {{}}
for source in {SOURCES!r}:
    exec(source, measuring)
saved = dict(np.load(io.BytesIO(await (await pyfetch("ADDRESS")).bytes())))
with measuring["float64_taken"](torch, "NAME"):
    found = measuring["outcome"](torch, lambda: measuring["loaded_losses"](torch, main, saved))
print(json.dumps(found))
"""


@pytest.mark.parametrize("name", oracle.of_today("page"))
def test_program_gives_pytorchs_losses(
    name: str, visitor: Visitor, tmp_path: Path, record_property: oracle.Record
) -> None:
    expected = oracle.expected([name], tmp_path)[name]
    weights = (tmp_path / f"{name}.npz").read_bytes()

    def give(route: Route) -> None:
        route.fulfill(body=weights, content_type="application/octet-stream")

    program = (oracle.HERE / f"{name}.py").read_text()
    visitor.page.route("**/weights.npz", give)
    try:
        measured = MEASURED.replace("ADDRESS", f"{visitor.url}weights.npz").replace("NAME", name)
        ended = visitor.run(f"{program}\n{measured}", within_s=WITHIN_S)
    finally:
        visitor.page.unroute("**/weights.npz", give)
    lines = [line for message in visitor.all_heard("output") for line in message["text"].splitlines()]
    assert ended["ok"], visitor.all_heard("error")
    assert lines[0] == "import torch: this page runs it as tabgrad"
    oracle.check(name, "page", json.loads(lines[-1]), expected, record_property)
