"""What is imported late: names by the file that has them."""

# Written by build_scripts/stubs.py.

FUNCTIONS: dict[str, str] = {
    "tabgrad.ops.rare.adaptive_pooling": "adaptive_mean adaptive_avg_pool1d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d",
    "tabgrad.ops.rare.axis_weights": "",
    "tabgrad.ops.rare.borders": "bordered",
    "tabgrad.ops.rare.convolutions": "conv1d conv3d",
    "tabgrad.ops.rare.deformable_convolution": "deform_conv2d",
    "tabgrad.ops.rare.dropouts": "feature_dropout feature_dropout_ dropout1d dropout2d dropout3d alpha_dropout alpha_dropout_ feature_alpha_dropout feature_alpha_dropout_",
    "tabgrad.ops.rare.fractional_pooling": "fractional_max_pool2d fractional_max_pool3d",
    "tabgrad.ops.rare.grids": "grid_sampler grid_sampler_2d grid_sampler_3d grid_sample affine_grid",
    "tabgrad.ops.rare.instance_norm": "instance_norm local_response_norm",
    "tabgrad.ops.rare.interpolation": "interpolate upsample upsample_nearest upsample_bilinear",
    "tabgrad.ops.rare.pooling": "max_pool1d max_pool3d max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices avg_pool1d avg_pool3d lp_pool1d lp_pool2d lp_pool3d",
    "tabgrad.ops.rare.rearrangement": "pixel_shuffle pixel_unshuffle channel_shuffle unfold fold",
    "tabgrad.ops.rare.rectifiers": "threshold threshold_ hardtanh hardtanh_ relu6 hardsigmoid hardsigmoid_ hardswish hardswish_ hardshrink softshrink selu selu_ celu celu_ prelu rrelu rrelu_",
    "tabgrad.ops.rare.smooth_activations": "tanhshrink softsign logsigmoid mish mish_ glu softmin gumbel_softmax normalize",
    "tabgrad.ops.rare.transposed_convolutions": "conv_transpose1d conv_transpose2d conv_transpose3d",
    "tabgrad.ops.rare.trigonometric": "tan tan_ atan atan_ arctan arctan_",
    "tabgrad.ops.rare.unpooling": "max_unpool1d max_unpool2d max_unpool3d",
    "tabgrad.ops.rare.window_maxima": "pooled_with_places",
}
CLASSES: dict[str, dict[str, str]] = {
    "nn": {
        "tabgrad.nn.rare.convolutions": "Conv1d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d",
        "tabgrad.nn.rare.dropouts": "AlphaDropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
        "tabgrad.nn.rare.lazy": "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d LazyLinear",
        "tabgrad.nn.rare.norms": "BatchNorm3d CrossMapLRN2d InstanceNorm1d InstanceNorm2d InstanceNorm3d LocalResponseNorm SyncBatchNorm",
        "tabgrad.nn.rare.padding": "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
        "tabgrad.nn.rare.pooling": "AdaptiveAvgPool1d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d AvgPool1d AvgPool3d LPPool1d LPPool2d LPPool3d MaxPool1d MaxPool3d",
        "tabgrad.nn.rare.rearrangement": "ChannelShuffle Fold PixelShuffle PixelUnshuffle Unfold",
        "tabgrad.nn.rare.rectifiers": "CELU SELU Hardshrink Hardsigmoid Hardswish Hardtanh PReLU RReLU ReLU6 Softshrink Threshold",
        "tabgrad.nn.rare.resampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
        "tabgrad.nn.rare.smooth_activations": "GLU LogSigmoid Mish Softmax2d Softmin Softplus Softsign Tanhshrink",
        "tabgrad.nn.rare.uninitialized": "LazyModuleMixin UninitializedBuffer UninitializedParameter",
        "tabgrad.nn.rare.unpooling": "FractionalMaxPool2d FractionalMaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d",
    },
    "optim": {},
}
