"""Programs of views and in-place writes that gradients flow through; each eager, and inside a compiled step.

Inputs are leaves of shapes ``x [3, 4]``, ``w [3, 4]`` and ``v [4]``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from device.op_cases.case import OpCase, case, cotangent, f

Program = Callable[..., Any]


def _set(t: Any, index: Any, value: Any) -> Any:
    t[index] = value
    return t


def _augmented(t: Any, index: Any, value: Any) -> Any:
    t[index] += value
    return t


def _alias(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = name = x * w
    h += 1
    h *= w
    return name, h.sum(0)


def _row_and_whole(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    row = h[1]
    h += v
    row.mul_(w[0])
    return h, row


def _whole_and_row(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    row = h[1]
    row.mul_(v)
    h.mul_(w)
    return row * 2, h


def _built(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    out = T.zeros(4, 3)
    for n in range(3):
        out[n] = x[n, :3] * w[n, 1:]
    out[3].add_(v[:3])
    return out


def _recurrent(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    states = T.zeros(4, 4)
    h = v
    for n in range(3):
        h = (h * w[n] + x[n]).tanh()
        states[n + 1] = h
    return states, states[1:].sum(1)


def _columns(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * 1
    h[:, 1:3] += w[:, 1:3] + h[:, :2]
    h[:, -1] = v[:3]
    return h


def _chain_of_views(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = (x + w).reshape(2, 6)
    part = h[1].view(3, 2).t()[0]
    part.mul_(v[:3])
    return h, part


def _view_of_view_sees_it(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    part = h[1:]
    inner = part[:, ::2]
    part.add_(v)
    inner.mul_(2)
    return inner, part, h


def _flat(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    h.view(-1)[::5] += v[:3]
    return h.exp()


def _turned(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = (x * w).t()
    h[1].copy_(w[:, 2])
    h[2].zero_()
    return h, h.sum(1) * v


def _detached_start(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    d = h.detach()
    d[0].mul_(w[1])
    return d, h.sum(0)


def _written_by_detached(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x + w
    h.detach().view(-1).mul_(2)
    return h + v


def _quiet(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x + w
    with T.no_grad():
        h[0] = 3
        h.mul_(2)
    return h + v


def _quiet_between(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x + w
    row = h[2]
    with T.no_grad():
        h.mul_(2)
    row.add_(v)
    return h, row


def _saved_result(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    e = h.exp_()
    return e + v, h


def _overwritten(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    h.copy_(v)
    h[0] = w[0]
    return h * x


def _swapped(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    first = h[0].clone()
    h[0] = h[1]
    h[1] = first
    return h


def _normalised(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    h -= h.mean(1, keepdim=True)
    h /= w.abs().mean(1, keepdim=True) + 0.1
    h *= v
    h += x
    return h


def _residual(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = F.linear(x, w)
    h += F.relu(F.linear(x, w), inplace=True)
    return h


def _layers(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = F.leaky_relu(F.linear(x, w), 0.1, inplace=True)
    h = F.elu(h + x[:, :3], inplace=True)
    return F.silu(h * 2, inplace=True)


def _old_reader(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    before = h + v
    total = h.sum()
    h.mul_(3)
    return before, total, h


def _accumulated(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    total = T.zeros(4)
    for n in range(3):
        total += x[n] * w[n]
    return total * v


def _triangle(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = T.zeros(4, 4)
    for n in range(3):
        h[n, n + 1 :] = x[n, n + 1 :]
    h += h.t() * 0.5
    h *= v
    return h


def _embedded_pad(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    image = T.zeros(5, 6)
    image[1:4, 1:5] = x
    image[::4] = v[1]
    return image


def _image(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    image = (x[:, None, :, None] * w[:, None, None, :]).reshape(1, 3, 4, 4)
    image[:, 1, 2:, ::2].mul_(0)
    image[:, 0] += v
    return F.avg_pool2d(image, 2)


def _masked_rows(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    h[T.tensor([True, False, True])] = v[0]
    return h


def _largest(x: Any, count: int) -> Any:
    """Where the largest elements are: how many is known, where only on the device."""
    return x >= x.detach().reshape(-1).sort().values[-count]


def _masked_values(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    before = h.sum(0)
    h[_largest(x, 4)] = v * 2
    part = h[1:, ::2]
    part[_largest(w[1:, 1:3], 3)] = w[0, :3]
    return h, part, before


def _masked_lines(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    h[T.tensor([True, False, True])] = w[1:] + v
    h[:, _largest(v, 2)] = x[:, 1:3]
    h[2, _largest(w[0], 3)] = v[:3]
    cube = (x * w).reshape(3, 2, 2)
    cube[:, _largest(w[0].reshape(2, 2), 3)] = w[:, :3]
    return h, cube


def _stacked(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    parts = T.stack([x[0] * w[0]])
    parts.add_(v)
    joined = T.cat([parts])
    joined.mul_(2)
    return parts, joined


def _two_views(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    a, b = h[:2], h[1:]
    a.add_(v)
    b.mul_(w[1:])
    a.mul_(w[:2])
    return a, b, h


def _items(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    for n in range(3):
        h[n, n] = v[n]
        h[-1, n] += 1
    return h


def _read_between(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
    h = x * w
    first = h.sum()
    h[0].mul_(2)
    second = h.sum()
    h.view(-1)[3:7].add_(v)
    return first, second, h.sum()


# ``p(T, F, h, w, v)`` changes ``h``, which is ``x * w``, and may return further results.
CHANGES: dict[str, Program] = {
    "add": lambda T, F, h, w, v: h.add_(v),
    "add scaled": lambda T, F, h, w, v: h.add_(w, alpha=0.5),
    "subtract": lambda T, F, h, w, v: h.sub_(w),
    "multiply": lambda T, F, h, w, v: h.mul_(w),
    "divide": lambda T, F, h, w, v: h.div_(w * w + 0.5),
    "power": lambda T, F, h, w, v: h.pow_(2),
    "clamp": lambda T, F, h, w, v: h.clamp_(-0.3, 0.4),
    "exp": lambda T, F, h, w, v: h.exp_(),
    "tanh": lambda T, F, h, w, v: h.tanh_(),
    "sigmoid": lambda T, F, h, w, v: h.sigmoid_(),
    "sine": lambda T, F, h, w, v: h.sin_(),
    "square": lambda T, F, h, w, v: h.square_(),
    "negate": lambda T, F, h, w, v: h.neg_(),
    "absolute": lambda T, F, h, w, v: h.abs_(),
    "masked fill": lambda T, F, h, w, v: h.masked_fill_(w > 0, 0.5),
    "lower triangle": lambda T, F, h, w, v: h.tril_(),
    "zero": lambda T, F, h, w, v: h.zero_(),
    "fill": lambda T, F, h, w, v: h.fill_(2) * w,
    "copy": lambda T, F, h, w, v: h.copy_(w),
    "row": lambda T, F, h, w, v: _set(h, 1, v),
    "row of itself": lambda T, F, h, w, v: _set(h, 0, h[2]),
    "element": lambda T, F, h, w, v: _set(h, (2, 1), v[0] * 2),
    "column": lambda T, F, h, w, v: _augmented(h, (slice(None), 2), v[:3]),
    "every other column": lambda T, F, h, w, v: _set(h, (slice(None), slice(None, None, 2)), w[:, :2]),
    "ellipsis": lambda T, F, h, w, v: _set(h, (..., 0), 1.5),
    "mask": lambda T, F, h, w, v: _set(h, w > 0, v[2]),
    "masked scatter": lambda T, F, h, w, v: h.masked_scatter_(w > 0, w.t()),
    "rows by index": lambda T, F, h, w, v: _set(h, T.tensor([2, 0]), w[:2]),
    "elements by two indices": lambda T, F, h, w, v: _set(h, (T.tensor([2, 0]), T.tensor([1, 3])), v[:2]),
    "twice": lambda T, F, h, w, v: h.mul_(v).add_(w),
}

PROGRAMS: dict[str, Program] = {
    "alias": _alias, "row and whole": _row_and_whole, "whole and row": _whole_and_row, "built": _built,
    "recurrent": _recurrent, "columns": _columns, "chain of views": _chain_of_views,
    "view of a view": _view_of_view_sees_it, "flat": _flat, "turned": _turned, "detached start": _detached_start,
    "written by detached": _written_by_detached, "quiet": _quiet, "quiet between": _quiet_between,
    "saved result": _saved_result, "overwritten": _overwritten, "swapped": _swapped, "normalised": _normalised,
    "residual": _residual, "layers": _layers, "old reader": _old_reader, "accumulated": _accumulated,
    "triangle": _triangle, "pad": _embedded_pad, "image": _image, "masked rows": _masked_rows,
    "masked values": _masked_values, "masked lines": _masked_lines, "stacked": _stacked,
    "two views": _two_views, "items": _items, "read between": _read_between,
}  # fmt: skip


def _changing(change: Program) -> Program:
    def program(T: Any, F: Any, x: Any, w: Any, v: Any) -> Any:
        h = x * w
        return change(T, F, h, w, v), h * 0.5

    return program


def _differentiated(name: str, program: Program, *, compiled: bool) -> Program:
    """The results of a program, and the gradients of its inputs, in one step."""

    def run(T: Any, F: Any, *inputs: Any) -> Any:
        def step(*given: Any) -> Any:
            leaves = [t.clone().requires_grad_() for t in given]
            found = program(T, F, *leaves)
            results = list(found) if isinstance(found, tuple) else [found]
            weighted = [
                (r * T.tensor(cotangent(name, n, tuple(r.shape))).to(r.dtype)).sum() for n, r in enumerate(results)
            ]
            loss = weighted[0]
            for more in weighted[1:]:
                loss = loss + more
            loss.backward()
            gradients = [T.zeros(*t.shape).to(t.dtype) if t.grad is None else t.grad for t in leaves]
            return [r.detach() * 1 for r in results], [g * 1 for g in gradients]

        results, gradients = (T.compile(step) if compiled and hasattr(T, "Session") else step)(*inputs)
        return (*results, *gradients)

    return run


CASES: list[OpCase] = [
    case(
        f"in place {name}{' compiled' if compiled else ' gradient'}",
        _differentiated(name, program, compiled=compiled),
        f(3, 4), f(3, 4), f(4), grad=False,
        atol=2**-11 if name == "sine" else 2e-5,  # what WGSL promises of sin
    )
    for name, program in {**PROGRAMS, **{n: _changing(p) for n, p in CHANGES.items()}}.items()
    for compiled in (False, True)
]  # fmt: skip
