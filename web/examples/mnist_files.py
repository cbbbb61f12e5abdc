import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.data import DataLoader, datasets, random_split
from tabgrad.train import Trainer

tg.manual_seed(0)
digits = datasets.idx("images.idx", "labels.idx")  # see above
train, val = random_split(digits, [0.9, 0.1])

model = nn.Sequential(
    nn.Conv2d(1, 8, 3, stride=2, padding=1), nn.ReLU(),
    nn.Conv2d(8, 16, 3, stride=2, padding=1), nn.ReLU(),
    nn.Flatten(),
    nn.Linear(16 * 7 * 7, 64), nn.ReLU(),
    nn.Linear(64, 10),
)
trainer = Trainer(
    model,
    nn.CrossEntropyLoss(),
    optim.Adam(model.parameters(), lr=1e-3),
    metrics=["accuracy"],
)
await trainer.fit(
    DataLoader(train, batch_size=64, shuffle=True),
    DataLoader(val, batch_size=500),
    epochs=1,
)
