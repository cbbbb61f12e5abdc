"""A script that was written for PyTorch trains in the page as it is, and the page says what ``import torch`` means."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from web.visitor import Visitor

SCRIPT = """import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.randn(64, 8)
y = (x[:, 0] > 0).long()
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
losses = []
for epoch in range(10):
    for inputs, labels in DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True):
        inputs, labels = inputs.to(device), labels.to(device)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(inputs), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
print(f"learned {losses[0] > 2 * losses[-1]}")
print(torch.arange(3))
"""


def test_a_script_of_pytorch_trains(visitor: Visitor) -> None:
    assert visitor.run(SCRIPT)["ok"]
    output = visitor.page.locator(".output pre")
    expect(output).to_contain_text("learned True")
    expect(output).to_contain_text("import torch: this page runs it as tabgrad")
    expect(output).to_contain_text(re.compile(r"tensor\(\[0, 1, 2\]\)"))
