"""Layers as PyTorch makes them: (name, arguments, shape of the input)."""

CONVOLUTIONS = [
    ("Conv1d", (4, 6, 3), {}, (2, 4, 9)),
    ("Conv1d", (4, 6, 3), {"padding": "same", "dilation": 2, "padding_mode": "circular"}, (2, 4, 9)),
    ("Conv1d", (4, 6, 4), {"stride": 2, "padding": 2, "groups": 2, "bias": False}, (4, 9)),
    ("Conv2d", (4, 6, 3), {"padding": (1, 2), "padding_mode": "reflect"}, (2, 4, 5, 6)),
    ("Conv2d", (4, 6, 3), {"padding": "same", "padding_mode": "replicate"}, (4, 5, 6)),
    ("Conv3d", (2, 4, 3), {"padding": 1, "stride": (1, 2, 1), "groups": 2}, (2, 2, 4, 5, 4)),
    ("Conv3d", (2, 3, (2, 1, 2)), {"dilation": (2, 1, 1), "padding_mode": "circular", "padding": 1}, (2, 4, 3, 4)),
    ("ConvTranspose1d", (4, 6, 3), {"stride": 2, "padding": 1, "output_padding": 1}, (2, 4, 5)),
    ("ConvTranspose2d", (4, 6, 4), {"stride": 2, "padding": 1}, (2, 4, 3, 5)),
    ("ConvTranspose2d", (4, 6, 3), {"groups": 2, "dilation": (2, 3), "output_padding": 1, "bias": False}, (4, 3, 5)),
    ("ConvTranspose3d", (2, 4, 2), {"stride": 2, "groups": 2, "padding": (0, 1, 0)}, (2, 2, 3, 3, 2)),
]

PADDINGS = [
    ("ZeroPad1d", (2,), {}, (2, 3, 5)),
    ("ZeroPad2d", ((1, 2, -1, 0),), {}, (2, 3, 5, 4)),
    ("ZeroPad3d", (1,), {}, (2, 3, 2, 2, 2)),
    ("ConstantPad1d", ((1, 0), 3.5), {}, (3, 5)),
    ("ConstantPad2d", (1, -2.0), {}, (2, 3, 5, 4)),
    ("ConstantPad3d", ((1, 0, 0, 1, 2, 0), 1.0), {}, (1, 2, 3, 2, 2)),
    ("ReflectionPad1d", ((3, 1),), {}, (2, 3, 5)),
    ("ReflectionPad2d", ((1, 2, 0, 3),), {}, (3, 5, 4)),
    ("ReflectionPad3d", (1,), {}, (1, 2, 3, 2, 2)),
    ("ReplicationPad1d", (4,), {}, (2, 3, 2)),
    ("ReplicationPad2d", ((1, -2, 3, 0),), {}, (2, 3, 5, 4)),
    ("ReplicationPad3d", (1,), {}, (1, 2, 3, 2, 2)),
    ("CircularPad1d", ((2, 1),), {}, (2, 3, 5)),
    ("CircularPad2d", ((2, 1, 0, 3),), {}, (2, 3, 5, 4)),
    ("CircularPad3d", (1,), {}, (1, 2, 3, 2, 2)),
]

ACTIVATIONS = [
    ("ReLU6", (), {}), ("Hardtanh", (-0.3, 0.7), {}), ("Threshold", (0.2, -5.0), {}), ("Hardsigmoid", (), {}),
    ("Hardswish", (), {}), ("Hardshrink", (0.4,), {}), ("Softshrink", (), {}), ("SELU", (), {"inplace": True}),
    ("CELU", (0.7,), {}), ("PReLU", (3,), {}), ("PReLU", (), {}), ("RReLU", (), {}), ("Softplus", (2.0, 1.5), {}),
    ("Softsign", (), {}), ("Tanhshrink", (), {}), ("LogSigmoid", (), {}), ("Mish", (), {"inplace": True}),
    ("GLU", (-1,), {}), ("Softmin", (1,), {}), ("Softmax2d", (), {}), ("LeakyReLU", (0.2, True), {}),
    ("ELU", (0.5,), {}),
]  # fmt: skip

CASES = [*CONVOLUTIONS, *PADDINGS, *[(name, args, keywords, (2, 3, 4, 6)) for name, args, keywords in ACTIVATIONS]]
