"""The validation samples whose predictions are shown during training."""

from __future__ import annotations

import numpy as np

from tabgrad.data import DataLoader
from tabgrad.messages import SampleItem, SamplesEvent

COUNT = 12


def sample_inputs(loader: DataLoader) -> tuple[np.ndarray, np.ndarray]:
    """Inputs and targets of the first samples of a loader's dataset."""
    count = min(COUNT, len(loader.dataset))
    if loader.collate_fn is None:
        x, y = loader._arrays(np.arange(count))
    else:
        x, y = loader.collate_fn([loader.dataset[i] for i in range(count)])
    return np.asarray(x), np.asarray(y)


def sample_event(loader: DataLoader, predicted: np.ndarray, is_classification: bool) -> SamplesEvent:
    """The samples for display: images (if inputs are images), targets and predictions."""
    x, y = sample_inputs(loader)
    image = x.ndim == 4 and x.shape[1] == 1
    scale = 255 if x.dtype == np.uint8 else 1  # bytes are grey levels
    items = []
    for n in range(len(x)):
        if is_classification and predicted.ndim == 2:
            answer: float = int(predicted[n].argmax())
            probability: float | None = float(predicted[n].max())
            label: float = int(y[n])
        else:
            answer, probability, label = float(predicted[n].reshape(-1)[0]), None, float(y[n].reshape(-1)[0])
        pixels = [float(v) for v in np.clip(x[n, 0] / scale, 0, 1).reshape(-1)] if image else None
        items.append(SampleItem(pixels=pixels, label=label, prediction=answer, probability=probability))
    return SamplesEvent(shape=(int(x.shape[2]), int(x.shape[3])) if image else None, items=items)
