"""Runs benchmarks on the device in use: in Node, natively, or with NumPy. Start it from the checkout's folder.

    node web/node/run.mjs --device web tests/bench/here.py mlp gemm --json lines.jsonl
    tabgrad train --device native tests/bench/here.py mlp gemm

Prints a table, and with ``--json FILE`` appends one JSON line for each report to the file (``-``: prints the lines
in place of the table). ``run.py`` starts this once for each benchmark and device.
"""

import argparse
import gc
import json
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import tabgrad as tg
from bench import (
    bandwidth_bench,
    blocks,
    catalog,
    cold,
    conv_bench,
    fit,
    gemm_bench,
    kernels_bench,
    table,
    workload_bench,
)
from tabgrad.runtime import ProgramCache
from tabgrad.session import current
from tabgrad.tracing.tracer import Tracer

KERNELS = {"gemm": gemm_bench, "conv": conv_bench, "bandwidth": bandwidth_bench}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(catalog.NAMES)} (default: all)")
parser.add_argument("--scale", choices=catalog.SCALES, default="full")
parser.add_argument("--match", default="", help="only kernels whose name contains this, such as 'gemm 1024'")
parser.add_argument("--json", metavar="FILE")
options = parser.parse_args()
unknown = sorted(set(options.names) - set(catalog.NAMES))
if unknown:
    parser.error(f"expected names of {', '.join(catalog.NAMES)}, got {', '.join(unknown)}")

packed = pathlib.Path(__file__).resolve().parents[2] / "COMMIT"
commit = {"commit": packed.read_text().strip()} if packed.is_file() else {}
device = tg.current_session().device
effort = blocks.FULL if options.scale == "full" else blocks.QUICK
printed = table.Table(lambda line: print(line, flush=True))


def show(report: dict) -> None:
    whole = {
        **report,
        "device": device.name,
        "adapter": device.info.name,
        "scale": options.scale,
        **commit,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
    }
    line = json.dumps(whole, ensure_ascii=False)
    if options.json == "-":
        print(line, flush=True)
        return
    printed.add(whole)
    if options.json:
        with open(options.json, "a", encoding="utf-8") as file:
            file.write(line + "\n")


def release() -> None:
    """Give a benchmark's memory back; programs that are kept would keep what they are bound to."""
    current().own(ProgramCache).clear()
    current().own(Tracer).forget()
    gc.collect()
    device.trim()


for name in options.names or catalog.NAMES:
    if name in catalog.WORKLOADS:
        show(await workload_bench.bench(workload_bench.find(name, options.scale), effort))
        release()
    elif name in catalog.PLAIN:
        for workload in (workload_bench.find(each, options.scale) for each in catalog.WORKLOADS):
            if options.match in workload.name:
                compiled = await workload_bench.bench(workload, effort)
                release()
                plain = await workload_bench.bench(workload, effort, plain=True)
                release()
                show(workload_bench.beside(plain, compiled))
    elif name in catalog.SERIES:
        for workload in workload_bench.series(name, options.scale):
            if options.match in workload.name:
                show(await workload_bench.bench(workload, effort))
                release()
    elif name in catalog.COLD:
        model = name.removeprefix("cold-").removeprefix("plain-")
        show(await cold.bench(workload_bench.find(model, options.scale), options.scale, plain="plain" in name))
    elif name in catalog.TRAINER:
        for model in fit.MODELS:
            if options.match in model:
                show(await fit.bench(model, options.scale))
                release()
    else:
        for case in KERNELS[name].cases(options.scale):
            if options.match in case.name:
                show(await kernels_bench.bench(case, effort))
                release()
