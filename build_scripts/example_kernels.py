"""Runs in Pyodide: writes the kernels of examples' training programs on software adapters, which compile them slowly.

    node web/node/run.mjs --device reference build_scripts/example_kernels.py TARGET EXAMPLE.py...

A JSON list of ``{"script", "kind", "kernels": [{"source", "signature", "label"}, ...]}``; its reader is
``web/python/kernels.js``.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from tabgrad.command_line.script_graphs import graphs_of, programs_of
from tabgrad.program import Program

KIND = "software"


def kernels(program: Program) -> list[dict[str, str]]:
    """Each of a program's kernels once, as ``distinctOf`` of ``web/executor/loader.js`` has them."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for dispatch in json.loads(program.to_json(instructions=False))["dispatches"]:
        accesses = ",".join("r" if access == "read" else "rw" for *_, access in dispatch["bindings"])
        signature = accesses + ("|s" if dispatch["uses_scalars"] else "|")
        source = program.shaders[dispatch["shader"]]
        found.setdefault((signature, source), {"source": source, "signature": signature, "label": dispatch["label"]})
    return list(found.values())


def entry(file: Path) -> dict[str, Any]:
    """The kernels of one example."""
    script = file.read_text()
    graphs = asyncio.run(graphs_of(script, file.name, []))
    return {"script": script, "kind": KIND, "kernels": kernels(programs_of(graphs, target=KIND)[0].program)}


target, *examples = map(Path, sys.argv[1:])
target.write_text(json.dumps([entry(example) for example in examples]))
