"""The benchmark models: the same parameters, batches and mathematics as in other libraries' versions of them.

Random numbers are mulberry32 in counter form, so that any language reproduces them. Layouts: linear weights
``[in, out]``, convolutions ``[out, in, kh, kw]``, images ``[N, C, H, W]``.

Known losses (PyTorch, float32, batch 128, Adam 1e-3): mlp 2.30591 at step 1 and 1.84278 at step 5;
cnn 2.30100 and 2.10377.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

KNOWN_LOSSES = {"mlp": (2.30591, 1.84278), "cnn": (2.30100, 2.10377)}
BATCH = 128
NUM_BATCHES = 4
GOLDEN = 0x9E3779B9  # seeds are multiples of 2**32 divided by the golden ratio

# (name, shape, bound of the uniform distribution or 0 for zeros), in the order that seeds them
_PARAMETERS: dict[str, list[tuple[str, tuple[int, ...], float]]] = {
    "mlp": [
        ("f1w", (784, 512), 784**-0.5), ("f1b", (512,), 0), ("f2w", (512, 256), 512**-0.5), ("f2b", (256,), 0),
        ("f3w", (256, 10), 256**-0.5), ("f3b", (10,), 0),
    ],
    "cnn": [
        ("c1w", (32, 1, 3, 3), 1 / 3), ("c1b", (32,), 0), ("c2w", (64, 32, 3, 3), 288**-0.5), ("c2b", (64,), 0),
        ("f1w", (3136, 128), 3136**-0.5), ("f1b", (128,), 0), ("f2w", (128, 10), 128**-0.5), ("f2b", (10,), 0),
    ],
}  # fmt: skip


def uniform(stream: int, count: int) -> np.ndarray:
    """``count`` float32 numbers in [0, 1) of a stream."""
    word = np.uint32
    seed = (GOLDEN * (stream + 1)) & 0xFFFFFFFF
    with np.errstate(over="ignore"):
        state = word(seed) + np.arange(1, count + 1, dtype=word) * word(0x6D2B79F5)
        mixed = (state ^ (state >> word(15))) * (state | word(1))
        mixed ^= mixed + (mixed ^ (mixed >> word(7))) * (mixed | word(61))
        bits = mixed ^ (mixed >> word(14))
    return (bits.astype(np.float64) / 2**32).astype(np.float32)


def parameters(name: str) -> dict[str, np.ndarray]:
    """Initial parameters by name."""
    out = {}
    for stream, (key, shape, bound) in enumerate(_PARAMETERS[name]):
        signed = uniform(stream, int(np.prod(shape))).astype(np.float64) * 2 - 1
        out[key] = (signed * np.float64(np.float32(bound))).astype(np.float32).reshape(shape)
    return out


def batches(name: str, size: int = BATCH) -> list[tuple[np.ndarray, np.ndarray]]:
    """Four batches of 28x28 noise with a brighter band of rows where the label says so, and int64 labels."""
    out = []
    for n in range(NUM_BATCHES):
        labels = np.floor(uniform(2000 + n, size).astype(np.float64) * 10).astype(np.int64)
        noise = uniform(3000 + n, size * 784).astype(np.float64).reshape(size, 1, 28, 28)
        band = (np.arange(28) * 10 // 28)[None, :] == labels[:, None]
        images = (noise - 0.5 + np.where(band, 0.5, 0.0)[:, None, :, None]).astype(np.float32)
        out.append((images.reshape(size, -1) if name == "mlp" else images, labels))
    return out


def forward(name: str, functional: Any, p: dict[str, Any], x: Any) -> Any:
    """Logits; ``functional`` is ``torch.nn.functional`` or ``tabgrad.nn.functional``."""
    if name == "cnn":
        for layer in ("c1", "c2"):
            x = functional.conv2d(x, p[layer + "w"], p[layer + "b"], padding=1)
            x = functional.max_pool2d(functional.relu(x), 2)
        x = x.reshape(x.shape[0], -1)
    layers = ["f1", "f2", "f3"] if name == "mlp" else ["f1", "f2"]
    for layer in layers[:-1]:
        x = functional.relu(x @ p[layer + "w"] + p[layer + "b"])
    return x @ p[layers[-1] + "w"] + p[layers[-1] + "b"]


def training_step(name: str, size: int = BATCH) -> tuple[Callable[[Any, Any], Any], list[tuple[Any, Any]]]:
    """A tabgrad step (forward, loss, backward, Adam's update) and its batches as tensors on the host."""
    import tabgrad as tg

    functional = tg.nn.functional
    p = {key: tg.tensor(value, requires_grad=True) for key, value in parameters(name).items()}
    optimizer = tg.optim.Adam(p.values(), lr=1e-3)

    def step(x: Any, y: Any) -> Any:
        optimizer.zero_grad()
        loss = functional.cross_entropy(forward(name, functional, p, x), y)
        loss.backward()
        optimizer.step()
        return loss

    return step, [(tg.tensor(x), tg.tensor(y)) for x, y in batches(name, size)]
