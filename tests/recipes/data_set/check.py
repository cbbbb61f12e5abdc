"""The set by its name, in batches."""

from tabgrad.data import DataLoader, datasets

points, labels = next(iter(DataLoader(datasets.spirals(10), 4)))
assert (points.shape, labels.shape) == ((4, 2), (4,))
