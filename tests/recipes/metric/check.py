"""A trainer reports the metric by its name, which is what the page draws."""

import asyncio

import numpy as np

from tabgrad import data, nn, optim, train

model = nn.Linear(2, 1)
samples = data.TensorDataset(np.ones((8, 2), np.float32), np.ones((8, 1), np.float32))
trainer = train.Trainer(model, nn.MSELoss(), optim.SGD(model.parameters(), lr=0.1), metrics=["rmse"])
history = asyncio.run(trainer.fit(data.DataLoader(samples, 4), epochs=1))
assert "rmse" in str(history)
