"""Low-rank adapters beside frozen linear layers; the adapters alone are trained, then merged."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Linear):
    def __init__(self, in_features, out_features, r=2, lora_alpha=4, **kwargs):
        super().__init__(in_features, out_features, **kwargs)
        self.lora_A = nn.Parameter(self.weight.new_zeros((r, in_features)))
        self.lora_B = nn.Parameter(self.weight.new_zeros((out_features, r)))
        self.scaling = lora_alpha / r
        self.weight.requires_grad = False
        self.merged = False
        nn.init.kaiming_uniform_(self.lora_A, a=math.sqrt(5))
        nn.init.zeros_(self.lora_B)

    def merge(self):
        self.weight.data += (self.lora_B @ self.lora_A) * self.scaling
        self.merged = True

    def forward(self, x):
        result = F.linear(x, self.weight, bias=self.bias)
        if not self.merged:
            result = result + (x @ self.lora_A.transpose(0, 1) @ self.lora_B.transpose(0, 1)) * self.scaling
        return result


def mark_only_lora_as_trainable(model):
    for n, p in model.named_parameters():
        p.requires_grad = "lora_" in n


def lora_state_dict(model):
    return {k: v for k, v in model.state_dict().items() if "lora_" in k}


def main(steps, start):
    model = start(nn.Sequential(LoRALinear(8, 16), nn.GELU(approximate="tanh"), LoRALinear(16, 4)))
    mark_only_lora_as_trainable(model)
    trainable = sum(p.numel() for p in model.parameters() if p.requires_grad)
    assert trainable == 2 * (8 + 16) + 2 * (16 + 4)
    optimizer = torch.optim.AdamW(filter(lambda p: p.requires_grad, model.parameters()), lr=1e-2)
    before = {k: v.clone() for k, v in model.state_dict().items() if "lora_" not in k}
    x, y = torch.randn(10, 8), torch.randn(10, 4)
    losses = []
    for _ in range(steps):
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert all(torch.equal(before[k], v) for k, v in model.state_dict().items() if k in before)
    assert set(lora_state_dict(model)) == {"0.lora_A", "0.lora_B", "2.lora_A", "2.lora_B"}
    model.eval()
    with torch.inference_mode():
        expected = model(x)
        for layer in model:
            if isinstance(layer, LoRALinear):
                layer.merge()
        assert torch.allclose(model(x), expected, atol=1e-5)
        losses.append(F.mse_loss(model(x), y).item())
    return losses
