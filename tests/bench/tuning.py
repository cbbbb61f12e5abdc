"""Benchmark of kernel tuning: does anybody wait for it, and what does it gain? Prints JSON.

    build/venv-test/bin/python tests/bench/tuning.py [--rounds 5] [--on node|native] [--wait 60] [mlp cnn]

Each round starts fresh processes in turn, without tuning, with it in the background and nothing known, and with it
and all known. Reported are medians: the time until the first loss is read and its ratio with tuning to without; ms
per step without tuning, while kernels are being measured, and with what was found.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
CHILD = """import sys
sys.path[:0] = [{tests!r}, {bench!r}]
import json, tuning
print(json.dumps(await tuning.child({workload!r}, {wait_s})))
"""
BLOCK_S = 1.0


async def child(name: str, wait_s: float) -> dict[str, Any]:
    """One process: the first step, steps while the tuner works, and steps afterwards."""
    import tabgrad as tg
    import workloads
    from tabgrad import runtime

    (workload,) = [w for w in workloads.WORKLOADS if w.name == name]
    step = workloads.training_step(workload)
    batches = [tuple(tg.tensor(a).clone().realize() for a in batch) for batch in workload.batches()]
    start = time.perf_counter()
    await step(*batches[0]).read()
    first_step_ms = (time.perf_counter() - start) * 1000
    tuner = runtime.tuner()
    for i in range(4):
        await step(*batches[i]).read()
    until, meanwhile = time.perf_counter() + wait_s, []
    while tuner._task is not None and not tuner._task.done() and time.perf_counter() < until:
        start = time.perf_counter()
        await step(*batches[0]).read()
        meanwhile.append((time.perf_counter() - start) * 1000)
    done = tuner._task is None or tuner._task.done()
    await tuner.stop()
    times = []
    end = time.perf_counter() + BLOCK_S
    while len(times) < 10 or time.perf_counter() < end:
        start = time.perf_counter()
        await step(*batches[0]).read()
        times.append((time.perf_counter() - start) * 1000)
    return {
        "adapter": tg.current_session().device.info.name,
        "first_step_ms": first_step_ms,
        "meanwhile_ms": statistics.median(meanwhile) if meanwhile else None,
        "ms_per_step": statistics.median(times),
        "measured": tuner.measured,
        "done": done,
    }


def run(on: str, workload: str, tuning: str, cache: str, wait_s: float) -> dict[str, Any]:
    """A fresh process; its report."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "child.py"
        tests = ROOT / "tests"
        script.write_text(CHILD.format(tests=str(tests), bench=str(tests / "bench"), workload=workload, wait_s=wait_s))
        environment = {**os.environ, "TABGRAD_CACHE": cache, "PYTHONPATH": str(ROOT / "py_core")}
        native = [sys.executable, "-c", "from tabgrad.cli import main; main()", "train", "--device", "native"]
        node = ["node", str(ROOT / "web/node/run.mjs"), "--device", "web"]
        command = [*(node if on == "node" else native), "--tuning", tuning]
        done = subprocess.run([*command, str(script)], cwd=ROOT, env=environment, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}\n{done.stderr}")
    report: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("workloads", nargs="*", default=["mlp", "cnn"])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--on", choices=["node", "native"], default="node")
    parser.add_argument("--wait", type=float, default=60, help="seconds that the tuner is given")
    options = parser.parse_args()
    for workload in options.workloads:
        rounds: list[dict[str, dict[str, Any]]] = []
        for _ in range(options.rounds):
            with tempfile.TemporaryDirectory() as cache:
                rounds.append(
                    {
                        "off": run(options.on, workload, "off", cache, 0),
                        "background": run(options.on, workload, f"background:{options.wait}", cache, options.wait),
                        "known": run(options.on, workload, f"background:{options.wait}", cache, 0),
                    }
                )

        def median(mode: str, what: str, of: list[dict[str, dict[str, Any]]] = rounds) -> float | None:
            values = [r[mode][what] for r in of if r[mode][what] is not None]
            return round(statistics.median(values), 3) if values else None

        ratios = [r["background"]["first_step_ms"] / r["off"]["first_step_ms"] for r in rounds]
        print(
            json.dumps(
                {
                    "workload": workload,
                    "on": options.on,
                    "adapter": rounds[0]["off"]["adapter"],
                    "rounds": options.rounds,
                    "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
                    "first_step_ms": {mode: median(mode, "first_step_ms") for mode in rounds[0]},
                    "first_step_ratio": round(statistics.median(ratios), 3),
                    "first_step_ratios": [round(min(ratios), 3), round(max(ratios), 3)],
                    "ms_per_step": {mode: median(mode, "ms_per_step") for mode in rounds[0]},
                    "ms_per_step_meanwhile": median("background", "meanwhile_ms"),
                    "kernels_measured": median("background", "measured"),
                    "all_measured": all(r["background"]["done"] for r in rounds),
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
