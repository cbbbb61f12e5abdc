"""What is imported late: names by the file that has them."""

# Written by build_scripts/stubs.py.

FUNCTIONS: dict[str, str] = {
    "tabgrad.ops.rare.borders": "bordered",
    "tabgrad.ops.rare.convolutions": "conv1d conv3d",
    "tabgrad.ops.rare.rectifiers": "threshold threshold_ hardtanh hardtanh_ relu6 hardsigmoid hardsigmoid_ hardswish hardswish_ hardshrink softshrink selu selu_ celu celu_ prelu rrelu rrelu_",
    "tabgrad.ops.rare.smooth_activations": "tanhshrink softsign logsigmoid mish mish_ glu softmin gumbel_softmax normalize",
    "tabgrad.ops.rare.transposed_convolutions": "conv_transpose1d conv_transpose2d conv_transpose3d",
    "tabgrad.ops.rare.trigonometric": "tan tan_ atan atan_ arctan arctan_",
}
CLASSES: dict[str, dict[str, str]] = {
    "nn": {
        "tabgrad.nn.rare.convolutions": "Conv1d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
        "tabgrad.nn.rare.padding": "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
        "tabgrad.nn.rare.rectifiers": "CELU Hardshrink Hardsigmoid Hardswish Hardtanh PReLU RReLU ReLU6 SELU Softshrink Threshold",
        "tabgrad.nn.rare.smooth_activations": "GLU LogSigmoid Mish Softmax2d Softmin Softplus Softsign Tanhshrink",
    },
    "optim": {},
}
