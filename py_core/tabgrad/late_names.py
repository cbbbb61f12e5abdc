"""What is imported late: names by the file that has them."""

# Written by build_scripts/stubs.py.

FUNCTIONS: dict[str, str] = {
    "tabgrad.ops.rare.arithmetic_forms": "rsub addcmul addcmul_ addcdiv addcdiv_ lerp lerp_ trunc trunc_ fix fix_ frac frac_ fmod fmod_ signbit copysign copysign_ fmax fmin clamp_min clamp_min_ clamp_max clamp_max_ heaviside heaviside_ nan_to_num nan_to_num_ sgn sgn_ fill",
    "tabgrad.ops.rare.bessel": "i0 i0_",
    "tabgrad.ops.rare.comparisons": "isinf isposinf isneginf isreal isclose allclose equal",
    "tabgrad.ops.rare.error_functions": "erfc erfc_ erfinv erfinv_",
    "tabgrad.ops.rare.gamma": "lgamma lgamma_ digamma digamma_ polygamma polygamma_of mvlgamma mvlgamma_ igamma igamma_ igammac igammac_",
    "tabgrad.ops.rare.integer_functions": "gcd gcd_ lcm lcm_ frexp nextafter nextafter_",
    "tabgrad.ops.rare.logarithms": "exp2 exp2_ log2 log2_ log10 log10_ logaddexp logaddexp2 float_power float_power_ logit logit_ xlogy xlogy_ ldexp ldexp_",
    "tabgrad.ops.rare.questions": "is_tensor is_floating_point is_complex is_signed is_nonzero numel nelement ndimension get_device data_ptr double short apply_ map_",
    "tabgrad.ops.rare.special_functions": "",
    "tabgrad.ops.rare.tensors_alike": "empty_like new_full new_zeros new_ones new_empty new_tensor new empty_strided new_empty_strided empty_permuted randint_like logspace scalar_tensor tril_indices triu_indices as_tensor asarray",
    "tabgrad.ops.rare.trigonometric": "tan tan_ atan atan_ arctan arctan_ asin asin_ arcsin arcsin_ acos acos_ arccos arccos_ sinh sinh_ cosh cosh_ asinh asinh_ arcsinh arcsinh_ acosh acosh_ arccosh arccosh_ atanh atanh_ arctanh arctanh_ atan2 atan2_ arctan2 arctan2_ hypot hypot_ sinc sinc_ deg2rad deg2rad_ rad2deg rad2deg_",
    "tabgrad.host_ops.random_fills": "normal exponential_ geometric_ cauchy_ log_normal_ bernoulli_ random_ poisson",
}
CLASSES: dict[str, dict[str, str]] = {"nn": {}, "optim": {}}
