"""The parts of the tuner: settings, the store of winners, plausible operands, the comparison of outputs, turns."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import stat
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tabgrad as tg
from sessions import session_on
from tabgrad.compiler.compile import compile_graph
from tabgrad.compiler.target import Target
from tabgrad.compiler.variant import Measured, variant
from tabgrad.compiler.work import Work
from tabgrad.devices.base import AdapterInfo, Limits
from tabgrad.devices.reference import ReferenceDevice
from tabgrad.errors import FileFormatError, TabgradError
from tabgrad.graph.linearize import linearize
from tabgrad.ops import step_scalar
from tabgrad.session import Session
from tabgrad.tuner import TunerRegistry, manage, settings, winners
from tabgrad.tuner.comparison import difference, terms, tolerance
from tabgrad.tuner.measure import WINDOW, _windows
from tabgrad.tuner.operands import CHUNK, Data, Operand, operands, scalars
from tabgrad.tuner.store import FileStore, MemoryStore, cache_file
from tabgrad.tuner.turns import Turns
from tabgrad.tuner.winners import Winner

INFO = AdapterInfo(name="GPU", vendor="v", backend="b", kind="gpu")


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    """A setting and a store of the test's own."""
    with session_on("reference") as session:
        yield session


def works(*tensors: tg.Tensor) -> tuple[Work, ...]:
    target = Target(limits=Limits(), software=False, renders=True)
    return compile_graph(linearize([t._node for t in tensors]), target).works


# Settings


def test_setting_comes_from_the_environment_until_a_script_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABGRAD_TUNING", "before:12.5")
    with Session("reference"):
        assert tg.tuning() == settings.Tuning(mode="before", budget_s=12.5)
        assert tg.tuning(budget_s=3) == settings.Tuning(mode="before", budget_s=3)
        assert tg.tuning("off").mode == "off"
    monkeypatch.delenv("TABGRAD_TUNING")
    with Session("reference"):
        assert tg.tuning() == settings.Tuning(mode="background", budget_s=settings.DEFAULT_BUDGET_S)


@pytest.mark.parametrize("text", ["on", "background:soon", "before:-1", "off:nan", ":3"])
def test_unknown_settings_are_refused(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABGRAD_TUNING", text)
    with Session("reference"), pytest.raises(TabgradError, match="TABGRAD_TUNING: expected off, background or before"):
        tg.tuning()
    monkeypatch.delenv("TABGRAD_TUNING")
    with pytest.raises(TabgradError, match="expected one of off, background, before, got 'always'"):
        tg.tuning("always", budget_s=1)


def test_budget_counts_from_the_newest_setting() -> None:
    held = settings.Settings()
    held.choose("background", 1)
    held.spend(2)
    assert held.is_spent
    held.choose(None, 1)
    assert not held.is_spent


# Winners and their store


def document(info: AdapterInfo = INFO, **found: Winner) -> winners.Document:
    entry = winners.entry_of(info, found)
    return {**winners.empty(), "adapters": {winners.adapter_id(info, Limits()): entry}}


def won(size: int, ms: float = 0.5) -> Winner:
    return winners.winner(Measured(variant("elementwise/map", workgroup=size), "0f"), "add [2]", 1.0, ms)


def test_winner_survives_a_file(tmp_path: Path) -> None:
    store = FileStore(tmp_path / "deep" / "tuning.json")
    assert store.read() == winners.empty()
    store.add(document(k1=won(64)))
    store.add(document(k2=won(128), k1=won(256)))
    (entry,) = store.read()["adapters"].values()
    assert {k: winners.read_winner(w).variant["workgroup"] for k, w in entry["winners"].items()} == {
        "k1": 256,
        "k2": 128,
    }
    assert [p.name for p in store.path.parent.iterdir()] == ["tuning.json"]  # nothing half written is left


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"format": "tabgrad tuning 0", "adapters": {}}',
        json.dumps({"format": winners.FORMAT, "adapters": {"a": {"winners": {"k": {"template": "x"}}}}}),
        "\x00\xff",
    ],
)
def test_damaged_file_warns_and_starts_afresh(text: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "tuning.json"
    path.write_bytes(text.encode("latin-1"))
    store = FileStore(path)
    with caplog.at_level(logging.WARNING):
        assert store.read() == winners.empty()
    assert "measured again" in caplog.text
    store.add(document(k=won(64)))
    caplog.clear()
    assert len(store.read()["adapters"]) == 1
    assert caplog.text == ""


def test_store_that_cannot_be_written_warns(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    FileStore(tmp_path / "file" / "tuning.json").write(winners.empty())
    assert "cannot be kept" in caplog.text


def test_store_writes_through_links_and_keeps_modes(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    target, link = tmp_path / "shared.json", tmp_path / "tuning.json"
    target.touch(mode=0o600)
    link.symlink_to(target)
    FileStore(link).write(document(k=won(64)))
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert len(FileStore(target).read()["adapters"]) == 1
    os.mkfifo(tmp_path / "pipe")
    FileStore(tmp_path / "pipe").write(winners.empty())
    assert "got a FIFO or pipe" in caplog.text


def test_cache_file_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABGRAD_CACHE", "/named")
    assert cache_file() == Path("/named/tuning.json")
    monkeypatch.delenv("TABGRAD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert cache_file() == Path("/xdg/tabgrad/tuning.json")


def test_of_too_many_winners_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(winners, "MOST_WINNERS", 2)
    dates = {"k1": "2026-03-01", "k2": "2026-01-01", "k3": "2026-02-01"}
    both = winners.merged(
        document(**{key: replace(won(64), found=date) for key, date in dates.items()}), document(k4=won(128))
    )
    (entry,) = both["adapters"].values()
    assert set(entry["winners"]) == {"k1", "k4"}


def test_adapter_id_depends_on_the_adapter_and_its_limits() -> None:
    ids = {
        winners.adapter_id(INFO, Limits()),
        winners.adapter_id(INFO, Limits(max_invocations=1024)),
        winners.adapter_id(AdapterInfo(name="GPU 2", vendor="v", backend="b", kind="gpu"), Limits()),
        winners.adapter_id(AdapterInfo(name="GPU", vendor="v", backend="b", kind="gpu", features=("f16",)), Limits()),
    }
    assert len(ids) == 4
    assert winners.adapter_id(INFO, Limits()) in ids


def test_export_import_and_clear() -> None:
    assert manage.import_text(winners.to_text(document(k1=won(64), k2=won(128)))) == 2
    text = manage.export_text()
    assert manage.clear() == 2
    assert list(manage.held()) == []
    assert manage.import_text(text) == 2
    assert [(name, w.variant["workgroup"]) for name, w in manage.held()] == [("GPU", 64), ("GPU", 128)]
    with pytest.raises(FileFormatError, match=r"notes\.txt: expected winners of kernel tuning"):
        manage.import_text("hello", "notes.txt")


def test_shipped_winners_are_read_at_lowest_priority(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = ReferenceDevice()
    device.info = INFO
    device.limits = Limits()
    shipped = tmp_path / "defaults.json"
    shipped.write_text(winners.to_text(document(k1=won(64), k2=won(64))))
    monkeypatch.setattr(winners, "DEFAULTS", shipped)
    held = MemoryStore()
    held.write(document(k1=won(256)))
    tuners = session.own(TunerRegistry)
    tuners.store = held
    tg.tuning("background")
    choose = tuners.of(device).choice
    assert [choose(k) for k in ("k1", "k2", "k3")] == [won(256).measured, won(64).measured, None]


def test_shipped_file_can_be_read() -> None:
    winners.parse(winners.DEFAULTS.read_text(), "defaults.json")


# Operands


def test_operands_are_plausible() -> None:
    x, index = tg.tensor(np.ones((5, 3), np.float32)), tg.tensor(np.zeros(4, np.int32))
    flag = tg.tensor(np.ones(3, bool))
    picked = tg.where(flag, tg.index_select(x, 0, index), tg.zeros(1))
    (work,) = works(picked)
    bound = operands(work)
    assert sorted((o.dtype, o.stored) for o in bound) == [
        ("bool", False), ("float32", False), ("float32", True), ("int32", False),
    ]  # fmt: skip
    data = Data(work)
    for operand in bound:
        ((at, values),) = data.chunks(operand)
        assert at == 0
        assert values.nbytes == operand.size_bytes
        if operand.dtype == "int32":
            assert ((values >= 0) & (values < 5)).all()  # rows of the table
        elif operand.dtype == "bool":
            assert set(values) <= {0, 1}
        else:
            assert (np.abs(values) <= 1).all()
    ((_, positive),) = Data(work, positive=True).chunks(Operand(400, "float32", False, True))
    assert (positive > 0).all()


def test_large_operands_are_filled_in_chunks_to_the_last_element() -> None:
    (work,) = works(tg.tensor(np.ones(3, np.float32)) + 1.0)
    chunks = list(Data(work).chunks(Operand(4 * (2 * CHUNK + 7), "float32", False, True)))
    assert [at for at, _ in chunks] == [0, 4 * CHUNK, 8 * CHUNK]
    assert chunks[-1][1].size == 7


def test_scalars_suit_their_types() -> None:
    value = step_scalar(lambda: 3, dtype=tg.int32)
    rate = step_scalar(lambda: 0.1)
    x = tg.tensor(np.ones(3, np.float32))
    (work,) = works(x * rate + value.float())
    words = scalars(work, 2)
    assert words.size == 4
    assert sorted([int(words[0]), int(words[1])]) == [1, int(np.float32(0.5).view(np.uint32))]


# Comparison


def test_terms_of_heavy_kernels() -> None:
    a, b = tg.tensor(np.ones((4, 33), np.float32)), tg.tensor(np.ones((33, 5), np.float32))
    assert max(terms(w) for w in works(a @ b)) == 33
    assert max(terms(w) for w in works(a.sum())) == 132
    assert max(terms(w) for w in works(a + 1.0)) == 1


def test_reordered_sums_pass_and_lost_terms_do_not() -> None:
    rng = np.random.default_rng(0)
    for count in (64, 4096, 50_000):
        x = rng.uniform(-1, 1, (64, count)).astype(np.float32)
        forward = np.cumsum(x, 1, dtype=np.float32)[:, -1]
        backward = np.cumsum(x[:, ::-1], 1, dtype=np.float32)[:, -1]
        assert difference(forward, backward, "float32", count) is None
        lost = forward - x[:, -1]
        assert "off by" in str(difference(forward, lost, "float32", count))
    assert tolerance(1) < 1e-5


def test_not_finite_values_must_match() -> None:
    a = np.array([1.0, np.nan, np.inf], np.float32)
    assert difference(a, a.copy(), "float32", 1) is None
    for other in ([1.0, np.inf, np.inf], [1.0, np.nan, -np.inf], [np.nan, np.nan, np.inf], [1.0, 2.0, np.inf]):
        assert "NaN or infinities" in str(difference(a, np.array(other, np.float32), "float32", 1))


def test_integers_must_be_equal_and_few_comparisons_of_sums_may_flip() -> None:
    a = np.zeros(100_000, np.int32)
    b = a.copy()
    b[3] = 1
    assert "1 of 100000 int32 elements differ" in str(difference(a, b, "int32", 100))
    flags, flipped = a.astype(np.uint32), b.astype(np.uint32)
    assert difference(flags, flipped, "bool", 100) is None
    assert difference(flags, flipped, "bool", 1) is not None


def test_windows_cover_the_ends_of_large_outputs() -> None:
    assert _windows(1000) == [(0, 1000)]
    ranges = _windows(100 << 20)
    assert ranges[0] == (0, WINDOW)
    assert ranges[-1] == ((100 << 20) - WINDOW, WINDOW)
    assert all(at % 4 == 0 for at, _ in ranges)


# Turns


def test_driven_turns_wait_for_an_offer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabgrad.tuner.turns.OFFER_S", -1.0)  # good for one slice

    async def main() -> None:
        turns = Turns(ReferenceDevice(), settings.Settings())
        turns.drive(True)
        begun: list[int] = []

        async def work() -> None:
            for n in range(2):
                async with turns.turn() as turn:
                    turn.pace_s = 0.0
                    begun.append(n)

        task = asyncio.ensure_future(work())
        for _ in range(10):
            await asyncio.sleep(0)
        assert begun == []
        await turns.offer()
        for _ in range(10):
            await asyncio.sleep(0)
        assert begun == [0]
        turns.hurry(True)  # a paused run: nobody offers, and nobody is in the way
        await asyncio.wait_for(task, 5)
        assert begun == [0, 1]
        turns.hurry(False)

    asyncio.run(main())


@pytest.mark.parametrize("driven", [False, True])
def test_no_slice_begins_while_a_program_is_compiled(driven: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabgrad.tuner.turns.HOLD_S", 0.05)

    async def main() -> None:
        turns = Turns(ReferenceDevice(), settings.Settings())
        turns.drive(driven)
        begun: list[float] = []

        async def work() -> None:
            async with turns.turn():
                begun.append(time.perf_counter())

        async def offers() -> None:
            while not begun:
                await turns.offer()
                await asyncio.sleep(0.001)

        with turns.held():
            task, offering = asyncio.ensure_future(work()), asyncio.ensure_future(offers())
            await asyncio.sleep(0.15)
            assert not begun
            ended = time.perf_counter()
        await asyncio.wait_for(asyncio.gather(task, offering), 5)
        assert begun[0] - ended >= 0.05  # the first step has begun by then

    asyncio.run(main())


def test_a_hurry_ends_the_pause_between_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabgrad.tuner.turns.HOLD_S", 60.0)

    async def main() -> None:
        turns = Turns(ReferenceDevice(), settings.Settings())
        with turns.held():
            pass
        begun = False

        async def work() -> None:
            nonlocal begun
            async with turns.turn():
                begun = True

        task = asyncio.ensure_future(work())
        await asyncio.sleep(0.01)
        assert not begun
        turns.hurry(True)
        await asyncio.wait_for(task, 5)
        assert begun
        turns.hurry(False)

    asyncio.run(main())


def test_quiet_turn_holds_the_scheduler_until_it_ends() -> None:
    async def main() -> None:
        turns = Turns(ReferenceDevice(), settings.Settings())
        turns.drive(True)
        log: list[str] = []

        async def work() -> None:
            async with turns.turn(quiet=True):
                await asyncio.sleep(0.01)
                log.append("measured")

        task = asyncio.ensure_future(work())
        await asyncio.sleep(0)
        await turns.offer()
        log.append("next step")
        await task
        assert log == ["measured", "next step"]

        async def cancelled() -> None:
            async with turns.turn(quiet=True):
                raise AssertionError("not reached")

        turns._next = 0.0
        task = asyncio.ensure_future(cancelled())
        await asyncio.sleep(0)
        offered = asyncio.ensure_future(turns.offer())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait_for(offered, 5)  # whoever offered does not wait for ever

    asyncio.run(main())


def test_turns_take_a_share_of_the_time() -> None:
    async def main() -> None:
        turns = Turns(ReferenceDevice(), settings.Settings())
        turns.drive(True)
        offers = 0

        async def work() -> None:
            for _ in range(3):
                async with turns.turn() as turn:
                    turn.pace_s = 0.002

        task = asyncio.ensure_future(work())
        start = asyncio.get_running_loop().time()
        while not task.done():
            await turns.offer()
            offers += 1
            await asyncio.sleep(0)
        assert asyncio.get_running_loop().time() - start >= 2 * 0.002 * 4  # a fifth of the time at most

    asyncio.run(main())
