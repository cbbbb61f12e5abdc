"""Run tile cases on the selected device: all kernels compile side by side first, for they take seconds each."""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Sequence
from typing import Any

import numpy as np

from device.op_cases import evaluate
from device.tile_cases.forced import TileCase
from tabgrad.graph.linearize import Linear, linearize
from tabgrad.graph.node import BUFFER
from tabgrad.nn import functional
from tabgrad.runtime import ProgramCache
from tabgrad.runtime.evaluation import output_storages, run_program, settle_outputs
from tabgrad.session import current


class _Compiled:
    """A case's values, and the program that computes them all."""

    def __init__(self, tg: Any, case: TileCase) -> None:
        with case.forced.active():
            values = evaluate(case.case, tg, functional, lambda array, grad: tg.tensor(array, requires_grad=grad))
            self.values = {name: value.detach() for name, value in values.items() if value is not None}
            self.roots = list(dict.fromkeys(v._node for v in self.values.values()))
            assert not any(node.op is BUFFER for node in self.roots), "a value that needs no kernel proves nothing"
            self.linear: Linear = linearize(self.roots)
            self.session = current()
            self.cached = self.session.own(ProgramCache).of(self.linear)
            case.forced.check(self.cached.compiled.works)

    async def load(self) -> None:
        await self.cached.load_async()

    async def run(self, tg: Any) -> dict[str, np.ndarray]:
        storages = output_storages(self.cached.compiled)
        run_program(self.session, self.cached, self.linear, storages)
        settle_outputs(self.session, self.roots, self.cached.compiled, self.linear.storages, storages)
        arrays = await tg.read(*self.values.values())
        return dict(zip(self.values, arrays, strict=True))


async def tile_outcomes(tg: Any, cases: Sequence[TileCase]) -> tuple[dict[str, dict[str, np.ndarray]], dict[str, str]]:
    """Outputs and gradients, and tracebacks, by the names of cases."""
    found: dict[str, dict[str, np.ndarray]] = {}
    failures: dict[str, str] = {}

    async def guarded(case: TileCase, step: Any) -> Any:
        try:
            return await step
        except Exception:  # noqa: BLE001 - reported by name; the other cases must still run
            failures[case.name] = traceback.format_exc(limit=-6)

    async def compile_one(case: TileCase) -> _Compiled:
        compiled = _Compiled(tg, case)
        await compiled.load()
        return compiled

    made = await asyncio.gather(*(guarded(case, compile_one(case)) for case in cases))
    for case, compiled in zip(cases, made, strict=True):
        if compiled is not None:
            found[case.name] = await guarded(case, compiled.run(tg))
    return {name: values for name, values in found.items() if values is not None}, failures
