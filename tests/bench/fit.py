"""Benchmark of the trainer: ``fit`` on shuffled images of 28 × 28, beside the compiled step of the same model."""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np

import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.train import Trainer

MODELS = ("mlp", "cnn")
SIDE, CLASSES = 28, 10
SIZES = {"full": (20_000, 128, 6_000), "small": (96, 8, 24)}  # images, batch, and least steps that are timed
BLOCKS, BLOCK_S = 5, 0.5  # of the compiled step
CREATED = ("buffers_created", "bind_groups_created", "layouts_created", "pipelines_created")


def model(name: str, scale: str) -> nn.Module:
    """The model of the workload of that name (``tests/workloads``), made of modules."""
    full = scale == "full"
    if name == "mlp":
        wide, narrow = (512, 256) if full else (32, 16)
        return nn.Sequential(
            nn.Flatten(), nn.Linear(SIDE * SIDE, wide), nn.ReLU(), nn.Linear(wide, narrow), nn.ReLU(),
            nn.Linear(narrow, CLASSES),
        )  # fmt: skip
    first, second, hidden = (32, 64, 128) if full else (4, 8, 16)
    return nn.Sequential(
        nn.Conv2d(1, first, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(first, second, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(second * (SIDE // 4) ** 2, hidden), nn.ReLU(), nn.Linear(hidden, CLASSES),
    )  # fmt: skip


def images(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Noise, in which the label is the place of a brighter band of rows."""
    random = np.random.default_rng(0)
    labels = random.integers(0, CLASSES, count)
    bright = np.arange(SIDE) * CLASSES // SIDE == labels[:, None]
    pixels = random.random((count, 1, SIDE, SIDE), dtype=np.float32) + np.float32(0.5) * bright[:, None, :, None]
    return pixels.astype(np.float32), labels


async def bench(name: str, scale: str) -> dict[str, Any]:
    """One report: ms per step of the compiled step, and of ``fit`` from its call to its return."""
    count, batch, least = SIZES[scale]
    x, y = images(count)
    compiled_ms = await _compiled(name, scale, x[:batch], y[:batch])
    tg.manual_seed(0)
    net = model(name, scale)
    trainer = Trainer(net, nn.CrossEntropyLoss(), optim.Adam(net.parameters(), lr=1e-3))
    loader = DataLoader(TensorDataset(x, y), batch_size=batch, shuffle=True)
    first = (await trainer.fit(loader, epochs=1))["train"][0]["loss"]
    epochs = -(-least // len(loader))
    steps, device = epochs * len(loader), tg.current_session().device
    before, start = device.counters.snapshot(), time.perf_counter()
    last = (await trainer.fit(loader, epochs=epochs))["train"][-1]["loss"]
    fit_ms = (time.perf_counter() - start) * 1000 / steps
    counted = {n: (value - before[n]) / steps for n, value in device.counters.snapshot().items()}
    return {
        "kind": "fit",
        "name": f"fit {name}",
        "ms_per_step": round(fit_ms, 3),
        "compiled_ms": round(compiled_ms, 3),
        "ratio": round(fit_ms / compiled_ms, 2),
        "steps": steps,
        "submits": round(counted["submits"], 3),
        "objects_created": round(sum(counted[n] for n in CREATED), 3),
        "crossings": round(counted["crossings"], 3),
        "bytes_uploaded": round(counted["bytes_uploaded"]),
        "peak_gpu_bytes": device.counters.snapshot()["bytes_allocated"],
        "check": "ok" if last < first else f"the loss did not fall: {first:.4f}, then {last:.4f}",
    }


async def _compiled(name: str, scale: str, x: np.ndarray, y: np.ndarray) -> float:
    """The median of blocks of steps on a batch that lies on the device, each ended by reading the last loss."""
    tg.manual_seed(0)
    net = model(name, scale)
    optimizer, criterion = optim.Adam(net.parameters(), lr=1e-3), nn.CrossEntropyLoss()

    @tg.compile
    def step(inputs: tg.Tensor, labels: tg.Tensor) -> tg.Tensor:
        optimizer.zero_grad()
        loss = criterion(net(inputs), labels)
        loss.backward()
        optimizer.step()
        return loss.detach()

    inputs, labels = (tg.tensor(a).clone().realize() for a in (x, y))

    async def block(steps: int) -> float:
        start = time.perf_counter()
        for _ in range(steps):
            loss = step(inputs, labels)
        await loss.read()
        return (time.perf_counter() - start) * 1000 / steps

    await block(8)
    steps = max(4, min(500, int(BLOCK_S * 1000 / await block(4)))) if scale == "full" else 4
    return statistics.median([await block(steps) for _ in range(BLOCKS)])
