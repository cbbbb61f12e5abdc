"""Runs in Pyodide over Dawn: a compiled step's first call, on the adapter as it is and as if it were a GPU."""

import asyncio
import json
from dataclasses import replace

import numpy as np

import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.runtime import ProgramCache
from tabgrad.session import current
from tabgrad.tracing.tracer import Tracer

STEPS = 6
INPUTS = np.random.default_rng(0).standard_normal((8, 6)).astype(np.float32)


def training():
    tg.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 4))
    optimizer = optim.SGD(model.parameters(), lr=0.1)

    def step(x, y):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step


async def first_calls(kind):
    """Two tasks call a step for the first time, the second while the first is suspended, if it is."""
    device = tg.current_session().device
    before, device.info = device.info, replace(device.info, kind=kind)
    current().own(ProgramCache).clear()
    step, turns, losses = tg.compile(training()), [], []

    async def call(name):
        turns.append(f"{name} calls")
        losses.append(step(tg.tensor(INPUTS), tg.tensor(np.arange(8) % 4)))
        turns.append(f"{name} has called")

    await asyncio.gather(call("one"), call("other"))
    found = [float(v) for v in await tg.read(*losses)]
    (recorded,) = step.recordings
    device.info = before
    return {"turns": turns, "losses": found, "kernels": len(recorded.compiled.program.shaders)}


async def plain_loops(kind):
    """Two tasks train a model each in a plain loop; the second begins while the first one is suspended."""
    device = tg.current_session().device
    before, device.info = device.info, replace(device.info, kind=kind)
    current().own(ProgramCache).clear()
    current().own(Tracer).forget()
    followed, turns = current().own(Tracer).followed, []

    async def train(name, step):
        losses = []
        for _ in range(STEPS):
            turns.append(f"{name} begins")
            loss = step(tg.tensor(INPUTS), tg.tensor(np.arange(8) % 4))
            turns.append(f"{name} has trained")
            losses.append(loss.item())
        return losses

    losses = await asyncio.gather(train("one", training()), train("other", training()))
    turns, again = turns[:2], await train("again", training())
    device.info = before
    return {"turns": turns, "losses": [*losses, again], "followed": current().own(Tracer).followed - followed}


print(json.dumps({kind: {**await first_calls(kind), "plain": await plain_loops(kind)} for kind in ("software", "gpu")}))
