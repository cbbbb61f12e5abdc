"""Write down PyTorch's public names, so that one that is not here can be told from a mistake.

    build/venv-test/bin/python build_scripts/torch_names.py

Names of what this package is not about are left out: quantized, sparse and complex tensors, C++ internals.
"""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
import types
import typing

from paths import ROOT

PATH = ROOT / "py_core" / "tabgrad" / "torch_names.py"
SPACES = (
    "torch", "torch.Tensor", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.utils", "torch.nn.utils.rnn",
    "torch.optim", "torch.optim.lr_scheduler", "torch.optim.swa_utils", "torch.autograd", "torch.autograd.functional",
    "torch.utils.data", "torch.distributions", "torch.linalg", "torch.special", "torch.func", "torch.amp",
    "torch.random",
)  # fmt: skip
OPEN = (
    "torch.nn.utils.parametrize", "torch.nn.utils.parametrizations", "torch.nn.parameter", "torch.utils",
    "torch.utils.checkpoint", "torch.cuda", "torch.cuda.amp", "torch.backends", "torch.mps", "torch.testing",
    "torch.distributions.constraints", "torch.distributions.transforms", "torch.distributions.kl", "torch.jit",
)  # fmt: skip
"""Namespaces whose names are not listed: each that is not here counts as PyTorch's."""
_NO_PART = ("classes", "compiler", "library", "ops", "platform", "return_types", "torch_version", "windows")
_INTERNAL = (
    "cudnn_", "mkldnn_", "miopen_", "fbgemm_", "quantize", "q_", "int_repr", "sparse_", "to_sparse", "crow_", "ccol_",
    "row_indices", "col_indices", "native_", "sym_", "fused_", "fake_quantize", "dequantize", "is_mkldnn", "to_mkldnn",
    "mtia", "ipu", "hpu", "is_maia", "is_ipu", "is_xla", "is_vulkan", "is_ort", "is_mtia", "autocast_", "set_autocast",
    "get_autocast", "is_autocast", "import_ir", "parse_", "merge_type", "cpp", "CppModule", "DisableTorch",
)  # fmt: skip


def names() -> dict[str, list[str]]:
    """Public names by namespace, ``torch`` left out of it."""
    return {space.removeprefix("torch").removeprefix("."): public_names(space) for space in SPACES}


def public_names(space: str) -> list[str]:
    """Of a namespace of PyTorch's, without those that are not about what this package is for."""
    holder = _found(space)
    listed = getattr(holder, "__all__", None) if space not in ("torch", "torch.Tensor") else None
    found = []
    late = ["onnx"] if space == "torch" else []  # modules that are imported when they are first used
    for name in sorted(listed or {*dir(holder), *late}):
        value = getattr(holder, name, None)
        if space == "torch" and _is_part(name, value):
            found.append(name)
            continue
        if name.startswith(("_", *_INTERNAL)) or isinstance(value, types.ModuleType):
            continue
        home = getattr(value, "__module__", None) or "torch"
        typed = typing.get_origin(value) is not None or home in ("typing", "collections.abc", "builtins", "enum")
        inner = inspect.isclass(value) and space == "torch" and (name.endswith("Type") or home.startswith("torch._C"))
        if not (typed and inspect.isclass(value)) and not inner:
            found.append(name)
    return found


def _is_part(name: str, value: object) -> bool:
    """Whether a name is a module of PyTorch's that programs import."""
    return (
        isinstance(value, types.ModuleType)
        and value.__name__ == f"torch.{name}"
        and not name.startswith(("_", *_INTERNAL))
        and name
        not in ("classes", "compiler", "library", "ops", "platform", "return_types", "torch_version", "windows")
    )


def _found(space: str) -> object:
    holder, _, last = space.rpartition(".")
    return getattr(importlib.import_module(holder), last) if last[0].isupper() else importlib.import_module(space)


def text() -> str:
    """The file's content."""
    lines = [f'    "{space}": "{" ".join(found)}",\n' for space, found in names().items()]
    head = '"""PyTorch\'s public names by namespace; \\"\\" is ``torch`` itself."""\n\n'
    written = "# Written by build_scripts/torch_names.py.\n\n"
    open_ = [f'"{space.partition(".")[2]}"' for space in OPEN]
    told = '"""Namespaces whose names are not listed: each that is not here counts as PyTorch\'s."""\n'
    written += f"OPEN = frozenset(({', '.join(open_)}))\n{told}\n"
    raw = f"{head}{written}NAMES: dict[str, str] = {{\n{''.join(lines)}}}\n"
    command = [sys.executable, "-m", "ruff", "format", "-", "--stdin-filename", "torch_names.py"]
    return subprocess.run(command, input=raw, cwd=ROOT, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
    print(PATH.relative_to(ROOT))
