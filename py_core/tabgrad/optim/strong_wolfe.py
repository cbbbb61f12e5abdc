"""A line search: a step along a direction that satisfies the strong Wolfe conditions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

DECREASE, CURVATURE = 1e-4, 0.9
SHORTEST = 1e-9  # of a bracket, in units of the parameters


class Point(NamedTuple):
    """What is known of one step length."""

    t: float
    loss: float
    grad: np.ndarray
    slope: float  # along the direction


def line_search(
    evaluate: Callable[[float], Point], start: Point, t: float, direction: np.ndarray, most: int
) -> tuple[Point, int]:
    """The point that was chosen, and how many were evaluated.

    The first phase enlarges the step until a bracket holds a suitable one; the second shrinks the bracket.

    Args:
        evaluate: loss and gradient at a step length.
        start: step length 0.
        t: the first step length.
        most: iterations.

    Source: Nocedal & Wright 2006, Numerical Optimization, algorithms 3.5 and 3.6
    """
    before, new, evaluated = start, evaluate(t), 1
    bracket: list[Point] = []
    for count in range(most):
        if _is_too_high(new, start) or (count > 1 and new.loss >= before.loss):
            bracket = [before, new]
            break
        if _is_flat(new, start):
            return new, evaluated
        if new.slope >= 0:
            bracket = [before, new]
            break
        t = _minimum(before, new, new.t + 0.01 * (new.t - before.t), new.t * 10)
        before, new = new, evaluate(t)
        evaluated += 1
    if not bracket:
        bracket = [start, new]
    shrunk, more = _shrink(evaluate, bracket, start, float(np.abs(direction).max()), most - (evaluated - 1))
    return shrunk, evaluated + more


def _shrink(
    evaluate: Callable[[float], Point], bracket: list[Point], start: Point, size: float, most: int
) -> tuple[Point, int]:
    low, high = sorted(bracket, key=lambda point: point.loss)
    evaluated, is_slow = 0, False
    while evaluated < most and abs(high.t - low.t) * size >= SHORTEST:
        first, last = sorted((low.t, high.t))
        ends = (low, high) if low.t <= high.t else (high, low)
        t, margin = _minimum(*ends, first, last), 0.1 * (last - first)
        if min(last - t, t - first) < margin:
            if is_slow or t >= last or t <= first:
                t, is_slow = (last - margin if abs(t - last) < abs(t - first) else first + margin), False
            else:
                is_slow = True
        else:
            is_slow = False
        new = evaluate(t)
        evaluated += 1
        if _is_too_high(new, start) or new.loss >= low.loss:
            high = new
            if high.loss < low.loss:
                low, high = high, low
            continue
        if _is_flat(new, start):
            return new, evaluated
        if new.slope * (high.t - low.t) >= 0:
            high = low
        low = new
    return low, evaluated


def _is_too_high(new: Point, start: Point) -> bool:
    return new.loss > start.loss + DECREASE * new.t * start.slope


def _is_flat(new: Point, start: Point) -> bool:
    return abs(new.slope) <= -CURVATURE * start.slope


def _minimum(a: Point, b: Point, least: float, most: float) -> float:
    """Of the cubic through two points with their slopes, within limits."""
    if a.t == b.t:
        return (least + most) / 2
    middle = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    square = middle * middle - a.slope * b.slope
    if not square >= 0:
        return (least + most) / 2
    root = math.sqrt(square)
    first, last = (a, b) if a.t <= b.t else (b, a)
    width = last.slope - first.slope + 2 * root
    if width == 0:
        return (least + most) / 2
    t = last.t - (last.t - first.t) * ((last.slope + root - middle) / width)
    return min(max(t, least), most)


__all__ = ["Point", "line_search"]
