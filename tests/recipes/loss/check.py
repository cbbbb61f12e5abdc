"""Value and gradient of the module, as PyTorch's."""

import numpy as np
import torch

import tabgrad as tg

values, targets = np.linspace(-3, 3, 12, dtype=np.float32), np.zeros(12, np.float32)
found = []
for T in (torch, tg):
    x = T.tensor(values, requires_grad=True)
    loss = tg.nn.LogCoshLoss()(x, tg.tensor(targets)) if T is tg else torch.log(torch.cosh(x - targets[0])).mean()
    loss.backward()
    found.append([loss.item(), *x.grad.tolist()])
np.testing.assert_allclose(found[1], found[0], rtol=1e-5)
