"""A classifier of images with fully connected layers, trained over a DataLoader."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Digits(Dataset):
    def __init__(self, n, transform=None):
        self.images = torch.rand(n, 1, 8, 8)
        self.labels = torch.randint(0, 10, (n,))
        self.transform = transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, idx):
        image, label = self.images[idx], int(self.labels[idx])
        if self.transform:
            image = self.transform(image)
        return image, label


class NeuralNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.linear_relu_stack = nn.Sequential(
            nn.Linear(8 * 8, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 10)
        )

    def forward(self, x):
        return self.linear_relu_stack(self.flatten(x))


def main(steps, start):
    device = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    data = Digits(24, transform=lambda image: (image - 0.5) / 0.5)
    loader = DataLoader(data, batch_size=8, shuffle=False, num_workers=0, pin_memory=False)
    model = start(NeuralNetwork()).to(device)
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    losses = []
    model.train()
    while len(losses) < steps:
        for batch, (X, y) in enumerate(loader):
            X, y = X.to(device), y.to(device)
            pred = model(X)
            loss = loss_fn(pred, y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
            assert batch < len(loader)
    model.eval()
    correct = 0
    with torch.no_grad():
        for X, y in loader:
            correct += (model(X.to(device)).argmax(1) == y.to(device)).type(torch.float).sum().item()
    return losses[:steps] + [correct / len(data)]
