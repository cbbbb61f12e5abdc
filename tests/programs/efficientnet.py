"""Inverted bottlenecks with squeeze-and-excitation and SiLU; a moving average of the weights is evaluated."""

import copy
import math

import torch
from torch import nn


class SqueezeExcitation(nn.Module):
    def __init__(self, input_channels, squeeze_channels):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(input_channels, squeeze_channels, 1)
        self.fc2 = nn.Conv2d(squeeze_channels, input_channels, 1)
        self.activation = nn.SiLU(inplace=True)
        self.scale_activation = nn.Sigmoid()

    def forward(self, input):
        scale = self.avgpool(input)
        scale = self.activation(self.fc1(scale))
        return self.scale_activation(self.fc2(scale)) * input


def conv_norm(in_channels, out_channels, kernel_size, stride=1, groups=1, activation=True):
    layers = [
        nn.Conv2d(
            in_channels, out_channels, kernel_size, stride, padding=(kernel_size - 1) // 2, groups=groups, bias=False
        ),
        nn.BatchNorm2d(out_channels, eps=1e-3, momentum=0.01),
    ]
    return nn.Sequential(*layers, *([nn.SiLU(inplace=True)] if activation else []))


class MBConv(nn.Module):
    def __init__(self, inp, out, kernel, stride, expand_ratio):
        super().__init__()
        hidden = inp * expand_ratio
        self.use_res_connect = stride == 1 and inp == out
        self.block = nn.Sequential(
            conv_norm(inp, hidden, 1),
            conv_norm(hidden, hidden, kernel, stride, groups=hidden),
            SqueezeExcitation(hidden, max(1, inp // 4)),
            conv_norm(hidden, out, 1, activation=False),
        )

    def forward(self, input):
        result = self.block(input)
        if self.use_res_connect:
            result += input
        return result


class EfficientNet(nn.Module):
    def __init__(self, num_classes=5):
        super().__init__()
        self.features = nn.Sequential(
            conv_norm(3, 8, 3, stride=2), MBConv(8, 8, 3, 1, 2), MBConv(8, 12, 5, 2, 2), conv_norm(12, 16, 1)
        )
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(p=0.0, inplace=True), nn.Linear(16, num_classes))
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
                if m.bias is not None:
                    nn.init.zeros_(m.bias)
            elif isinstance(m, nn.Linear):
                init_range = 1.0 / math.sqrt(m.out_features)
                nn.init.uniform_(m.weight, -init_range, init_range)
                nn.init.zeros_(m.bias)

    def forward(self, x):
        x = self.avgpool(self.features(x))
        return self.classifier(torch.flatten(x, 1))


@torch.no_grad()
def update_average(average, model, decay=0.9):
    for kept, new in zip(average.state_dict().values(), model.state_dict().values()):
        if kept.dtype.is_floating_point:
            kept.mul_(decay).add_(new, alpha=1 - decay)


def main(steps, start):
    model = start(EfficientNet())
    average = copy.deepcopy(model)
    average.eval()
    parameters = [
        {"params": [p for n, p in model.named_parameters() if p.ndim > 1], "weight_decay": 1e-4},
        {"params": [p for n, p in model.named_parameters() if p.ndim <= 1], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(parameters, lr=1e-3)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    losses = []
    for _ in range(steps):
        image, target = torch.randn(4, 3, 16, 16), torch.randint(0, 5, (4,))
        loss = criterion(model(image), target)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        update_average(average, model)
        losses.append(loss.item())
    with torch.no_grad():
        losses.append(criterion(average(torch.randn(2, 3, 16, 16)), torch.randint(0, 5, (2,))).item())
    return losses
