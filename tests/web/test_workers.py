"""Batches that Web Workers prepare are the same, in the same order, as those that the training prepares."""

from __future__ import annotations

from web.visitor import Visitor

SAME = """
import random, time
import numpy as np
import tabgrad as tg
from tabgrad.utils.data import DataLoader, Dataset

class Pictures(Dataset):
    def __len__(self):
        return 22
    def __getitem__(self, i):
        return np.full((3, 2), i, np.float32) + np.float32(random.random()), i, tg.rand(2)

def epochs(workers):
    tg.manual_seed(3)
    loader = DataLoader(Pictures(), batch_size=4, shuffle=True, num_workers=workers)
    return [[[t.tolist() for t in batch] for batch in loader] for _ in range(2)]

alone = epochs(0)
for workers in (1, 2):
    start = time.perf_counter()
    print(workers, epochs(workers) == alone, round(time.perf_counter() - start, 2))
"""


def test_batches_are_the_same(visitor: Visitor) -> None:
    assert visitor.run(SAME)["ok"]
    print(visitor.page.locator(".output pre").inner_text())
    assert [line.split()[1] for line in visitor.page.locator(".output pre").inner_text().splitlines()] == ["True"] * 2
