"""Transformers of growing vocabularies, and GPT-2's smallest; their heads are not tied to the embedding.

Source: as :mod:`workloads.gpt`.
"""

from __future__ import annotations

from workloads.gpt import gpt
from workloads.workload import Workload


def _two_layers(vocabulary: int, losses: dict[int, float]) -> Workload:
    return gpt(
        f"vocabulary {vocabulary}", layers=2, heads=4, width=128, context=128, batch=8, vocabulary=vocabulary,
        max_dispatches=90, losses=losses,
    )  # fmt: skip


SCALE = (
    _two_layers(2048, {1: 7.64751, 5: 6.96404}),
    _two_layers(16384, {1: 9.74034, 5: 9.22311}),
    _two_layers(50257, {1: 10.84563, 5: 10.38558}),
    gpt(
        "gpt2-124m", layers=12, heads=12, width=768, context=1024, batch=4, vocabulary=50257,
        max_dispatches=400, losses={1: 10.99129, 5: 11.5294},
    ),
)  # fmt: skip
SMALL_SCALE = (
    gpt(
        "vocabulary 9001", layers=1, heads=2, width=16, context=40, batch=4, vocabulary=9001,
        max_dispatches=70, losses={1: 9.11134, 5: 9.02527},
    ),
)  # fmt: skip
