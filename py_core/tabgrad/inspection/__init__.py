"""Explanations of compiled steps before they run: kernels, memory, and estimated time."""

from tabgrad.inspection.describe import variant_of
from tabgrad.inspection.explain import explain
from tabgrad.inspection.explanation import BufferView, Explanation, KernelView, Operand, ScalarView
from tabgrad.inspection.peaks import PEAKS, Peaks

__all__ = [
    "PEAKS",
    "BufferView",
    "Explanation",
    "KernelView",
    "Operand",
    "Peaks",
    "ScalarView",
    "explain",
    "variant_of",
]
