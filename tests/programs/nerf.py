"""A tiny neural radiance field: positional encoding, stratified samples along rays, volume rendering."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def positional_encoding(tensor, num_encoding_functions=3):
    encoding = [tensor]
    frequency_bands = 2.0 ** torch.linspace(0.0, num_encoding_functions - 1, num_encoding_functions)
    for freq in frequency_bands:
        for func in [torch.sin, torch.cos]:
            encoding.append(func(tensor * freq))
    return torch.cat(encoding, dim=-1)


def cumprod_exclusive(tensor):
    cumprod = torch.cumprod(tensor, -1)
    cumprod = torch.roll(cumprod, 1, -1)
    cumprod[..., 0] = 1.0
    return cumprod


def get_rays(height, width, focal_length):
    ii, jj = torch.meshgrid(torch.arange(width).float(), torch.arange(height).float(), indexing="xy")
    directions = torch.stack(
        [(ii - width * 0.5) / focal_length, -(jj - height * 0.5) / focal_length, -torch.ones_like(ii)], dim=-1
    )
    return torch.zeros_like(directions).expand(directions.shape), directions


def render(radiance_field, query_points, depth_values):
    sigma_a = F.relu(radiance_field[..., 3] + 0.5)  # so that no seed begins with an empty scene
    rgb = torch.sigmoid(radiance_field[..., :3])
    one_e_10 = torch.tensor([1e10], dtype=depth_values.dtype)
    dists = torch.cat(
        (depth_values[..., 1:] - depth_values[..., :-1], one_e_10.expand(depth_values[..., :1].shape)), dim=-1
    )
    alpha = 1.0 - torch.exp(-sigma_a * dists)
    weights = alpha * cumprod_exclusive(1.0 - alpha + 1e-10)
    return (weights[..., None] * rgb).sum(dim=-2)


class VeryTinyNerfModel(nn.Module):
    def __init__(self, filter_size=16, num_encoding_functions=3):
        super().__init__()
        self.layer1 = nn.Linear(3 + 3 * 2 * num_encoding_functions, filter_size)
        self.layer2 = nn.Linear(filter_size, filter_size)
        self.layer3 = nn.Linear(filter_size, 4)

    def forward(self, x):
        x = F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        return self.layer3(x)


def main(steps, start):
    height, width, near, far, num_samples = 4, 4, 2.0, 6.0, 5
    target = torch.rand(height, width, 3)
    model = start(VeryTinyNerfModel())
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    losses = []
    for _ in range(steps):
        origins, directions = get_rays(height, width, 3.0)
        depth_values = torch.linspace(near, far, num_samples)
        noise_shape = [*list(origins.shape[:-1]), num_samples]
        depth_values = depth_values + torch.rand(noise_shape) * (far - near) / num_samples
        query_points = origins[..., None, :] + directions[..., None, :] * depth_values[..., :, None]
        flattened = query_points.reshape((-1, 3))
        encoded = positional_encoding(flattened)
        chunks = [encoded[i : i + 32] for i in range(0, encoded.shape[0], 32)]
        radiance = torch.cat([model(chunk) for chunk in chunks], dim=0)
        radiance = torch.reshape(radiance, [*list(query_points.shape[:-1]), 4])
        rgb = render(radiance, query_points, depth_values)
        loss = F.mse_loss(rgb, target)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        psnr = -10.0 * torch.log10(loss)
        losses += [loss.item(), psnr.item()]
    return losses
