"""A normalising flow of affine couplings, trained by maximum likelihood under a normal prior."""

import numpy as np
import torch
from torch import distributions, nn


class RealNVP(nn.Module):
    def __init__(self, nets, nett, mask, prior):
        super().__init__()
        self.prior = prior
        self.mask = nn.Parameter(mask, requires_grad=False)
        self.t = torch.nn.ModuleList([nett() for _ in range(len(mask))])
        self.s = torch.nn.ModuleList([nets() for _ in range(len(mask))])

    def g(self, z):
        x = z
        for i in range(len(self.t)):
            x_ = x * self.mask[i]
            s = self.s[i](x_) * (1 - self.mask[i])
            t = self.t[i](x_) * (1 - self.mask[i])
            x = x_ + (1 - self.mask[i]) * (x * torch.exp(s) + t)
        return x

    def f(self, x):
        log_det_J, z = x.new_zeros(x.shape[0]), x
        for i in reversed(range(len(self.t))):
            z_ = self.mask[i] * z
            s = self.s[i](z_) * (1 - self.mask[i])
            t = self.t[i](z_) * (1 - self.mask[i])
            z = (1 - self.mask[i]) * (z - t) * torch.exp(-s) + z_
            log_det_J -= s.sum(dim=1)
        return z, log_det_J

    def log_prob(self, x):
        z, logp = self.f(x)
        return self.prior.log_prob(z) + logp


def main(steps, start):
    def nets():
        return nn.Sequential(
            nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 16), nn.LeakyReLU(), nn.Linear(16, 2), nn.Tanh()
        )

    def nett():
        return nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 16), nn.LeakyReLU(), nn.Linear(16, 2))

    masks = torch.from_numpy(np.array([[0, 1], [1, 0]] * 2).astype(np.float32))
    prior = distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
    flow = start(RealNVP(nets, nett, masks, prior))
    optimizer = torch.optim.Adam([p for p in flow.parameters() if p.requires_grad], lr=1e-3)
    losses = []
    for _ in range(steps):
        angle = torch.rand(16) * 3.1416
        samples = torch.stack([torch.cos(angle), torch.sin(angle)], 1) + 0.05 * torch.randn(16, 2)
        loss = -flow.log_prob(samples).mean()
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
        losses.append(loss.item())
    z = torch.randn(5, 2)
    with torch.no_grad():
        losses.append((flow.f(flow.g(z))[0] - z).abs().max().item() < 1e-5)
    return [float(loss) for loss in losses]
