"""Runs in Pyodide: batches that threads prepare, beside those of the training thread."""

import json
import pathlib
import sys
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import worker_cases
from tabgrad.errors import TabgradError
from tabgrad.utils.data import DataLoader


def differing():
    """Loaders whose batches are not those without workers."""
    return [
        f"{name}, {workers} workers"
        for name in sys.argv[1:]
        for workers in (1, 2)
        if worker_cases.epochs(name, workers) != worker_cases.epochs(name, 0)
    ]


def ending(dataset, **options):
    """A worker that hangs or dies, again and again: what is said."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            list(DataLoader(dataset, num_workers=1, **options))
        except TabgradError as error:
            return [str(w.message) for w in warned] + [str(error)]
    return []


def raising():
    """What a dataset's exception says."""
    try:
        list(DataLoader(worker_cases.Raises(), num_workers=1))
    except KeyError as error:
        return str(error)
    return ""


async def awaited():
    """The same with ``async for``."""
    return [s.tolist() async for s in DataLoader(worker_cases.Ragged(), batch_size=None, num_workers=2)]


report = {
    "differing": differing(),
    "raising": raising(),
    "awaited": await awaited(),
    "expected": [s.tolist() for s in DataLoader(worker_cases.Ragged(), batch_size=None)],
    "hanging": ending(worker_cases.Hangs(None), timeout=0.3),
    "dying": ending(worker_cases.Dies(None)),
}
print(json.dumps(report))
