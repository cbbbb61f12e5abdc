"""Five steps of a linear model, as the formulas say."""

import numpy as np

import tabgrad as tg

factors = np.array([1.0, 2.0, 3.0])
w = tg.tensor([1.0, -2.0, 0.5], requires_grad=True)
optimizer = tg.optim.Yogi([w], lr=0.1)
p, m, v = np.array([1.0, -2.0, 0.5]), np.zeros(3), np.zeros(3)
for step in range(5):
    optimizer.zero_grad()
    ((w * tg.tensor(factors.tolist())).sum() ** 2 * (step + 1)).backward()
    optimizer.step()
    g = 2 * (step + 1) * (p @ factors) * factors
    m = 0.9 * m + 0.1 * g
    v = v + 0.001 * np.sign(g * g - v) * g * g
    p = p - 0.1 * m / (np.sqrt(v) + 1e-3)
np.testing.assert_allclose(w.detach().tolist(), p, rtol=1e-4)
