"""Where PyTorch's names are that a page starts without: of the package's top level, by the file that has them."""

SUBMODULES = (
    "accelerator", "amp", "backends", "compat", "cuda", "distributions", "func", "inspection", "jit", "linalg", "mps",
    "profiler", "special", "testing", "types", "utils", "version", "xpu",
)  # fmt: skip

_FILES = {
    "amp": "autocast is_autocast_enabled is_autocast_available get_autocast_dtype",
    "dtype_limits": "finfo iinfo",
    "dtype_questions": "can_cast get_default_dtype promote_types result_type set_default_dtype",
    "inspection": "explain",
    "profiler": "profile",
    "random_state": "seed get_rng_state set_rng_state",
    "torch_objects": "Size is_tensor is_storage typename",
    "torch_settings": (
        "use_deterministic_algorithms are_deterministic_algorithms_enabled "
        "is_deterministic_algorithms_warn_only_enabled set_float32_matmul_precision get_float32_matmul_precision "
        "set_num_threads get_num_threads set_num_interop_threads get_num_interop_threads set_flush_denormal"
    ),
    "tensor_types": ("BFloat16Tensor BoolTensor ByteTensor CharTensor FloatTensor HalfTensor IntTensor LongTensor"),
}

LATE = dict.fromkeys(SUBMODULES, "") | {name: file for file, names in _FILES.items() for name in names.split()}
"""The file of each name; empty of those that are files, or folders, themselves."""

__all__ = ["LATE", "SUBMODULES"]
