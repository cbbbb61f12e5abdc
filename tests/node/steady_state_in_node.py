"""Runs in Pyodide over Dawn: the executor's counters around many steps, of a compiled step and of a trainer."""

import asyncio
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import numpy as np

import tabgrad as tg
from steps import step_of
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.metrics import Collector
from tabgrad.train import Trainer

WARM_UP, STEPS, BATCH = 20, 500, 8

tg.manual_seed(0)
device = tg.current_session().device
rng = np.random.default_rng(0)
inputs = rng.standard_normal((64, 6)).astype(np.float32)
labels = rng.integers(0, 4, 64)


def model():
    return nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Dropout(0.1), nn.Linear(8, 4))


async def compiled_step() -> dict:
    """Steps whose inputs lie on the host, each waited for; nothing is read."""
    network = model()
    optimizer = optim.Adam(network.parameters(), lr=1e-3)
    criterion = nn.CrossEntropyLoss()
    step = tg.compile(step_of(optimizer, lambda x, y: criterion(network(x), y)))
    for n in range(WARM_UP + STEPS):
        if n == WARM_UP:
            before = device.counters.snapshot()
        part = slice(n % 8 * BATCH, (n % 8 + 1) * BATCH)
        loss = step(tg.tensor(inputs[part]), tg.tensor(labels[part]))
        await device.fence()
    after = device.counters.snapshot()
    return {"before": before, "after": after, "loss": float(await loss.read())}


class Watch(Collector):
    """Notes the counters whenever a step has been submitted, and how many callbacks the event loop was given."""

    name = "watch"

    def __init__(self) -> None:
        self.seen: list[dict[str, int]] = []
        self.callbacks = 0

    def start(self, run: object) -> None:
        self._loop = asyncio.get_running_loop()
        self._given = self._loop.call_later
        self._loop.call_later = self._counted

    def stop(self) -> None:
        self._loop.call_later = self._given

    def _counted(self, *args: object, **kwargs: object) -> object:
        self.callbacks += 1
        return self._given(*args, **kwargs)

    def on_measure(self, kind: str, start_ms: float, end_ms: float) -> None:
        if kind == "step":
            self.seen.append({**device.counters.snapshot(), "callbacks": self.callbacks})


async def trainer() -> dict:
    """The same counters while a trainer runs, metrics being read now and then."""
    network, watch = model(), Watch()
    optimizer = optim.SGD(network.parameters(), lr=1e-3, momentum=0.9)
    fit = Trainer(network, nn.CrossEntropyLoss(), optimizer, metrics=["accuracy"], collectors=[watch])
    loader = DataLoader(TensorDataset(inputs, labels), batch_size=BATCH, shuffle=True)
    await fit.fit(loader, epochs=(2 * WARM_UP + STEPS) // len(loader) + 1)
    first = 2 * WARM_UP  # by then metrics have been read at least once
    assert watch.seen[first]["maps"] > 0, "no metrics were read in the steps before"
    return {"before": watch.seen[first], "after": watch.seen[first + STEPS]}


print(json.dumps({"steps": STEPS, "compiled": await compiled_step(), "trainer": await trainer()}))
