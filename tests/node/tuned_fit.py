"""Trains until the tuner has done its work, or for a while; prints what the tuner measured and made.

Argument: the most epochs, if not 600.
"""

import json
import sys

import numpy as np

import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.train import Trainer, control, events
from tabgrad.tuner import current_tuner, turns

turns.SHARE = 0.8  # of the time for the tuner: with as little as usual, four fifths of a run would be training steps
seen = []


def watch(event):
    seen.append(event["type"] if event["type"] != "tuning" else event["phase"])
    if event["type"] == "tuning" and event["phase"] == "done":
        control.deliver({"type": "stop"})
    sink(event)


sink = events.set_sink(watch)
tg.manual_seed(0)
x = np.random.default_rng(0).standard_normal((64, 6)).astype(np.float32)
model = nn.Sequential(nn.Linear(6, 33), nn.Tanh(), nn.Linear(33, 1))
trainer = Trainer(model, nn.MSELoss(), optim.Adam(model.parameters(), lr=1e-3), collectors=[])
epochs = int(sys.argv[1]) if sys.argv[1:] else 600
history = await trainer.fit(DataLoader(TensorDataset(x, x[:, :1]), batch_size=16), epochs=epochs)
counted = tg.current_session().device.trials.counters.snapshot()
found = {"setting": tg.tuning().mode, "measured": current_tuner().measured, "bench": counted, "seen": seen}
print(json.dumps({**found, "steps": len(history["train"])}))
