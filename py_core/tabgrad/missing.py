"""Errors about names that PyTorch has and tabgrad does not: each names the nearest thing that works."""

from __future__ import annotations

import difflib
import dis
import sys

from tabgrad.errors import MissingNameError
from tabgrad.torch_names import NAMES, OPEN

_INSTEAD = {
    "ao": "tensors are float32 here; leave quantization out",
    "cond": "write a Python if, or tabgrad.where",
    "distributed": "one device trains here; leave process groups and DistributedDataParallel out",
    "fft": "there are no complex numbers here; compute it with NumPy",
    "istft": "there are no complex numbers here; compute it with NumPy",
    "stft": "there are no complex numbers here; compute it with NumPy",
    "masked": "choose elements with tabgrad.where",
    "storage": "tensors have their values in x.numpy()",
    "export": "model.state_dict() and tabgrad.save write the weights",
    "func": "tabgrad.grad and loss.backward() differentiate",
    "fx": "tabgrad.explain(step) shows a step's program",
    "hub": "load weights with tabgrad.load(path)",
    "multiprocessing": "one process trains here; leave it out",
    "nested": "pad to one length, and mask",
    "onnx": "model.state_dict() and tabgrad.save write the weights",
    "quantization": "tensors are float32 here; leave it out",
    "sparse": "use dense tensors",
    "sparse_coo_tensor": "use dense tensors",
    "tensorboard": "print the values, or show them with tabgrad.train.Trainer",
    "vmap": "give the tensors a batch dimension",
}


def name_error(module: str, name: str) -> Exception:
    """An ``AttributeError`` for ``module.name``, which is a ``NotImplementedError``, too, if PyTorch has that name; an
    ``ImportError`` where ``from module import name`` asks.
    """
    text = f"{module!r} has no attribute {name!r}"
    if name.startswith("_"):  # looked up by NumPy, copy and others, to see what an object can do
        return AttributeError(text, name=name)
    text += f": it is not in tabgrad yet; {nearest(module, name)}"
    if _is_imported():
        return ImportError(text, name=name)
    space = module.partition(".")[2]
    is_theirs = space in OPEN or name in NAMES.get(space, "").split()
    return MissingNameError(text) if is_theirs else AttributeError(text, name=name)


def nearest(module: str, name: str) -> str:
    """What to use in place of a name, as the end of a sentence."""
    for part in name.split("."):
        if part in _INSTEAD:
            return _INSTEAD[part]
    last = name.rpartition(".")[2]
    for place in dict.fromkeys((module, "tabgrad", "tabgrad.nn", "tabgrad.nn.functional")):
        names = _names(place)
        if place != module and last in names:
            return f"{place}.{last} is"
        close = difflib.get_close_matches(last, names, 1, 0.75)
        if close:
            return f"the nearest name is {place}.{close[0]}"
    return "compose it of other functions"


def _names(module: str) -> list[str]:
    """The public names that a module shows, those that are imported late included."""
    holder, _, last = module.rpartition(".")
    found = sys.modules.get(module) or getattr(sys.modules.get(holder), last, None)
    names = [*dir(found), *getattr(found, "__all__", ())]
    if module in ("tabgrad", "tabgrad.Tensor"):
        names += [name for group in sys.modules["tabgrad.late_names"].FUNCTIONS.values() for name in group.split()]
    return sorted({name for name in names if not name.startswith("_") and not name.endswith("_")})


def _is_imported() -> bool:
    """Whether the code outside of the package that asks for a name is an import statement."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_name in ("name_error", "missing_name", "__getattr__"):
        frame = frame.f_back
    last = frame.f_lasti
    return 0 <= last < len(frame.f_code.co_code) and dis.opname[frame.f_code.co_code[last]] == "IMPORT_FROM"


__all__ = ["name_error", "nearest"]
