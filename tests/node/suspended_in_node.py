"""Runs in Pyodide over Dawn: what other tasks see while Python is suspended in one of them."""

import asyncio
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from pyodide.ffi import run_sync

import tabgrad as tg

AWHILE_S = 0.05


async def modes() -> dict:
    """A task suspended inside ``no_grad``, and another that computes meanwhile."""
    weight = tg.tensor([1.0], requires_grad=True)
    others = []

    async def other() -> None:
        for _ in range(3):
            others.append([tg.is_grad_enabled(), (weight * 2).requires_grad])
            await asyncio.sleep(AWHILE_S / 10)

    task = asyncio.ensure_future(other())
    with tg.no_grad():
        run_sync(asyncio.sleep(AWHILE_S))
        value = (weight * 3).item()  # suspends, too
        mine = [tg.is_grad_enabled(), (weight * 2).requires_grad]
    await task
    return {"others": others, "mine": mine, "value": value, "after": tg.is_grad_enabled()}


async def recording() -> dict:
    """A step that is suspended while it is recorded, and another task that computes meanwhile."""
    weight, errors, meddling = tg.tensor([3.0]), [], []

    async def meddle() -> None:
        try:
            (weight * 2).realize()
        except RuntimeError as error:
            errors.append(str(error))

    def step(x: tg.Tensor) -> tg.Tensor:
        meddling.append(asyncio.ensure_future(meddle()))
        run_sync(asyncio.sleep(AWHILE_S))
        return x * weight

    (result,) = await tg.compile(step)(tg.ones(1)).read()
    return {"errors": errors, "result": float(result), "afterwards": float((weight * 2).item())}


print(json.dumps({"device": tg.current_session().device.name, "modes": await modes(), "recording": await recording()}))
