"""What is imported late: names by the file that has them."""

# Written by build_scripts/stubs.py.

FUNCTIONS: dict[str, str] = {
    "tabgrad.ops.rare.convolutions": "conv1d conv3d",
    "tabgrad.ops.rare.rectifiers": "threshold threshold_ hardtanh hardtanh_ relu6 hardsigmoid hardsigmoid_ hardswish hardswish_ hardshrink softshrink selu selu_ celu celu_ prelu rrelu rrelu_",
    "tabgrad.ops.rare.smooth_activations": "tanhshrink softsign logsigmoid mish mish_ glu softmin gumbel_softmax normalize",
    "tabgrad.ops.rare.transposed_convolutions": "conv_transpose1d conv_transpose2d conv_transpose3d",
    "tabgrad.ops.rare.trigonometric": "tan tan_ atan atan_ arctan arctan_",
}
CLASSES: dict[str, dict[str, str]] = {"nn": {}, "optim": {}}
