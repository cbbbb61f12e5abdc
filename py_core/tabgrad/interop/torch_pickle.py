"""Objects with tensors in them as PyTorch pickles them, and back."""

from __future__ import annotations

import io
import pickle
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tabgrad import dtypes
from tabgrad.data.host_array import host_array
from tabgrad.dtypes import DType
from tabgrad.memory import row_major
from tabgrad.nn.module_state import StateDict
from tabgrad.nn.parameter import Parameter
from tabgrad.placement import device
from tabgrad.session import current
from tabgrad.sizes import Size
from tabgrad.tensor import Tensor
from tabgrad.watched import Watched


@dataclass(frozen=True)
class Form:
    """How PyTorch stores elements of a dtype."""

    storage: str  # its class
    stored: str  # NumPy's name of their form in the file


FORMS = {
    "float32": Form("FloatStorage", "<f4"),
    "float64": Form("DoubleStorage", "<f8"),
    "float16": Form("HalfStorage", "<f2"),
    "bfloat16": Form("BFloat16Storage", "<u2"),
    "int64": Form("LongStorage", "<i8"),
    "int32": Form("IntStorage", "<i4"),
    "int16": Form("ShortStorage", "<i2"),
    "int8": Form("CharStorage", "i1"),
    "uint8": Form("ByteStorage", "u1"),
    "bool": Form("BoolStorage", "?"),
}
_BY_STORAGE = {form.storage: name for name, form in FORMS.items()}
_ADVICE = "pass weights_only=False if you trust the file: it may then run any code"


class Named:
    """A class or function of PyTorch's, written by its name."""

    def __init__(self, module: str, name: str) -> None:
        self.module, self.name = module, name

    def __call__(self) -> None:
        raise AssertionError("it is written, never called")


class Writer(pickle._Pickler):  # the one of Python's two that can write names of what is not here
    """Pickles an object; its tensors' values are for the caller to write, in the order of :attr:`tensors`."""

    dispatch: ClassVar[dict[Any, Any]] = pickle._Pickler.dispatch.copy()
    write: Callable[[bytes], int]  # Python's own

    def __init__(self, file: io.BytesIO, protocol: int) -> None:
        super().__init__(file, protocol)
        self.tensors: list[Tensor] = []
        self._keys: dict[int, str] = {}
        self._held: list[Any] = []  # what ids stand for lives as long as this

    def persistent_id(self, obj: Any) -> Any:
        """Of a storage: its class, key, device and number of elements."""
        if not isinstance(obj, _Storage):
            return None
        return ("storage", Named("torch", FORMS[obj.dtype.name].storage), obj.key, "cpu", obj.elements)

    def reducer_override(self, obj: Any) -> Any:
        """How PyTorch rebuilds tensors, parameters, dtypes and devices."""
        if isinstance(obj, Tensor):
            return self._tensor(obj)
        if isinstance(obj, StateDict):
            return OrderedDict, (), vars(obj), None, iter(obj.items())
        if isinstance(obj, Size):
            return Named("torch", "Size"), (tuple(obj),)
        if isinstance(obj, device):
            return Named("torch", "device"), ("cpu",)
        if isinstance(obj, Watched):  # of a module or an optimizer, which nothing has recorded when it is read
            return Watched, ()
        return NotImplemented

    def _tensor(self, tensor: Tensor) -> Any:
        if tensor.dtype.name not in FORMS:
            raise pickle.PicklingError(
                f"save: expected a dtype that PyTorch's files have, got {tensor.dtype.name}; use tensor.int()"
            )
        bare = tensor.detach() if isinstance(tensor, Parameter) else tensor
        if isinstance(tensor, Parameter):
            return Named("torch._utils", "_rebuild_parameter"), (bare, tensor.requires_grad, OrderedDict())
        storage = _Storage(self._key(tensor), tensor.dtype, tensor.numel())
        sizes = tuple(tensor._shape)
        asks = tensor.requires_grad and tensor.is_leaf
        return (
            Named("torch._utils", "_rebuild_tensor_v2"),
            (storage, 0, sizes, row_major(sizes), asks, OrderedDict()),
        )

    def _key(self, tensor: Tensor) -> str:
        """One key for tensors that show the whole of one memory."""
        whole = tensor if tensor._memory is None or tensor._path else tensor._memory
        key = self._keys.get(id(whole))
        if key is None:
            key = self._keys[id(whole)] = str(len(self.tensors))
            self.tensors.append(tensor)
            self._held.append(whole)
        return key

    def _save_named(self, obj: Named) -> None:
        self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())

    def _save_dtype(self, obj: DType) -> None:
        self._save_named(Named("torch", obj.name))

    dispatch[Named] = _save_named
    dispatch[DType] = _save_dtype


class _Storage:
    def __init__(self, key: str, dtype: DType, elements: int) -> None:
        self.key, self.dtype, self.elements = key, dtype, elements


class Saved:
    """The tensors' values in a file, by key."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._wholes: dict[str, Tensor] = {}

    def tensor(self, key: str, name: str, offset: int, sizes: tuple[int, ...], strides: tuple[int, ...]) -> Tensor:
        """A tensor that shows part of a storage; those that show all of it share its memory."""
        values = np.frombuffer(self._read(key), FORMS[name].stored)
        if offset == 0 and len(values) == int(np.prod(sizes)) and tuple(strides) == row_major(sizes):
            if key not in self._wholes:
                self._wholes[key] = _held(values.reshape(sizes), name)
            whole = self._wholes[key]
            if whole.shape == tuple(sizes):
                return whole.detach()
        last = offset + sum((n - 1) * step for n, step in zip(sizes, strides, strict=True)) + 1
        if 0 not in sizes and (min((offset, *strides)) < 0 or last > len(values)):
            raise pickle.UnpicklingError(
                f"load: expected sizes within {len(values)} elements, got {list(sizes)} with strides {list(strides)}"
            )
        steps = tuple(step * values.itemsize for step in strides)
        part = np.lib.stride_tricks.as_strided(values[offset:], sizes, steps, writeable=False)
        return _held(np.ascontiguousarray(part).reshape(sizes), name)


def _held(values: np.ndarray, name: str) -> Tensor:
    if name == "bfloat16":
        return Tensor._of(dtypes.bfloat16.unpack(values), dtypes.bfloat16)
    if name == "float64":
        current().check_float64()
        return Tensor._of(values.astype(np.float64), dtypes.float64)
    found = getattr(dtypes, name, None) if name in ("int16", "int8", "uint8", "float16") else None
    return Tensor._of(host_array(values.copy(), caller="load"), found)


class Reader(pickle.Unpickler):
    """Reads what the file says, whatever it is: it may name any class or function."""

    def __init__(self, text: bytes, saved: Saved) -> None:
        super().__init__(io.BytesIO(text), encoding="utf-8")
        self._saved = saved

    def persistent_load(self, pid: Any) -> Any:
        """A storage, as its key and dtype."""
        kind, storage, key, *_ = pid
        if kind != "storage" or not isinstance(storage, str):
            raise pickle.UnpicklingError(f"load: expected a storage, got {kind!r}")
        return key, _BY_STORAGE[storage]

    def find_class(self, module: str, name: str) -> Any:
        """What a name of PyTorch's means here."""
        found = self._known(module, name)
        if found is None and module.split(".")[0] == "torch":
            raise pickle.UnpicklingError(
                f"load: expected tensors and plain data, got {module}.{name}; save model.state_dict() there"
            )
        return super().find_class(module, name) if found is None else found

    def _known(self, module: str, name: str) -> Any:
        if module == "torch":
            if name in _BY_STORAGE:
                return name
            if name in FORMS:
                return dtypes.bool_ if name == "bool" else getattr(dtypes, name)
        return {
            ("torch._utils", "_rebuild_tensor_v2"): self._tensor,
            ("torch._utils", "_rebuild_parameter"): _parameter,
            ("torch", "Size"): Size,
            ("torch", "device"): device,
            ("collections", "OrderedDict"): OrderedDict,
            ("collections", "Counter"): Counter,
            ("builtins", "set"): set,
            ("__builtin__", "set"): set,
        }.get((module, name))

    def _tensor(self, storage: Any, offset: int, sizes: Any, strides: Any, requires_grad: bool, *_: Any) -> Tensor:
        key, name = storage
        return self._saved.tensor(key, name, offset, tuple(sizes), tuple(strides)).requires_grad_(requires_grad)


class Plain(Reader):
    """Reads tensors and plain data, and nothing that runs code."""

    def find_class(self, module: str, name: str) -> Any:
        """What a name of PyTorch's means here.

        Raises:
            UnpicklingError: it is none of those that files of tensors have.
        """
        found = self._known(module, name)
        if found is None:
            raise pickle.UnpicklingError(f"Weights only load failed: load: the file needs {module}.{name}; {_ADVICE}")
        return found


def _parameter(data: Tensor, requires_grad: bool, *_: Any) -> Parameter:
    return Parameter(data, requires_grad)


__all__ = ["FORMS", "Form", "Named", "Plain", "Reader", "Saved", "Writer"]
