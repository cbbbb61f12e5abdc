"""The networks of CycleGAN and pix2pix: a residual generator, a patch discriminator, least squares and L1."""

import functools
import itertools

import torch
import torch.nn as nn
from torch.nn import init
from torch.optim import lr_scheduler


class ResnetBlock(nn.Module):
    def __init__(self, dim, norm_layer, use_bias):
        super().__init__()
        self.conv_block = nn.Sequential(
            nn.ReflectionPad2d(1), nn.Conv2d(dim, dim, kernel_size=3, padding=0, bias=use_bias), norm_layer(dim),
            nn.ReLU(True), nn.ReflectionPad2d(1), nn.Conv2d(dim, dim, kernel_size=3, padding=0, bias=use_bias),
            norm_layer(dim),
        )  # fmt: skip

    def forward(self, x):
        return x + self.conv_block(x)


class ResnetGenerator(nn.Module):
    def __init__(self, input_nc, output_nc, ngf, norm_layer, n_blocks=1):
        super().__init__()
        use_bias = norm_layer.func == nn.InstanceNorm2d
        model = [nn.ReflectionPad2d(3), nn.Conv2d(input_nc, ngf, kernel_size=7, padding=0, bias=use_bias)]
        model += [norm_layer(ngf), nn.ReLU(True)]
        model += [nn.Conv2d(ngf, ngf * 2, kernel_size=3, stride=2, padding=1, bias=use_bias)]
        model += [norm_layer(ngf * 2), nn.ReLU(True)]
        for _ in range(n_blocks):
            model += [ResnetBlock(ngf * 2, norm_layer=norm_layer, use_bias=use_bias)]
        model += [
            nn.ConvTranspose2d(ngf * 2, ngf, kernel_size=3, stride=2, padding=1, output_padding=1, bias=use_bias),
            norm_layer(ngf),
            nn.ReLU(True),
        ]
        model += [nn.ReflectionPad2d(3), nn.Conv2d(ngf, output_nc, kernel_size=7, padding=0), nn.Tanh()]
        self.model = nn.Sequential(*model)

    def forward(self, input):
        return self.model(input)


class NLayerDiscriminator(nn.Module):
    def __init__(self, input_nc, ndf, norm_layer):
        super().__init__()
        self.model = nn.Sequential(
            nn.Conv2d(input_nc, ndf, kernel_size=4, stride=2, padding=1), nn.LeakyReLU(0.2, True),
            nn.Conv2d(ndf, ndf * 2, kernel_size=4, stride=1, padding=1), norm_layer(ndf * 2), nn.LeakyReLU(0.2, True),
            nn.Conv2d(ndf * 2, 1, kernel_size=4, stride=1, padding=1),
        )  # fmt: skip

    def forward(self, input):
        return self.model(input)


class GANLoss(nn.Module):
    def __init__(self, target_real_label=1.0, target_fake_label=0.0):
        super().__init__()
        self.register_buffer("real_label", torch.tensor(target_real_label))
        self.register_buffer("fake_label", torch.tensor(target_fake_label))
        self.loss = nn.MSELoss()

    def __call__(self, prediction, target_is_real):
        target_tensor = self.real_label if target_is_real else self.fake_label
        return self.loss(prediction, target_tensor.expand_as(prediction))


def init_weights(net, init_gain=0.02):
    def init_func(m):
        classname = m.__class__.__name__
        if hasattr(m, "weight") and (classname.find("Conv") != -1 or classname.find("Linear") != -1):
            init.normal_(m.weight.data, 0.0, init_gain)
            if hasattr(m, "bias") and m.bias is not None:
                init.constant_(m.bias.data, 0.0)

    net.apply(init_func)


def set_requires_grad(nets, requires_grad=False):
    for net in nets:
        for param in net.parameters():
            param.requires_grad = requires_grad


def main(steps, start):
    norm_layer = functools.partial(nn.InstanceNorm2d, affine=False, track_running_stats=False)
    netG_A, netG_B = (ResnetGenerator(3, 3, 4, norm_layer) for _ in range(2))
    netD_A = NLayerDiscriminator(3, 4, norm_layer)
    for net in (netG_A, netG_B, netD_A):
        init_weights(net)
        start(net)
    criterion_gan, criterion_cycle = GANLoss(), torch.nn.L1Loss()
    optimizer_G = torch.optim.Adam(
        itertools.chain(netG_A.parameters(), netG_B.parameters()), lr=2e-4, betas=(0.5, 0.999)
    )
    optimizer_D = torch.optim.Adam(netD_A.parameters(), lr=2e-4, betas=(0.5, 0.999))
    schedulers = [
        lr_scheduler.LambdaLR(optimizer, lr_lambda=lambda epoch: 1.0 - max(0, epoch - 2) / 20)
        for optimizer in (optimizer_G, optimizer_D)
    ]
    losses = []
    for _ in range(steps):
        real_A, real_B = torch.rand(1, 3, 8, 8) * 2 - 1, torch.rand(1, 3, 8, 8) * 2 - 1
        fake_B = netG_A(real_A)
        rec_A = netG_B(fake_B)
        set_requires_grad([netD_A], False)
        optimizer_G.zero_grad()
        loss_G = criterion_gan(netD_A(fake_B), True) + criterion_cycle(rec_A, real_A) * 10.0
        loss_G.backward()
        optimizer_G.step()
        set_requires_grad([netD_A], True)
        optimizer_D.zero_grad()
        loss_D = (criterion_gan(netD_A(real_B), True) + criterion_gan(netD_A(fake_B.detach()), False)) * 0.5
        loss_D.backward()
        optimizer_D.step()
        for scheduler in schedulers:
            scheduler.step()
        losses += [loss_G.item(), loss_D.item(), optimizer_G.param_groups[0]["lr"]]
    return losses
