"""Benchmark of work that memory bounds: elementwise chains, reductions, norms, softmax, losses; one JSON line each.

    node web/node/run.mjs tests/bench/memory.py [layer_norm softmax ...]
    tabgrad train tests/bench/memory.py --device native

Each expression's program is made once with its dispatches repeated, so that the launch from the host does not count.
Bytes are those of the buffers that each dispatch binds: every operand read once, every result written once. Work on
a processor is measured on smaller tensors.
"""

import dataclasses
import json
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np

import tabgrad as tg
from tabgrad.compiler.compile import compile_graph
from tabgrad.compiler.target import target_of
from tabgrad.graph.linearize import linearize
from tabgrad.nn import functional as F
from tabgrad.scalars import pack_scalars

BLOCKS = 5
DEVICE = tg.current_session().device
BIG = DEVICE.info.kind == "gpu"
Make = Callable[[], tuple[tg.Tensor, ...]]


def leaf(*shape: int) -> tg.Tensor:
    """Numbers that are not all equal, made on the device."""
    grown = tg.arange(int(np.prod(shape))).float() * 1e-7
    return (tg.sin(grown * 1e4) + 0.5).reshape(*shape).realize()


def gradients(fn: Callable[..., tg.Tensor], *inputs: tg.Tensor) -> tuple[tg.Tensor, ...]:
    """Gradients alone: what the forward pass stored is recomputed, as no program ran before."""
    leaves = [x.detach().requires_grad_() for x in inputs]
    out = fn(*leaves)
    return tg.grad([out], leaves, [leaf(*out.shape)])


ROWS, WIDE = (16384, 4096) if BIG else (256, 512)
NARROW = 384
IMAGES = (128, 64, 32, 32) if BIG else (4, 8, 16, 16)
CLASSES = (16384, 4096) if BIG else (256, 128)


def cases() -> dict[str, Make]:
    x, y = leaf(ROWS, WIDE), leaf(ROWS, WIDE)
    w, b = leaf(WIDE), leaf(WIDE)
    n, nw, nb = leaf(ROWS * 4, NARROW), leaf(NARROW), leaf(NARROW)
    image, scale, shift = leaf(*IMAGES), leaf(IMAGES[1]), leaf(IMAGES[1])
    mean, spread = leaf(IMAGES[1]), leaf(IMAGES[1])
    logits, labels = leaf(*CLASSES), (tg.arange(CLASSES[0]) % CLASSES[1]).realize()
    return {
        "copy": lambda: (x * 2.0,),
        "add": lambda: (x + y,),
        "gelu_bias_residual": lambda: (F.gelu(x + b, approximate="tanh") + y,),
        "sum": lambda: (x.sum(),),
        "sum_rows": lambda: (x.sum(1),),
        "sum_columns": lambda: (x.sum(0),),
        "var_all": lambda: (x.var(),),
        "softmax": lambda: (F.softmax(x, dim=1),),
        "softmax_columns": lambda: (F.softmax(x, dim=0),),
        "softmax_gradient": lambda: gradients(lambda t: F.softmax(t, dim=1), x),
        "layer_norm": lambda: (F.layer_norm(x, (WIDE,), w, b),),
        "layer_norm_384": lambda: (F.layer_norm(n, (NARROW,), nw, nb),),
        "layer_norm_gradients_384": lambda: gradients(lambda *a: F.layer_norm(a[0], (NARROW,), *a[1:]), n, nw, nb),
        "rms_norm": lambda: (F.rms_norm(x, (WIDE,), w),),
        "batch_norm_relu": lambda: (
            F.relu(F.batch_norm(image, mean.detach(), spread.detach(), scale, shift, training=True)),
        ),
        "batch_norm_gradients": lambda: gradients(
            lambda *a: F.batch_norm(a[0], None, None, *a[1:], training=True), image, scale, shift
        ),
        "cross_entropy_and_gradient": lambda: gradients(lambda t: F.cross_entropy(t, labels), logits),
    }


async def bench(name: str, make: Make) -> dict:
    outputs = make()
    linear = linearize([t._node for t in outputs])
    compiled = compile_graph(linear, target_of(DEVICE.info, DEVICE.limits))
    once = compiled.program
    moved = sum(d.bytes_moved for d in once.dispatches)
    repeats = max(1, min(200, int((4e10 if BIG else 4e7) / max(moved, 1))))
    program = dataclasses.replace(once, dispatches=once.dispatches * repeats)
    start = time.perf_counter()
    executable = await DEVICE.load_async(program)
    load_ms = (time.perf_counter() - start) * 1000
    results = [DEVICE.allocate(n) for n in compiled.output_bytes]
    bound = DEVICE.bind(executable, [*(s.on(DEVICE) for s in linear.storages), *results])
    scalars = pack_scalars([(n.value, n.dtype) for n in linear.scalars])

    async def run() -> float:
        start = time.perf_counter()
        DEVICE.run(bound, scalars)
        await DEVICE.fence()
        return (time.perf_counter() - start) / repeats

    await run()
    times = [await run() for _ in range(BLOCKS)]
    for buffer in results:
        DEVICE.free(buffer)
    return {
        "case": name,
        "us": round(statistics.median(times) * 1e6, 2),
        "spread_us": [round(min(times) * 1e6, 2), round(max(times) * 1e6, 2)],
        "gb_per_s": round(moved / statistics.median(times) / 1e9, 1),
        "mb": round(moved / 1e6, 2),
        "dispatches": [f"{d.label} {d.bytes_moved / 1e6:.1f} MB" for d in once.dispatches],
        "load_ms": round(load_ms, 1),
    }


print(json.dumps({"device": DEVICE.name, "adapter": DEVICE.info.name, "kind": DEVICE.info.kind}), flush=True)
for name, make in cases().items():
    if len(sys.argv) < 2 or name in sys.argv[1:]:
        print(json.dumps(await bench(name, make)), flush=True)
