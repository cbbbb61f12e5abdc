"""The data sets that are part of the package. Their files are written by the build."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tabgrad.data.dataset import TensorDataset
from tabgrad.data.npz import read_npz
from tabgrad.errors import TabgradError

_FILES = Path(__file__).parent / "files"


def digits() -> TensorDataset:
    """1,797 handwritten digits, 8 x 8 pixels, by 43 people.

    Samples are (float32 ``[1, 8, 8]`` in 0..1, int32 label in 0..9).

    Source: Alpaydin & Kaynak 1998, https://doi.org/10.24432/C50P49 (the test part, as in scikit-learn)
    """
    arrays = _load("digits")
    images = arrays["images"].astype(np.float32) / np.float32(16)  # pixels count 0..16 dots
    return TensorDataset(images[:, None], arrays["labels"])  # (1797, 1, 8, 8), (1797,)


def diabetes(*, standardize: bool = True) -> TensorDataset:
    """442 patients: age, sex, body mass index, blood pressure, six serum values; and the disease's
    progression a year later (25..346).

    Samples are (float32 ``[10]``, float32 ``[1]``).

    Args:
        standardize: scale each feature and the target to mean 0 and standard deviation 1 over all
            442 patients; gradient descent converges slowly without it. ``False`` gives the measured
            values. A predicted progression is then ``77.0 * y + 152.1``.

    Source: Efron, Hastie, Johnstone & Tibshirani 2004, https://doi.org/10.1214/009053604000000067
    """
    arrays = _load("diabetes")
    features = arrays["features"].astype(np.float64)
    target = arrays["target"].astype(np.float64).reshape(-1, 1)
    if standardize:
        features = (features - features.mean(axis=0)) / features.std(axis=0)
        target = (target - target.mean()) / target.std()
    return TensorDataset(features.astype(np.float32), target.astype(np.float32))


def _load(name: str) -> dict[str, np.ndarray]:
    path = _FILES / f"{name}.npz"
    if not path.exists():
        raise TabgradError(
            f"datasets.{name}: expected the packaged file data/files/{name}.npz, got none; it is made "
            "when the package is built: run `pip install .` or `python3 build_scripts/serve.py`"
        )
    return read_npz(path, caller=f"datasets.{name}")
