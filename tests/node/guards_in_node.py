"""Changes what compiled steps depend on, in the Python that Pyodide has; prints what each change led to."""

import json
import random
import time
from types import SimpleNamespace

import tabgrad as tg
from tabgrad import nn

SCALE, COUNT, TABLE = 2.0, 0, [1.0]
settings = SimpleNamespace(scale=1.0)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = 1.0
        self.drop = nn.Dropout(0.0)

    def forward(self, x):
        return self.drop(x) * self.scale


class Holder:
    def __init__(self):
        self.beta, self.kept = 1.0, []

    def step(self, x):
        self.kept.append(1)
        return x * self.beta


model, holder = Model(), Holder()
captured = 1.0


async def value(step):
    try:
        return (await step(tg.ones(2)).sum().read()).item()
    except tg.TabgradError as error:
        return str(error)


def helper(x):
    return x * SCALE * TABLE[0] * settings.scale


def counts(x):
    global COUNT
    COUNT += 1
    return x * COUNT


def closing():
    inner = 1.0

    def step(x):
        return (lambda: x * inner)()

    def change(new):
        nonlocal inner
        inner = new

    return step, change


results = {}
step = tg.compile(lambda x: helper(model(x)))
seen = [await value(step)]
SCALE = 4.0
seen.append(await value(step))
TABLE[0] = 0.5
seen.append(await value(step))
settings.scale = 10.0
seen.append(await value(step))
model.scale = 2.0
seen.append(await value(step))
model.drop.p = 1.0
seen.append(await value(step))
model.eval()
seen.append(await value(step))
results["values"] = seen
results["recordings"] = len(step.recordings)

method = tg.compile(holder.step)
seen = [await value(method)]
holder.beta = 3.0
holder.kept.append(1)
seen += [await value(method), await value(method)]
results["method"], results["kept"] = seen, len(holder.kept)

inner, change = closing()
inner = tg.compile(inner)
seen = [await value(inner)]
change(5.0)
seen.append(await value(inner))
results["closure"] = seen

results["counter"] = await value(tg.compile(counts))
results["random"] = await value(tg.compile(lambda x: x * random.random()))
results["clock"] = await value(tg.compile(lambda x: x * time.time()))
print(json.dumps(results))
