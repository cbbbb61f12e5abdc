"""Benchmark of attention, forward and backward: composed of products and softmax, and fused in each tile size.

    node web/node/run.mjs tests/bench/attention.py [small base]
    tabgrad train tests/bench/attention.py --device native

One JSON line per shape and kind: milliseconds per forward and backward pass, causal, on parts of one projection, as a
compiled step; the median of blocks that each end by reading a sum. Operations are those of the fused kernels, halved by
causality; "first_ms" includes compiling. Tile sizes are those that fit the adapter's workgroup memory.
"""

import json
import statistics
import sys
import time

import numpy as np

import tabgrad as tg
from tabgrad.compiler.families import attention_tiles
from tabgrad.nn import functional as F
from tabgrad.ops import attention_composed
from tabgrad.runtime import ProgramCache
from tabgrad.session import current

SHAPES = {"tiny": (2, 2, 64, 32), "small": (16, 4, 64, 32), "base": (64, 6, 256, 64)}  # batch, heads, length, width
BLOCKS = 5


def make(shape: tuple[int, int, int, int], composed: bool):
    batch, heads, length, width = shape
    rng = np.random.default_rng(0)
    x = tg.tensor(rng.standard_normal((batch, length, 3 * heads * width)).astype(np.float32), requires_grad=True)
    weight = tg.tensor(rng.standard_normal((batch, heads, length, width)).astype(np.float32)).realize()
    attrs = {"scale": width**-0.5, "causal": True, "mask": False, "dropout": 0.0}

    def flat(t: tg.Tensor) -> tg.Tensor:
        return t.reshape(batch * heads, length, width)

    @tg.compile
    def step(weight: tg.Tensor) -> tg.Tensor:
        x.grad = None
        parts = (t.reshape(batch, length, heads, width).transpose(1, 2) for t in x.split(heads * width, 2))
        q, k, v = parts  # (batch, heads, length, width)
        if composed:
            y = attention_composed.attention(flat(q), flat(k), flat(v), (), attrs).reshape(weight.shape)
        else:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        (y * weight).sum().backward()
        return x.grad.sum()

    return step, weight


async def bench(name: str, kind: str, composed: bool) -> None:
    batch, heads, length, width = SHAPES[name]
    step, weight = make(SHAPES[name], composed)
    start = time.perf_counter()
    total = float(await step(weight).read())
    first_ms = (time.perf_counter() - start) * 1000
    start = time.perf_counter()
    await step(weight).read()
    steps = max(2, min(200, int(0.5 / (time.perf_counter() - start))))
    times = []
    for _ in range(BLOCKS):
        start = time.perf_counter()
        for _ in range(steps):
            out = step(weight)
        await out.read()
        times.append((time.perf_counter() - start) * 1000 / steps)
    ms = statistics.median(times)
    flops = 9 * batch * heads * length * (length + 1) * width  # 2 + 3 + 4 products of half the pairs each
    device = tg.current_session().device
    line = {
        "shape": name, "kind": kind, "adapter": device.info.name, "ms": round(ms, 4),
        "spread_ms": [round(min(times), 4), round(max(times), 4)], "gflops": round(flops / ms / 1e6, 1),
        "first_ms": round(first_ms, 1), "sum": round(total, 3),
    }  # fmt: skip
    print(json.dumps(line), flush=True)


all_choices = attention_tiles.CHOICES
for shape in [n for n in SHAPES if n in (sys.argv[1:] or ("small", "base"))]:
    await bench(shape, "composed", composed=True)
    await bench(shape, "as chosen", composed=False)
    if current().own(ProgramCache).target(tg.current_session().device).software:
        continue  # kernels without tiles
    for choice in all_choices:
        attention_tiles.CHOICES = (choice,)
        current().own(ProgramCache).clear()  # compiled with another choice
        try:
            await bench(shape, str(choice), composed=False)
        except tg.DeviceError as error:
            print(json.dumps({"shape": shape, "kind": str(choice), "error": str(error)}), flush=True)
    attention_tiles.CHOICES = all_choices
    current().own(ProgramCache).clear()
