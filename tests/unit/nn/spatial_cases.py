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

POOLS = [
    ("MaxPool1d", (3, 2), {"padding": 1, "ceil_mode": True}, (2, 3, 9)),
    ("MaxPool2d", ((3, 2),), {"dilation": (2, 1), "padding": 1, "stride": 2}, (2, 3, 7, 8)),
    ("MaxPool3d", (2,), {"stride": (1, 2, 2), "padding": 1}, (2, 3, 4, 5, 4)),
    ("AvgPool1d", (3,), {"stride": 2, "padding": 1, "count_include_pad": False}, (2, 3, 9)),
    ("AvgPool2d", (3,), {"stride": 2, "padding": 1, "ceil_mode": True, "divisor_override": 5}, (2, 3, 8, 7)),
    ("AvgPool3d", ((2, 3, 2),), {"stride": 2, "padding": 1, "ceil_mode": True}, (2, 3, 4, 5, 4)),
    ("AvgPool3d", (2,), {"count_include_pad": False, "padding": 1, "divisor_override": 3}, (3, 4, 5, 4)),
    ("AdaptiveAvgPool1d", (4,), {}, (2, 3, 9)),
    ("AdaptiveAvgPool2d", ((3, None),), {}, (2, 3, 8, 5)),
    ("AdaptiveAvgPool2d", (7,), {}, (3, 4, 5)),
    ("AdaptiveAvgPool3d", ((2, 1, 3),), {}, (1, 2, 5, 4, 3)),
    ("AdaptiveMaxPool1d", (4,), {}, (3, 9)),
    ("AdaptiveMaxPool2d", ((3, 2),), {}, (2, 3, 8, 5)),
    ("AdaptiveMaxPool3d", ((2, None, 3),), {}, (1, 2, 5, 4, 3)),
    ("LPPool1d", (2, 3), {"stride": 2}, (2, 3, 9)),
    ("LPPool2d", (4, 3), {"ceil_mode": True}, (2, 3, 8, 7)),
    ("LPPool3d", (2, 2), {}, (1, 2, 4, 4, 2)),
]

SIZES = [
    ("Upsample", (), {"scale_factor": 2}, (2, 3, 4, 5)),
    ("Upsample", ((5, 7),), {"mode": "nearest-exact"}, (2, 3, 4, 6)),
    ("Upsample", (), {"scale_factor": (1.5, 0.7), "mode": "nearest"}, (2, 3, 4, 6)),
    ("Upsample", (7,), {"mode": "linear"}, (2, 3, 5)),
    ("Upsample", (), {"scale_factor": 2, "mode": "bilinear"}, (2, 3, 4, 5)),
    ("Upsample", (), {"scale_factor": 1.3, "mode": "bilinear", "recompute_scale_factor": True}, (2, 3, 4, 5)),
    ("Upsample", ((7, 3),), {"mode": "bicubic", "align_corners": True}, (2, 3, 4, 5)),
    ("Upsample", (), {"scale_factor": (2, 1, 0.5), "mode": "trilinear"}, (1, 2, 3, 2, 4)),
    ("Upsample", ((3, 4),), {"mode": "area"}, (2, 3, 7, 5)),
    ("UpsamplingNearest2d", (), {"scale_factor": 3}, (2, 3, 2, 2)),
    ("UpsamplingBilinear2d", ((6, 9),), {}, (2, 3, 4, 5)),
]

NORMS = [
    ("BatchNorm3d", (3,), {}, (2, 3, 2, 3, 2)),
    ("InstanceNorm1d", (3,), {}, (2, 3, 7)),
    ("InstanceNorm2d", (3,), {"affine": True}, (2, 3, 4, 5)),
    ("InstanceNorm2d", (3,), {"affine": True, "track_running_stats": True, "eps": 1e-3}, (2, 3, 4, 5)),
    ("InstanceNorm3d", (3,), {"affine": True}, (3, 4, 2, 3)),
    ("LocalResponseNorm", (3,), {"alpha": 0.1, "k": 2.0}, (2, 5, 3, 4)),
    ("LocalResponseNorm", (4,), {"alpha": 0.1}, (2, 5, 3)),
]

PLACES = [
    ("PixelShuffle", (2,), {}, (2, 8, 3, 2)),
    ("PixelUnshuffle", (2,), {}, (3, 4, 6)),
    ("ChannelShuffle", (3,), {}, (2, 6, 4)),
    ("Unfold", ((2, 3),), {"padding": 1, "stride": (2, 1)}, (2, 3, 5, 4)),
    ("Unfold", (2,), {"stride": 2}, (2, 3, 5, 4)),
    ("Unfold", (6,), {"padding": 2, "stride": 3, "dilation": (1, 2)}, (2, 2, 8, 10)),
    ("Fold", ((8, 10), 6), {"padding": 2, "stride": 3, "dilation": (1, 2)}, (2, 72, 6)),
    ("Fold", ((5, 4), (2, 3)), {"padding": 1, "stride": (2, 1), "dilation": (2, 1)}, (2, 12, 12)),
]

DROPOUTS = [(name, (0.3,), {}, (2, 3, 4, 5)) for name in ("Dropout2d", "AlphaDropout", "FeatureAlphaDropout")]
DROPOUTS += [("Dropout1d", (0.3,), {}, (2, 3, 4)), ("Dropout3d", (0.3,), {}, (2, 3, 4, 5, 2))]

CASES = [
    *CONVOLUTIONS,
    *PADDINGS,
    *POOLS,
    *SIZES,
    *NORMS,
    *PLACES,
    *DROPOUTS,
    *[(name, args, keywords, (2, 3, 4, 6)) for name, args, keywords in ACTIVATIONS],
]
