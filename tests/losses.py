"""One short digits run whose losses must agree on every device and with PyTorch."""

from __future__ import annotations

import numpy as np

STEPS, BATCH = 20, 32
RTOL = 1e-4  # rounding of float32 sums grows from step to step; a wrong gradient is off by far more


def data() -> tuple[np.ndarray, np.ndarray]:
    """The first STEPS batches of digits in file order: images [640, 1, 8, 8] and labels."""
    from tabgrad.data import datasets

    digits = datasets.digits()
    samples = [digits[i] for i in range(STEPS * BATCH)]
    return np.stack([np.asarray(x) for x, _ in samples]), np.array([int(y) for _, y in samples])


def initial() -> dict[str, np.ndarray]:
    """Initial weights under PyTorch's names and layouts."""
    rng = np.random.default_rng(7)

    def uniform(*shape: int) -> np.ndarray:
        bound = int(np.prod(shape[1:])) ** -0.5
        return rng.uniform(-bound, bound, shape).astype(np.float32)

    return {
        "0.weight": uniform(8, 1, 3, 3), "0.bias": np.zeros(8, np.float32), "3.weight": uniform(16, 8, 3, 3),
        "3.bias": np.zeros(16, np.float32), "6.weight": uniform(10, 256), "6.bias": np.zeros(10, np.float32),
    }  # fmt: skip


def build(nn):  # type: ignore[no-untyped-def]
    """The model; ``nn`` is ``torch.nn`` or ``tabgrad.nn``."""
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(),
        nn.Flatten(), nn.Linear(256, 10),
    )  # fmt: skip


async def first_losses() -> list[float]:
    """Losses of STEPS steps of SGD with momentum on the tabgrad device in use."""
    import tabgrad as tg

    model = build(tg.nn)
    model.load_state_dict({k: tg.tensor(v) for k, v in initial().items()})
    optimizer = tg.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    criterion = tg.nn.CrossEntropyLoss()

    def step(x, y):  # type: ignore[no-untyped-def]
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()
        return loss

    compiled = tg.compile(step)
    x, y = data()
    losses = []
    for n in range(STEPS):
        part = slice(n * BATCH, (n + 1) * BATCH)
        losses.append(compiled(tg.tensor(x[part]), tg.tensor(y[part])))
    return [float(v) for v in await tg.read(*losses)]


def torch_losses() -> list[float]:
    """The same run in PyTorch on the CPU."""
    import torch

    model = build(torch.nn)
    model.load_state_dict({k: torch.tensor(v) for k, v in initial().items()})
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    criterion = torch.nn.CrossEntropyLoss()
    x, y = (torch.tensor(a) for a in data())
    losses = []
    for n in range(STEPS):
        part = slice(n * BATCH, (n + 1) * BATCH)
        loss = criterion(model(x[part]), y[part])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses
