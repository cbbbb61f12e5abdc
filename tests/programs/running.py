"""Runs the programs of this folder under PyTorch or under tabgrad, from the same weights and the same random numbers.

``python running.py FOLDER NAMES...`` runs them as ``import torch`` means tabgrad, with the weights that
:func:`run` saved in FOLDER, and prints their losses, or what went wrong, as JSON.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

STEPS = 10
HERE = Path(__file__).parent


def names() -> list[str]:
    """The programs: each defines ``main(steps, start)``, which gives losses."""
    return sorted(p.stem for p in HERE.glob("*.py") if p.stem not in ("__init__", "running", "test_programs"))


def numpy_random(torch: Any) -> dict[str, Any]:
    """Functions of PyTorch's that draw random numbers, with NumPy's in their place, by name."""
    source = np.random.RandomState(0)

    def sizes(shape: Any) -> tuple[int, ...]:
        return tuple(shape[0]) if len(shape) == 1 and not isinstance(shape[0], int) else shape

    def made(values: Any, dtype: Any = np.float32) -> Any:
        return torch.from_numpy(np.asarray(values, dtype))

    def randint(low: int, high: Any, size: Any = None, **_: Any) -> Any:
        low, high, size = (low, high, size) if size is not None else (0, low, high)
        drawn = source.randint(low, high, size)
        return torch.tensor(drawn.tolist(), dtype=torch.long)

    return {
        "rand": lambda *shape, **_: made(source.random_sample(sizes(shape))),
        "rand_like": lambda x, **_: made(source.random_sample(tuple(x.shape))),
        "randint": randint,
        "randn": lambda *shape, **_: made(source.standard_normal(sizes(shape))),
        "randn_like": lambda x, **_: made(source.standard_normal(tuple(x.shape))),
    }


def run(torch: Any, name: str, folder: Path, *, saves: bool) -> list[float]:
    """A program's losses; its models begin with weights that are saved to the folder, or were."""
    number = 0
    torch.manual_seed(0)

    def start(model: Any) -> Any:
        nonlocal number
        path = folder / f"{name}-{number}.npz"
        number += 1
        state = model.state_dict()
        if saves:
            np.savez(path, **{key: value.detach().numpy() for key, value in state.items()})
        else:
            with np.load(path) as saved:
                assert set(saved) == set(state), f"weights {sorted(set(saved) ^ set(state))}"
                model.load_state_dict({key: torch.from_numpy(saved[key].astype(_narrow(saved[key]))) for key in saved})
        return model

    replaced = numpy_random(torch)
    before = {key: getattr(torch, key) for key in replaced}
    for key, function in replaced.items():
        setattr(torch, key, function)
    try:
        return [float(loss) for loss in _program(name).main(STEPS, start)]
    finally:
        for key, function in before.items():
            setattr(torch, key, function)


def _narrow(array: np.ndarray) -> np.dtype:
    return np.dtype(np.int32) if array.dtype == np.int64 else array.dtype


def _program(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"program_{name}", HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for it
    spec.loader.exec_module(module)
    return module


def _main(folder: Path, wanted: list[str]) -> None:
    from tabgrad.compat import install_as_torch

    install_as_torch()
    import torch

    torch.set_default_device("reference")
    for name in wanted:
        try:
            outcome: dict[str, Any] = {"losses": run(torch, name, folder, saves=False)}
        except Exception as error:  # noqa: BLE001 - the test shows it
            outcome = {"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
        print(json.dumps({"name": name, **outcome}), flush=True)


if __name__ == "__main__":
    _main(Path(sys.argv[1]), sys.argv[2:])
