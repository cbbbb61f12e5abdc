"""Scripts that the tests put into the page's editor."""

from __future__ import annotations

_TRAINING = """import numpy as np
import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.train import Trainer

tg.manual_seed(0)
x = np.random.default_rng(0).standard_normal(({batch}, {width})).astype(np.float32)
{then}
model = nn.Sequential(nn.Linear({width}, {width}), nn.ReLU(), nn.Linear({width}, 1))
trainer = Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr={lr}))
await trainer.fit(DataLoader(TensorDataset(x, x[:, :1]), batch_size={batch}), epochs={epochs})
"""
FIT_LINE = _TRAINING.splitlines().index(next(s for s in _TRAINING.splitlines() if s.startswith("await"))) + 1
ENDLESS = 1_000_000


def training(*, width: int = 16, batch: int = 8, epochs: int = 20, lr: float = 1e-3, then: str = "") -> str:
    """Trains on one batch of noise; ``then`` is a line of Python that may change the samples ``x``."""
    return _TRAINING.format(width=width, batch=batch, epochs=epochs, lr=lr, then=then)


SHORT = training()
LONG_STEPS = training(width=640, batch=128, epochs=ENDLESS)  # a tenth of a second, long beside a message's way
