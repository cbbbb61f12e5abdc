import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.data import DataLoader, datasets, random_split
from tabgrad.train import Trainer

tg.manual_seed(0)
train, val = random_split(datasets.digits(), [0.8, 0.2])

model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(),
    nn.Flatten(),
    nn.Linear(32 * 4 * 4, 64), nn.ReLU(),
    nn.Linear(64, 10),
)
trainer = Trainer(
    model,
    nn.CrossEntropyLoss(),
    optim.Adam(model.parameters(), lr=3e-3),
    metrics=["accuracy"],
)
await trainer.fit(
    DataLoader(train, batch_size=64, shuffle=True),
    DataLoader(val, batch_size=360),
    epochs=15,
)
