"""A recorded training step as files, and its replay by a process that has the program alone; needs no pytest or torch.

As a script, ``program_replay.py replay KIND FOLDER`` prints the losses; the Node harness runs it, too.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

STEPS = 5


class Record:
    """Keeps what each run is given; a session runs programs through it, as through a profiler."""

    def __init__(self, device: Any) -> None:
        self._device = device
        self.runs: list[dict[str, np.ndarray]] = []
        self.bound: Any = None

    def run(self, launch: Any) -> None:
        """Note the uploads and scalars, then run."""
        externals = [b.id for b in launch.bound.buffers]
        given = {str(externals.index(b.id)): data.view(np.uint8).copy() for b, data in launch.writes}
        self.runs.append({"scalars": launch.scalars.copy(), **given})
        launch.on(self._device)

    def span(self, what: str, start_s: float) -> None:
        """Times are of no interest here."""


async def record(folder: Path) -> list[str]:
    """Train a small model for a few steps on the session's device; writes its program, and what it was given.

    Returns the losses, as hexadecimal text: all of their bits.
    """
    import tabgrad as tg
    from tabgrad import nn, optim
    from tabgrad.session import current

    session = current()
    device = session.device
    tg.manual_seed(0)
    model = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.ReLU(), nn.Dropout(0.2), nn.Flatten(), nn.Linear(64, 3))
    optimizer = optim.AdamW(model.parameters(), lr=0.01)
    rng = np.random.default_rng(1)
    batches = [(rng.random((6, 1, 4, 4), np.float32), rng.integers(0, 3, 6)) for _ in range(STEPS)]

    @tg.compile
    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    recorded = await step.ready(*map(tg.tensor, batches[0]))
    program = recorded.compiled.program
    state = [s.on(device) for s in recorded.linear.storages if not s.placeholder]
    arrays = await device.read([(b, 0, b.size_bytes) for b in state])
    session.profiler = recorder = Record(device)
    try:
        results = [step(*map(tg.tensor, batch)) for batch in batches]
    finally:
        session.profiler = None
    losses = await tg.read(*results)
    slots = [n for n, s in enumerate(recorded.linear.storages) if not s.placeholder]
    document = {
        "loss": recorded.compiled.outputs[0].external,
        "before": {n: a.tolist() for n, a in zip(slots, arrays, strict=True)},
        "runs": [{name: a.tolist() for name, a in run.items()} for run in recorder.runs],
    }
    (folder / "program.json").write_text(program.to_json())
    (folder / "given.json").write_text(json.dumps(document))
    return [float(loss).hex() for loss in losses]


async def replay(kind: str, folder: Path) -> list[str]:
    """The losses of the recorded steps, run again from their program on a new device."""
    from tabgrad.devices import open_device
    from tabgrad.program import Program

    program = Program.from_json((folder / "program.json").read_text())
    given = json.loads((folder / "given.json").read_text())
    device = open_device(kind)  # type: ignore[arg-type]
    buffers = [device.allocate(program.buffers[n].size_bytes) for n in program.externals]
    for n, content in given["before"].items():
        device.write(buffers[int(n)], np.array(content, np.uint8))
    bound = device.bind(await device.load_async(program), buffers)
    losses = []
    for run in given["runs"]:
        scalars = np.array(run.pop("scalars"), np.uint32)
        device.run(bound, scalars, [(buffers[int(n)], np.array(data, np.uint8)) for n, data in run.items()])
        (raw,) = await device.read([(buffers[given["loss"]], 0, 4)])
        losses.append(float(raw.view(np.float32)[0]).hex())
    return losses


async def main(what: str, *arguments: str) -> None:
    """``record FOLDER`` or ``replay KIND FOLDER``."""
    losses = await (record(Path(*arguments)) if what == "record" else replay(arguments[0], Path(arguments[1])))
    print(json.dumps(losses))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
