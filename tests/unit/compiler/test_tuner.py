"""The tuner, on a device that takes the time that a script says."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tabgrad as tg
from sessions import session_on
from tabgrad.compiler.codegen import templates
from tabgrad.compiler.families import FAMILIES
from tabgrad.compiler.families.family import Family
from tabgrad.compiler.variant import Variant, variant
from tabgrad.errors import DeviceLostError
from tabgrad.runtime import ProgramCache
from tabgrad.session import Session, current
from tabgrad.tuner import TunerRegistry, current_tuner, manage, measure, winners
from tabgrad.tuner.store import MemoryStore
from unit.compiler.scripted_device import ScriptedDevice

Events = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    """A setting, a store and, in :func:`use`, a device of the test's own."""
    with session_on("reference", tuning="background") as session:
        yield session


@pytest.fixture
def told(session: Session) -> Events:
    events: Events = []

    def listen(event: dict[str, Any]) -> bool:
        events.append(event)
        return True

    session.own(TunerRegistry).listener = listen
    return events


def use(device: ScriptedDevice) -> ScriptedDevice:
    current().select(device)
    return device


def training(size: int = 8, bias_size: int | None = None) -> Callable[[], tg.Tensor]:
    """A compiled step whose kernels are elementwise: the heavy one is of ``size`` squared elements."""
    weight = tg.ones(size, size).realize()
    bias = tg.ones(bias_size or size).realize()

    @tg.compile
    def step() -> tg.Tensor:
        weight.copy_(weight * 0.5 + 1.0)
        bias.copy_(bias * 0.25)
        return tg.zeros(1) + 1.0

    return step


async def run(step: Callable[[], tg.Tensor], steps: int = 200) -> None:
    """Steps with a breath between them, until the tuner has nothing left to do."""
    tuner = current_tuner()
    for _ in range(steps):
        step()
        for _ in range(20):
            await asyncio.sleep(0)
        if tuner.measured and not tuner._has_work():
            break
    await tuner.stop()


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tabgrad.tuner.turns.SHARE", 1.0)
    monkeypatch.setattr("tabgrad.tuner.turns.HOLD_S", 0.0)


def of(events: Events, phase: str) -> Events:
    return [e for e in events if e["phase"] == phase]


def test_fastest_variant_is_swapped_in_and_told_of(told: Events) -> None:
    device = use(ScriptedDevice())
    asyncio.run(run(training()))
    assert "swap 256" in device.log
    found = of(told, "found")
    assert found
    assert all(e["variant"] == "elementwise/map workgroup=256 wide=0" for e in found)
    assert found[0]["before_ms"] == pytest.approx(1.0)
    assert found[0]["ms"] == pytest.approx(0.5)
    assert "2.00x: 1 -> 0.5 ms" in found[0]["text"]
    assert of(told, "done")[0]["left"] == 0
    assert device.open_benches == 0


def test_explanation_shows_what_was_measured_and_what_the_heuristic_would_take() -> None:
    use(ScriptedDevice())
    step = training()
    asyncio.run(run(step))
    found = tg.explain(step)
    assert {(k.measured, k.heuristic) for k in found.kernels} == {
        ("elementwise/map workgroup=256 wide=0", "elementwise/map workgroup=64 wide=0")
    }
    assert all("@workgroup_size(256)" in found.wgsl(k.number) for k in found.kernels)
    assert str(found).count("measured: workgroup=256\n") == len(found.kernels)
    assert str(found).count("heuristic: workgroup=64\n") == len(found.kernels)
    assert f"tuned: {len(found.kernels)} kernels are faster variants than the heuristic's" in str(found)
    other = tg.explain(step, target="software")  # nothing was measured there
    tg.tuning("off")
    for plain in (other, tg.explain(step)):
        assert not any(k.measured or k.heuristic for k in plain.kernels)
        assert all("@workgroup_size(64)" in plain.wgsl(k.number) for k in plain.kernels)
        assert "measured:" not in str(plain) and "tuned:" not in str(plain)


def test_profile_names_the_variants_that_ran() -> None:
    device = use(ScriptedDevice())
    step = training()
    with tg.profile() as prof:
        asyncio.run(run(step))
        step()
    assert "swap 256" in device.log
    kernels = {(a.label, a.variant.split()[1]): a.calls for a in prof.key_averages()}
    for label in {label for label, _ in kernels}:
        assert kernels[label, "workgroup=64"] > 0
        assert kernels[label, "workgroup=256"] > 0
    details = [e["args"] for e in prof.chrome_trace()["traceEvents"] if e.get("cat") == "kernel"]
    assert "workgroup=64" in details[0]["variant"]
    assert "workgroup=256" in details[-1]["variant"]


def test_small_gain_does_not_replace_the_incumbent(told: Events) -> None:
    device = use(ScriptedDevice({64: 1.0, 128: 0.98, 256: 1.2}))
    asyncio.run(run(training()))
    assert not [s for s in device.log if s.startswith("swap")]
    assert of(told, "found") == []
    assert current_tuner().measured > 0


def test_first_step_comes_before_anything_of_the_tuner() -> None:
    device = use(ScriptedDevice())
    step = training()
    asyncio.run(run(step))
    first = next(n for n, s in enumerate(device.log) if s.startswith(("compile", "launch")))
    before = device.log[:first]
    assert before.count("step") >= 2  # only what runs repeatedly is tuned
    assert before[-1] == "fence" or "fence" in before[before.index("step") :]


def test_a_script_without_event_loop_never_tunes() -> None:
    device = use(ScriptedDevice())
    step = training()
    for _ in range(20):
        step()
    assert set(device.log) == {"step"}


def test_second_start_measures_nothing_and_uses_what_was_found() -> None:
    use(ScriptedDevice())
    asyncio.run(run(training()))
    again = use(ScriptedDevice())
    step = training()
    asyncio.run(run(step, 30))
    assert current_tuner().measured == 0
    assert set(again.log) <= {"step", "fence"}
    program = step.record().compiled.program  # type: ignore[attr-defined]
    assert any("@workgroup_size(256)" in source for source in program.shaders)


def test_winners_of_other_adapters_are_not_used() -> None:
    use(ScriptedDevice())
    asyncio.run(run(training()))
    other = ScriptedDevice()
    other.info = other.info.__class__(name="Other", vendor="x", backend="script", kind="gpu")
    use(other)
    asyncio.run(run(training()))
    assert current_tuner().measured > 0


def test_off_measures_nothing_and_uses_nothing() -> None:
    use(ScriptedDevice())
    asyncio.run(run(training()))
    tg.tuning("off")
    device = use(ScriptedDevice())
    step = training()
    asyncio.run(run(step, 30))
    assert set(device.log) == {"step"}
    assert all("@workgroup_size(256)" not in s for s in step.record().compiled.program.shaders)  # type: ignore[attr-defined]


def test_cached_variant_that_is_not_legal_is_ignored() -> None:
    use(ScriptedDevice())
    asyncio.run(run(training()))
    held = json.loads(winners.to_text(current().own(TunerRegistry).store.read()))
    for entry in held["adapters"].values():
        for found in entry["winners"].values():
            found["parameters"] = {"workgroup": 1024, "wide": 0}
    changed = MemoryStore()
    changed.write(held)
    current().own(TunerRegistry).store = changed
    device = use(ScriptedDevice())
    step = training()
    asyncio.run(run(step))
    assert all("1024" not in source for source in step.record().compiled.program.shaders)  # type: ignore[attr-defined]
    assert "launch 64 x1" in device.log  # and measured again


def rewritten(folder: Path, monkeypatch: pytest.MonkeyPatch, **added: str) -> None:
    """From now on, these families' templates end with these texts."""
    kernels = folder / "wgsl_kernels"
    shutil.copytree(templates.kernel_folder(), kernels)
    for family, text in added.items():
        for path in (kernels / family).glob("*.wgsl.j2"):
            path.write_text(path.read_text() + text)
    environment = templates._environment(kernels, None)
    monkeypatch.setattr(templates, "_loaded", lambda: environment)


def test_winners_of_kernels_that_are_written_otherwise_are_measured_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(ScriptedDevice())
    asyncio.run(run(training()))
    count = current_tuner().measured
    rewritten(tmp_path, monkeypatch, elementwise="// and otherwise\n")
    use(ScriptedDevice({64: 1.0, 128: 0.4, 256: 0.5}))
    step = training()
    step()
    assert all("@workgroup_size(64)" in s for s in step.record().compiled.program.shaders)  # type: ignore[attr-defined]
    asyncio.run(run(step))
    assert current_tuner().measured == count
    assert len(list(manage.held())) == count  # in place of what was found before
    use(ScriptedDevice())
    again = training()
    again()
    sources = again.record().compiled.program.shaders  # type: ignore[attr-defined]
    assert all("@workgroup_size(128)" in s and "and otherwise" in s for s in sources)


def test_winners_outlive_changes_that_leave_their_source_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(ScriptedDevice())
    asyncio.run(run(training()))
    rewritten(tmp_path, monkeypatch, elementwise="{# a remark #}", segment="// and otherwise\n")
    use(ScriptedDevice())
    step = training()
    asyncio.run(run(step, 30))
    assert current_tuner().measured == 0
    assert any("@workgroup_size(256)" in s for s in step.record().compiled.program.shaders)  # type: ignore[attr-defined]


def test_winners_are_measured_again_beside_a_new_variant(monkeypatch: pytest.MonkeyPatch) -> None:
    use(ScriptedDevice())
    asyncio.run(run(training()))
    family = FAMILIES[None]

    def variants(shader: Any, target: Any) -> list[Variant]:
        return [*family.variants(shader, target), variant("elementwise/map", workgroup=32, wide=0)]

    monkeypatch.setitem(FAMILIES, None, replace(family, variants=variants))
    use(ScriptedDevice({64: 1.0, 128: 0.8, 256: 0.5, 32: 0.1}))
    asyncio.run(run(training()))
    assert current_tuner().measured > 0
    assert all(winner.variant["workgroup"] == 32 for _, winner in manage.held())


def test_a_start_with_winners_renders_no_more_than_one_without(monkeypatch: pytest.MonkeyPatch) -> None:
    use(ScriptedDevice())
    asyncio.run(run(training()))
    family, rendered = FAMILIES[None], list[Any]()

    def render(shader: Any, target: Any, variant: Any) -> Any:
        rendered.append(variant)
        return family.render(shader, target, variant)

    use(ScriptedDevice())
    step = training()
    monkeypatch.setitem(FAMILIES, None, replace(family, render=render))
    step()
    works = step.record().compiled.works  # type: ignore[attr-defined]
    assert len(rendered) == len(set(map(id, works)))


@pytest.mark.parametrize("how", ["compile", "wrong", "hang", "raise"])
def test_bad_candidate_is_rejected_and_named(how: str, told: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    device = use(ScriptedDevice({64: 1.0, 128: 0.7, 256: 0.1}))
    expected = {"compile": "does not compile", "wrong": "wrong: off by", "hang": "no answer", "raise": "ZeroDivision"}
    if how == "compile":
        del device.ms[256]
    elif how == "wrong":
        device.wrong.add(256)
    elif how == "hang":
        device.hangs.add(256)
        monkeypatch.setattr(measure, "LIMIT_S", 0.05)
    else:
        honest = FAMILIES[None]

        def render(shader: Any, target: Any, chosen: Any) -> Any:
            return 1 / 0 if chosen["workgroup"] == 256 else honest.render(shader, target, chosen)

        monkeypatch.setitem(FAMILIES, None, Family(None, honest.variants, render))
    step = training()
    asyncio.run(run(step, 2000))
    rejected = of(told, "rejected")
    assert rejected
    for event in rejected:
        assert event["variant"] == "elementwise/map workgroup=256 wide=0"
        assert expected[how] in event["reason"]
        assert event["kernel"] in event["text"]
    assert {e["variant"] for e in of(told, "found")} == {"elementwise/map workgroup=128 wide=0"}
    assert device.open_benches == 0


SIZES = (64, 128, 32, 16, 8, 4, 2, 256)


@pytest.fixture
def many_variants(monkeypatch: pytest.MonkeyPatch) -> ScriptedDevice:
    """More of them than compile at once; the last one is the fastest."""
    variants = [variant("elementwise/map", workgroup=size, wide=0) for size in SIZES]
    monkeypatch.setitem(FAMILIES, None, Family(None, lambda shader, target: variants, FAMILIES[None].render))
    return use(ScriptedDevice({size: 0.5 if size == 256 else 1.0 for size in SIZES}))


def test_next_candidates_compile_while_one_is_checked(many_variants: ScriptedDevice) -> None:
    device = many_variants
    device.compile_s = 0.01
    asyncio.run(run(training(), 4000))
    assert device.most_compiling == measure.AHEAD < len(SIZES) - 1
    assert "swap 256" in device.log
    kernel = device.log[: device.log.index("compile 64", device.log.index("compile 64") + 1)]
    checked = [int(s.split()[1]) for s in kernel if s.startswith("launch") and s.endswith(" x1")]
    assert list(dict.fromkeys(checked)) == list(SIZES)
    assert kernel.index("compile 8") < kernel.index("launch 128 x1") < kernel.index("compile 256")


def test_waiting_for_other_candidates_is_no_hang(
    many_variants: ScriptedDevice, told: Events, monkeypatch: pytest.MonkeyPatch
) -> None:
    device, gate = many_variants, asyncio.Lock()

    async def one_by_one(seconds: float) -> None:
        async with gate:
            await asyncio.sleep(seconds)

    monkeypatch.setattr(device, "_work", one_by_one)
    monkeypatch.setattr(measure, "LIMIT_S", 0.15)
    device.compile_s = 0.06  # of four, the last is there after 0.24 s
    asyncio.run(run(training(), 20000))
    assert of(told, "rejected") == []
    assert "swap 256" in device.log


def test_candidates_compile_one_by_one_beside_training_on_a_processor(many_variants: ScriptedDevice) -> None:
    device = many_variants
    device.info = replace(device.info, kind="software")
    device.compile_s = 0.001
    asyncio.run(run(training(), 4000))
    assert device.most_compiling == 1
    assert "swap 256" in device.log


def test_rejections_are_warnings_where_no_display_shows_them(caplog: pytest.LogCaptureFixture) -> None:
    device = use(ScriptedDevice())
    del device.ms[256]
    asyncio.run(run(training()))
    assert any(r.levelname == "WARNING" and "workgroup=256 wide=0 rejected" in r.message for r in caplog.records)


def test_hopeless_candidate_is_dropped_at_the_first_look() -> None:
    device = use(ScriptedDevice({64: 1.0, 128: 3.0, 256: 0.5}))
    asyncio.run(run(training()))
    launches = [s for s in device.log if s.startswith("launch 128")]
    kernels = current_tuner().measured
    assert len(launches) <= 2 * kernels  # the check and one look each


def test_samples_are_long_enough_for_a_coarse_clock() -> None:
    device = use(ScriptedDevice({64: 0.01, 128: 0.02, 256: 0.01}))
    asyncio.run(run(training()))
    repeats = [int(s.split("x")[1]) for s in device.log if s.startswith("launch 64")]
    assert max(repeats) * 0.01 >= measure.SAMPLE_MS / 2
    assert max(repeats) * 0.01 <= 2 * measure.SAMPLE_MS


def test_kernels_too_short_to_tell_are_left_as_they_are() -> None:
    device = use(ScriptedDevice({64: 0.0, 128: 0.0, 256: 0.0}))
    asyncio.run(run(training()))
    assert not [s for s in device.log if s.startswith(("swap", "compile 256"))]
    assert current_tuner().measured > 0


def test_heaviest_kernel_comes_first(told: Events) -> None:
    use(ScriptedDevice())
    asyncio.run(run(training(64)))
    order = [e["kernel"] for e in of(told, "measuring")]
    assert len(order) >= 2
    assert "[64, 64]" in order[0]
    totals = [(e["done"], e["total"]) for e in of(told, "measuring")]
    assert totals[0] == (0, len(order))


def test_equal_kernels_of_two_programs_are_measured_once_and_swapped_in_both() -> None:
    device = use(ScriptedDevice())
    one, two = training(16), training(16, bias_size=5)

    async def both() -> None:
        for _ in range(100):
            one()
            two()
            for _ in range(20):
                await asyncio.sleep(0)
        await current_tuner().stop()

    asyncio.run(both())
    keys = [{w.key for w in step.record().compiled.works} for step in (one, two)]  # type: ignore[attr-defined]
    assert len(keys[0] & keys[1]) == 2  # of three each: the bias's differ
    assert current_tuner().measured == len(keys[0] | keys[1]) == 4
    assert len(set(device.swapped)) == len(device.swapped) == 6


def test_budget_ends_the_work(told: Events) -> None:
    device = use(ScriptedDevice())
    tg.tuning("background", budget_s=0)
    asyncio.run(run(training(), 20))
    assert set(device.log) == {"step"}
    tg.tuning(budget_s=0.2)
    device.ms = {64: 100.0, 128: 100.0, 256: 50.0}  # two launches
    asyncio.run(run(training(9), 100))
    assert of(told, "measuring")
    assert current_tuner().measured == 0
    assert len([s for s in device.log if s.startswith("launch")]) <= 4


def test_lost_device_ends_tuning_and_says_so(told: Events) -> None:
    device = use(ScriptedDevice())

    def lose() -> None:
        raise DeviceLostError("scripted: expected a working GPU, got a lost one")

    device.on_launch = lose
    step = training()
    device.log.clear()
    asyncio.run(run(step, 30))
    assert ["a lost one" in e["text"] for e in of(told, "failed")] == [True]
    assert device.log.count("step") == 30


def test_without_timestamps_disturbed_samples_do_not_count(told: Events) -> None:
    device = use(ScriptedDevice(wall_clock=True))

    def disturb() -> None:
        device.counters.submits += 1

    device.on_launch = disturb
    asyncio.run(run(training(), 300))
    assert not of(told, "found")
    assert all("no idle time" in e["reason"] for e in of(told, "skipped"))
    assert of(told, "skipped")


def test_before_measures_in_ready_and_never_later() -> None:
    device = use(ScriptedDevice())
    tg.tuning("before")
    step = training()

    async def main() -> None:
        device.log.clear()
        await step.ready()  # type: ignore[attr-defined]
        assert "swap 256" in device.log
        assert "step" not in device.log
        before = len(device.log)
        for _ in range(10):
            step()
            await asyncio.sleep(0)
        assert set(device.log[before:]) == {"step"}

    asyncio.run(main())


def test_reference_device_says_that_it_has_nothing_to_tune(told: Events) -> None:
    tg.set_default_device("reference")
    tg.tuning("before")

    async def main() -> None:
        await training().ready()  # type: ignore[attr-defined]

    asyncio.run(main())
    assert "nothing to tune" in of(told, "skipped")[0]["text"]


def test_stopped_in_the_middle_releases_everything_and_goes_on_later() -> None:
    device = use(ScriptedDevice())
    step = training()

    async def main() -> None:
        launched = asyncio.Event()
        device.on_launch = launched.set
        for _ in range(3):
            step()
        await launched.wait()
        assert device.open_benches == 1
        await current_tuner().stop()
        assert device.open_benches == 0
        current_tuner().begin()
        await run(step)

    asyncio.run(main())
    assert current_tuner().measured > 0


@pytest.mark.parametrize("mode", ["background", "before"])
def test_slices_that_begin_late_still_get_on(mode: str, told: Events, monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy host may take longer to enter a slice than the slice is to last."""
    monkeypatch.setattr("tabgrad.tuner.tuner.SCAN_S", 0.0)
    monkeypatch.setattr(measure, "FILL_S", 0.0)
    device = use(ScriptedDevice())
    tg.tuning(mode)
    step = training()

    async def main() -> None:
        if mode == "before":
            await step.ready()  # type: ignore[attr-defined]
        else:
            await run(step)

    asyncio.run(asyncio.wait_for(main(), 20))
    assert of(told, "failed") == []
    assert "swap 256" in device.log


def test_programs_that_are_gone_are_not_measured() -> None:
    device = use(ScriptedDevice())
    tuner = current_tuner()
    step = training()
    for _ in range(3):
        step()
    assert len(tuner._programs) == 1
    del step
    current().own(ProgramCache).clear()
    import gc

    gc.collect()
    asyncio.run(_begin(tuner))
    assert not [s for s in device.log if s.startswith("compile")]


async def _begin(tuner: Any) -> None:
    tuner.begin()
    for _ in range(50):
        await asyncio.sleep(0)
    await tuner.stop()


def test_variants_print_as_people_read_them() -> None:
    assert str(variant("gemm/tiled", bm=64, bn=32)) == "gemm/tiled bm=64 bn=32"
