"""Float32 convolutions, plain and transposed: forward, gradient of the input, gradient of the weight.

Operations are 2 for each product of an entry with a weight, those with padding included. See ``accumulated.py`` for
what a step does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import tabgrad as tg
from bench import accumulated, sampled_conv
from bench.kernels_bench import Case, Prepared, error
from tabgrad.nn import functional as F

PASSES = ("forward", "input gradient", "weight gradient")
SAMPLES = 32


@dataclass(frozen=True, kw_only=True)
class Conv:
    """A layer: images ``[batch, inputs, side, side]``, a square kernel."""

    batch: int
    inputs: int
    outputs: int
    side: int
    kernel: int
    stride: int
    padding: int
    transposed: bool = False

    @property
    def images(self) -> tuple[int, ...]:
        """What goes in."""
        return (self.batch, self.inputs, self.side, self.side)

    @property
    def results(self) -> tuple[int, ...]:
        """What comes out."""
        if self.transposed:
            side = (self.side - 1) * self.stride - 2 * self.padding + self.kernel
        else:
            side = (self.side + 2 * self.padding - self.kernel) // self.stride + 1
        return (self.batch, self.outputs, side, side)

    @property
    def weight(self) -> tuple[int, ...]:
        """As PyTorch lays it out."""
        channels = (self.inputs, self.outputs) if self.transposed else (self.outputs, self.inputs)
        return (*channels, self.kernel, self.kernel)

    @property
    def flops(self) -> int:
        """Of each of the three passes."""
        side = self.side if self.transposed else self.results[2]
        return 2 * self.batch * side**2 * self.inputs * self.outputs * self.kernel**2

    def __str__(self) -> str:
        kind = "convT" if self.transposed else "conv"
        stride = f" s{self.stride}" if self.stride > 1 else ""
        shape = "×".join(map(str, self.images))
        return f"{kind} {shape}→{self.outputs} {self.kernel}×{self.kernel}{stride}"

    def __call__(self, x: tg.Tensor, weight: tg.Tensor) -> tg.Tensor:
        apply = F.conv_transpose2d if self.transposed else F.conv2d
        return apply(x, weight, stride=self.stride, padding=self.padding)


LAYERS = {
    "full": (
        Conv(batch=32, inputs=64, outputs=64, side=56, kernel=3, stride=1, padding=1),
        Conv(batch=32, inputs=256, outputs=256, side=14, kernel=3, stride=1, padding=1),
        Conv(batch=16, inputs=1024, outputs=512, side=16, kernel=4, stride=2, padding=1, transposed=True),
    ),
    "small": (
        Conv(batch=2, inputs=5, outputs=6, side=9, kernel=3, stride=1, padding=1),
        Conv(batch=2, inputs=6, outputs=5, side=5, kernel=4, stride=2, padding=1, transposed=True),
    ),
}


def cases(scale: str) -> Iterator[Case]:
    """Every layer and pass."""
    for layer in LAYERS[scale]:
        count = 4 if layer.flops < 2e10 and scale == "full" else 2
        for part in PASSES:
            yield Case(
                name=f"{layer} {part}",
                unit="TFLOP/s",
                work=layer.flops,
                repetitions=count**2,
                prepare=lambda layer=layer, part=part, count=count: _prepare(layer, part, count),
            )


def _prepare(layer: Conv, part: str, count: int) -> Prepared:
    def product(a: tg.Tensor, b: tg.Tensor) -> tg.Tensor:
        if part == "forward":
            return layer(a, b)
        if part == "input gradient":
            x = tg.zeros(*layer.images, requires_grad=True)
            found = tg.grad(layer(x, b), [x], [a])[0]
        else:
            weight = tg.zeros(*layer.weight, requires_grad=True)
            found = tg.grad(layer(b, weight), [weight], [a])[0]
        assert found is not None
        return found

    shapes = {
        "forward": (layer.images, layer.weight),
        "input gradient": (layer.results, layer.weight),
        "weight gradient": (layer.results, layer.images),
    }
    left, right = (accumulated.operands(count, *shape) for shape in shapes[part])

    async def check(result: tg.Tensor, _: int) -> float:
        places = accumulated.places(SAMPLES, result.shape)
        found = await accumulated.entries(result, places)
        a, b = await accumulated.total(left), await accumulated.total(right)
        return error(found, _expected(layer, part, a, b, places), accumulated.RTOL)

    return Prepared(step=accumulated.accumulate(product, left, right), error=check)


def _expected(layer: Conv, part: str, a: np.ndarray, b: np.ndarray, at: sampled_conv.At) -> np.ndarray:
    how = (at, layer.stride, layer.padding)
    if part == "weight gradient":  # transposed: images and results change places
        return sampled_conv.weight_gradient(*((b, a) if layer.transposed else (a, b)), *how)
    if (part == "forward") is not layer.transposed:
        return sampled_conv.output(a, b, *how)
    return sampled_conv.input_gradient(a, b, *how)
