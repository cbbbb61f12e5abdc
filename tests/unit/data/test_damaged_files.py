"""Randomly damaged files, new each day; ``python tests/fuzz/files.py --count 10000`` tests more."""

import random

import numpy as np
import pytest

from fuzz import files, mutations
from fuzz.corpus import CORPUS, IMAGES


def test_damaged_files_are_refused_as_a_strict_reader_does():
    seen, wrong, _, _ = files.fuzz(1500)
    assert wrong == []
    assert all(seen[kind, what] > 20 for kind in files.READERS for what in ("accepted", "refused")), seen


@pytest.mark.parametrize("kind", files.READERS)
def test_sound_files_are_read_however_they_are_written(kind):
    rewritten = getattr(mutations, f"rewritten_{kind}")
    for data in CORPUS[kind]:
        for seed in range(8):
            written = rewritten(random.Random(seed), data)
            what, _, _ = files.check(kind, written)
            assert what == "accepted"


def test_the_fuzzer_notices_what_is_wrong(monkeypatch):
    data = CORPUS["idx"][0]
    monkeypatch.setitem(files.READERS, "idx", lambda _: {"": IMAGES + 1})
    with pytest.raises(AssertionError, match="not equal"):
        files.check("idx", data)
    monkeypatch.setitem(files.READERS, "idx", lambda _: {"": np.zeros(4_000_000)[:0]})
    with pytest.raises(AssertionError, match="bytes taken"):
        files.check("idx", data)
    monkeypatch.setitem(files.READERS, "idx", lambda _: {"": IMAGES})
    with pytest.raises(AssertionError, match="a strict reader refuses what is accepted"):
        files.check("idx", data + b"x")
