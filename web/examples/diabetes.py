import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.data import DataLoader, datasets, random_split
from tabgrad.train import Trainer

tg.manual_seed(0)
# Ten measurements of a patient, and how the disease went on;
# all are standardised: mean 0, standard deviation 1.
train, val = random_split(datasets.diabetes(), [0.8, 0.2])

model = nn.Sequential(
    nn.Linear(10, 32), nn.ReLU(),
    nn.Linear(32, 1),
)
trainer = Trainer(
    model,
    nn.MSELoss(),
    optim.Adam(model.parameters(), lr=5e-3),
)
# One batch holds every patient, so an epoch is one step.
await trainer.fit(
    DataLoader(train, batch_size=len(train)),
    DataLoader(val, batch_size=len(val)),
    epochs=100,
)
