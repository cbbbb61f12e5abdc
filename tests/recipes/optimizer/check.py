"""Five steps of a linear model, as PyTorch's."""

import numpy as np
import torch

import tabgrad as tg

found = []
for T in (torch, tg):
    w = T.tensor([1.0, -2.0, 0.5], requires_grad=True)
    optimizer = T.optim.Adagrad([w], lr=0.1)
    for step in range(5):
        optimizer.zero_grad()
        ((w * T.tensor([1.0, 2.0, 3.0])).sum() ** 2 * (step + 1)).backward()
        optimizer.step()
    found.append(w.detach().tolist())
np.testing.assert_allclose(found[1], found[0], rtol=1e-5)
