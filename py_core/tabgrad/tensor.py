"""The lazy tensor: PyTorch's names and semantics over a graph that runs when a value is needed."""

from __future__ import annotations

import math
import operator
import warnings
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tabgrad import dtypes
from tabgrad.dtypes import DType
from tabgrad.errors import ArgumentTypeError, DeviceError, DTypeError, GradError, ShapeError
from tabgrad.grad_mode import is_recording, no_grad
from tabgrad.graph import node as graph
from tabgrad.graph.node import Node
from tabgrad.graph.op import Op, View
from tabgrad.graph.storage import Storage
from tabgrad.late import load_function, missing_name
from tabgrad.memory import Lineage, Memory, Path, row_major, strides
from tabgrad.methods import TensorMethods
from tabgrad.placement import check_placement, device, device_named
from tabgrad.printing import shown
from tabgrad.session import Session, current
from tabgrad.sizes import Size, size_of

if TYPE_CHECKING:
    from tabgrad.autograd.hooks import LeafHooks
    from tabgrad.autograd.records import Context
    from tabgrad.tracing.segment import Segment


LATE = frozenset({"_node", "_ctx", "_memory", "_path", "_version", "_lineage"})
"""What a deferred tensor does not have until somebody looks."""


class Tensor(TensorMethods):
    """An n-dimensional array of one dtype. Ops on it record; nothing runs until a value is needed."""

    __slots__ = (
        "__dict__", "__weakref__", "_ctx", "_dtype", "_grad", "_hooks", "_lineage", "_memory", "_node", "_path",
        "_requires_grad", "_session", "_shape", "_slot", "_trace", "_version",
    )  # fmt: skip

    _node: Node
    _ctx: Context | None
    _session: Session | None  # whose memory it is or is computed from; None of numbers that lie nowhere yet
    _memory: Memory | None  # what it shows; None while no other tensor shows any of it
    _path: Path  # the views by which it does
    _lineage: Lineage | None  # the tensors among which it is that show the memory, and are recorded as views
    _shape: Size
    _dtype: DType
    _trace: Segment | None  # the trace of calls that it is part of, or was
    _slot: int  # its place there
    _requires_grad: bool
    _grad: Tensor | None
    _hooks: LeafHooks | None  # of a leaf: functions to call with its gradient

    def __init__(self, *data: Any) -> None:
        """As ``torch.Tensor``: of sizes, which it is filled with zeros for, or of values, in float32 whatever they are.

        :func:`tabgrad.tensor` keeps the values' dtype.
        """
        if len(data) != 1 or (isinstance(data[0], int | np.integer) and not isinstance(data[0], bool)):
            if not all(isinstance(n, int | np.integer) and n >= 0 for n in data):
                raise TypeError(
                    f"Tensor: expected sizes, or one sequence of values, got {data}; use tabgrad.tensor(...)"
                )
            self._set(_node_of(np.zeros(data or (0,), np.float32), None), current())
        else:
            (values,) = data
            if not isinstance(values, Sequence | np.ndarray | Tensor):
                raise TypeError(
                    f"Tensor: expected sizes, or one sequence of values, got {values!r}; use tabgrad.tensor(...)"
                )
            self._set(_node_of(values, dtypes.float32), current())

    def _set(self, node: Node, session: Session | None) -> None:
        self._node = node
        self._shape, self._dtype = size_of(node.shape), node.dtype
        self._session = session
        if node.dtype is dtypes.float64:
            (session or current()).check_float64()
        self._trace = self._ctx = None
        self._memory = None
        self._path = ()
        self._version = 0
        self._lineage = None
        self._grad = self._hooks = None
        self._requires_grad = False
        self._watch()

    def _watch(self) -> None:
        if self._node.op is not graph.BUFFER:
            lazy, key = (self._session or current()).lazy, id(self)
            lazy[key] = weakref.ref(self, lambda _: lazy.pop(key, None))

    @classmethod
    def _of(cls, data: Any, dtype: DType | None = None) -> Tensor:
        """Host data, the current session's; without a dtype, in its own."""
        session, node = current(), _node_of(data, dtype)
        if session.constants is not None and node.storage is not None:
            session.constants.append(node.storage)
        return cls._from_node(node, session)

    @classmethod
    def _from_node(cls, node: Node, session: Session | None = None) -> Tensor:
        tensor = Tensor.__new__(Tensor)
        tensor._set(node, session)
        return tensor

    # Deferred: the result of a call that was recognised, and has not been executed

    def __getattr__(self, name: str) -> Any:
        if name not in LATE:
            if load_function(name) and name in TensorMethods.__dict__:
                return getattr(self, name)
            raise missing_name("tabgrad.Tensor", name)
        assert self._trace is not None
        self._trace.settle(self)
        return object.__getattribute__(self, name)

    def _take_over(self, other: Tensor) -> None:
        """This deferred tensor is the one that was made now."""
        self._node, self._session, self._ctx, self._version = other._node, other._session, other._ctx, other._version
        self._memory, self._path, self._lineage = other._memory, other._path, other._lineage
        if self._ctx is not None and self._ctx.made() is other:
            self._ctx.made = weakref.ref(self)
        if self._memory is not None:
            self._memory.leave(other)
            self._memory.join(self)
        if self._lineage is not None and self._lineage.first() is other:
            self._lineage.first = weakref.ref(self)
        self._watch()

    # What it is

    shape = property(operator.attrgetter("_shape"), doc="Sizes of the dimensions, a :class:`tabgrad.Size`.")

    @property
    def dtype(self) -> DType:
        """Element type."""
        return self._dtype

    @property
    def device(self) -> device:
        """That of its session: ``webgpu``, or ``cpu`` where NumPy computes."""
        return device_named((self._session or current()).device.name)

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._shape)

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded op made this tensor."""
        known = None if self._trace is None else self._trace.is_leaf(self)
        return self._ctx is None if known is None else known

    @property
    def grad_fn(self) -> Context | None:
        """The recorded op that made this tensor."""
        ctx = self._ctx
        return None if ctx is None else ctx.grad_fn_of_tensor()

    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of one dimension."""
        if dim is None:
            return self.shape
        if not isinstance(dim, int) or not -self.ndim <= dim < self.ndim:
            raise IndexError(f"size: expected dim from {-self.ndim} to {self.ndim - 1}, got {dim!r}")
        return self.shape[dim]

    def dim(self) -> int:
        """Number of dimensions."""
        return self.ndim

    def numel(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def element_size(self) -> int:
        """Bytes of an element: of a bool four here."""
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.numel() * self.dtype.itemsize

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of a 0-d tensor")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        """In PyTorch's form, with the values; where Python cannot wait for them, ``await tensor.read()`` gives them."""
        extra = f"grad_fn={self.grad_fn}" if self._ctx else "requires_grad=True" if self.requires_grad else ""
        session = self._session or current()
        if session.capturing() is not None or self._node.is_stand_in:
            return shown("<recorded>", self._shape, self._dtype, extra, session)
        try:
            values: np.ndarray | str = self.detach()._values()
        except DeviceError:  # this platform cannot wait for a value
            values = "<on device>"
        return shown(values, self._shape, self._dtype, extra, session)

    # Values

    def item(self) -> Any:
        """The only element as a Python number; waits for the device, as :meth:`numpy` does."""
        if self.numel() != 1:
            raise ShapeError(f"item: expected a tensor with one element, got shape {list(self.shape)}")
        return self._values().reshape(()).item()

    def tolist(self) -> Any:
        """The value as nested Python lists; waits for the device."""
        return self._values().tolist()

    def _values(self) -> np.ndarray:
        """The value as an array; bfloat16, which NumPy lacks, as float32."""
        with no_grad():
            return (self.float() if self.dtype is dtypes.bfloat16 else self).numpy()

    def _bare(self) -> Tensor:
        """The same value, which no gradient is asked of."""
        return Tensor._from_node(self._node, self._session)

    def _at_present(self) -> Tensor:
        """The same value, recorded as it is now: what is done to this tensor in place does not change it."""
        out = self._bare()
        out._ctx, out._requires_grad = self._ctx, self.requires_grad
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self.numpy() if dtype is None else self.numpy().astype(dtype)

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __index__(self) -> int:
        if self.dtype.category != 1 or self.numel() != 1:
            raise TypeError(
                f"index: expected one integer, got a {self.dtype.name} tensor of shape {list(self.shape)}; "
                f"use int(tensor)"
            )
        return int(self.item())

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if self.ndim == 0 and spec else object.__format__(self, spec)

    def __contains__(self, element: Any) -> bool:
        if not isinstance(element, Tensor | int | float | np.generic):
            raise ArgumentTypeError(f"in: expected a number or a Tensor, got {type(element).__name__}")
        return bool((self == element).any())

    def __bool__(self) -> bool:
        if self.numel() != 1:
            raise ShapeError(
                f"bool: expected a tensor with one element, got shape {list(self.shape)}; use .any() or .all()"
            )
        return bool(self.item())

    # Autograd

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Ask for gradients with respect to this leaf.

        Raises:
            GradError: the dtype is not floating point, or the tensor is not a leaf.
        """
        if not isinstance(requires_grad, bool):
            raise TypeError(f"requires_grad_: expected True or False, got {requires_grad!r}")
        if requires_grad and not self.dtype.is_floating_point:
            raise GradError(f"requires_grad_: expected a floating-point tensor, got {self.dtype}")
        if not requires_grad and not self.is_leaf:
            raise GradError("requires_grad_: expected a leaf tensor, got the result of an op; use detach()")
        self._requires_grad = requires_grad
        return self

    requires_grad = property(
        operator.attrgetter("_requires_grad"), requires_grad_, doc="Whether gradients are recorded for it."
    )

    @property
    def grad(self) -> Tensor | None:
        """The sum of the gradients that :meth:`backward` has computed; None before, and of most results of ops."""
        grad = self._grad
        if grad is None and self._requires_grad and not self.is_leaf and not self.retains_grad:
            warnings.warn(
                "grad: expected a leaf, or a tensor whose retain_grad() was called, got the result of an op: the .grad "
                "attribute of a Tensor that is not a leaf Tensor is being accessed, which backward() does not set; "
                "call retain_grad() before",
                UserWarning,
                stacklevel=2,
            )
        return grad

    @grad.setter
    def grad(self, grad: Tensor | None) -> None:
        if grad is not None:
            _check_grad(self, grad)
        self._grad = grad

    @grad.deleter
    def grad(self) -> None:
        self._grad = None

    def retain_grad(self) -> None:
        """Keep ``.grad`` of this non-leaf tensor in :meth:`backward`.

        Raises:
            GradError: the tensor requires no gradient.
        """
        if not self._requires_grad:
            raise GradError(
                "retain_grad: can't retain_grad on Tensor that has requires_grad=False; expected one that requires grad"
            )
        if self._ctx is not None:
            self._ctx.retains = True

    @property
    def retains_grad(self) -> bool:
        """Whether :meth:`backward` sets ``.grad`` of this result of an op; False of leaves, of which it always does."""
        return self._ctx is not None and self._ctx.retains

    def detach_(self) -> Self:
        """Let it be a leaf that requires no gradient, with the value that it has.

        Raises:
            GradError: it is a view of another tensor, which would be part of the record still; use :meth:`detach`.
        """
        if self._path and self._lineage is not None and self._ctx is not None:
            raise GradError("detach_: can't detach views in-place; expected no view of another tensor, use detach()")
        recording = None if self._session is None else self._session.capturing()
        if recording is not None:
            recording.recorded.append((self, self._ctx))
        self._ctx, self._requires_grad = None, False
        if self._lineage is not None and self._lineage.first() is self:
            if recording is not None:
                recording.recorded.append((self._lineage, self._lineage.ctx))
            self._lineage.ctx = None
        return self

    def is_inference(self) -> bool:
        """False: what is made in ``inference_mode`` is a tensor as others, of which no gradient was recorded."""
        return False

    @property
    def data(self) -> Tensor:
        """As :meth:`detach`; setting it lets this tensor show another one's memory."""
        return self.detach()

    @data.setter
    def data(self, other: Tensor) -> None:
        self.set_(other)

    def __deepcopy__(self, memo: dict[int, Any]) -> Tensor:
        """A leaf with a copy of the value and of ``.grad``, as ``copy.deepcopy(model)`` needs it.

        Raises:
            GradError: the tensor is the result of a recorded op.
        """
        if self._ctx is not None:
            raise GradError("deepcopy: expected a leaf tensor, got the result of an op; use detach().clone()")
        with no_grad():
            node = self.clone()._node
        out = type(self).__new__(type(self))
        memo[id(self)] = out
        out._set(node, self._session)
        out._requires_grad = self.requires_grad
        out._grad = None if self._grad is None else self._grad.__deepcopy__(memo)
        return out

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(
            "pickle: expected host data, got a Tensor, which lies on a device; "
            "use tensor.numpy(), or tabgrad.save for a state_dict"
        )

    # Memory

    def _own(self) -> Memory:
        """The memory that it shows; from now on others may show it, too."""
        if self._memory is None:
            self._memory, self._lineage = Memory(self._node), Lineage(self)
            self._memory.join(self)
        return self._memory

    def _share(self, other: Tensor) -> None:
        """This new tensor shows what ``other`` does, and is recorded by itself."""
        self._memory, self._path = other._own(), other._path
        self._lineage = Lineage(self)
        self._memory.join(self)

    def _show(self, base: Tensor, op: Op, attrs: dict[str, Any]) -> None:
        """This new tensor is a view of ``base``, where memory can be viewed so."""
        view = op.lowering
        assert isinstance(view, View)
        if view.strides is None or (view.copies is not None and view.copies(attrs)):
            return
        if base._path and view.strides(attrs, base.shape, base.stride()) is None:  # what follows itself can be viewed
            return
        self._memory, self._path = base._own(), (*base._path, (op, attrs))
        self._lineage = base._lineage if is_recording() else None
        self._memory.join(self)

    def _claim(self) -> bool:
        """Whether no other living tensor shows its memory, which then is its own."""
        if self._memory is not None and all(t is self for t in self._memory.members()):
            self._memory, self._path, self._lineage = None, (), None
        return self._memory is None

    def _become(self, node: Node, session: Session | None) -> None:
        """Give it, or the memory of which it shows a part, another value; all that show the memory see it."""
        if self._memory is None:
            self._node, self._session = node, session
            self._watch()
        else:
            for tensor in self._memory.members():
                tensor._session = session or tensor._session
            self._memory.set(node)

    def stride(self, dim: int | None = None) -> Any:
        """How many elements lie between neighbours along each dimension, or one."""
        found = strides(self._memory.node.shape, self._path) if self._memory is not None else row_major(self.shape)
        return found if dim is None else found[dim]

    def is_contiguous(self, memory_format: Any = None) -> bool:
        """Whether its elements follow each other in memory, in row-major order, the only one there is."""
        check_placement("is_contiguous", {"memory_format": memory_format})
        return all(n == 1 or a == b for n, a, b in zip(self.shape, self.stride(), row_major(self.shape), strict=True))

    # Conversions

    def _as(self, dtype: DType, memory_format: Any) -> Tensor:
        if memory_format is not None:
            check_placement("to", {"memory_format": memory_format})
        return self.to(dtype)

    def float(self, memory_format: Any = None) -> Tensor:
        """As float32."""
        return self._as(dtypes.float32, memory_format)

    def int(self, memory_format: Any = None) -> Tensor:
        """As int32."""
        return self._as(dtypes.int32, memory_format)

    def long(self, memory_format: Any = None) -> Tensor:
        """As int64, which is stored as int32."""
        return self._as(dtypes.int32, memory_format)

    def double(self, memory_format: Any = None) -> Tensor:
        """As float64, which exists on the reference device.

        Raises:
            DTypeError: a GPU computes, and :func:`tabgrad.float64_as_float32` has not been called.
        """
        return self.to(dtypes.float64, memory_format=memory_format)

    def short(self, memory_format: Any = None) -> Tensor:
        """As int16; numbers wrap around."""
        return self.to(dtypes.int16, memory_format=memory_format)

    def half(self, memory_format: Any = None) -> Tensor:
        """As float16."""
        return self._as(dtypes.float16, memory_format)

    def bfloat16(self, memory_format: Any = None) -> Tensor:
        """As bfloat16."""
        return self._as(dtypes.bfloat16, memory_format)

    def byte(self, memory_format: Any = None) -> Tensor:
        """As uint8; numbers wrap around."""
        return self._as(dtypes.uint8, memory_format)

    def char(self, memory_format: Any = None) -> Tensor:
        """As int8; numbers wrap around."""
        return self._as(dtypes.int8, memory_format)

    def bool(self, memory_format: Any = None) -> Tensor:
        """As bool."""
        return self._as(dtypes.bool_, memory_format)


def _check_grad(tensor: Tensor, grad: Any) -> None:
    """Whether it may be a tensor's ``.grad``."""
    if not isinstance(grad, Tensor):
        raise TypeError(f"grad: assigned grad expected to be a Tensor or None, got {type(grad).__name__}")
    if grad is tensor:
        raise GradError("grad: expected another tensor, got the tensor itself: can't assign Variable as its own grad")
    if grad._dtype is not tensor._dtype:
        raise DTypeError(f"grad: expected a gradient of {tensor._dtype.name}, as its tensor, got {grad._dtype.name}")
    if grad._shape != tensor._shape:
        raise ShapeError(f"grad: expected a gradient {list(tensor._shape)}, as its tensor, got {list(grad._shape)}")


def _node_of(data: Any, dtype: DType | None) -> Node:
    """A buffer node over a host copy of ``data``."""
    if isinstance(data, Tensor):
        raise DTypeError("tensor: expected numbers or an array, got a Tensor; use tensor.clone() or tensor.detach()")
    if isinstance(data, np.ndarray | np.generic):
        array = np.asarray(data)
        if array.dtype == np.float64 and isinstance(data, np.float64) and dtype is not dtypes.float64:
            array = array.astype(np.float32)  # a bare NumPy scalar, as Python's float
    else:
        array = _from_python(data, exact=dtype is dtypes.float64)
    target = current().stored_as(dtype or dtypes.from_numpy_dtype(array.dtype))
    stored = dtypes.to_storage(array, target)
    if stored is data or stored.base is not None or np.shares_memory(stored, array):
        stored = stored.copy()  # later changes to the caller's array must not reach the tensor
    return graph.buffer(Storage(stored.nbytes, stored), array.shape, target)


def _from_python(data: Any, *, exact: bool = False) -> np.ndarray:
    """Numbers as an array; floats as float32, PyTorch's default dtype, unless they are wanted exactly."""
    try:
        array = np.asarray(data)
    except ValueError as error:
        raise ShapeError(f"tensor: expected nested sequences of equal lengths; {error}") from None
    if array.dtype == np.float64 and not exact:
        with np.errstate(over="ignore"):  # overflow gives infinity, as in PyTorch
            array = array.astype(np.float32)
    if array.dtype == object or array.dtype.kind in "US":
        raise DTypeError(f"tensor: expected numbers, got {type(data).__name__} of {array.dtype}")
    return array


def session_of(tensors: Iterable[Tensor]) -> Session | None:
    """The session that these tensors belong to; None where they are numbers that lie nowhere yet.

    Raises:
        DeviceError: they belong to several.
    """
    found: Session | None = None
    for tensor in tensors:
        session = tensor._session
        if session is not found and session is not None:
            if found is not None:
                raise DeviceError(
                    f"session: expected tensors of one session, got one of device '{found.device.name}' and one of "
                    f"another session, of device '{session.device.name}'; move it: tabgrad.tensor(other.numpy())"
                )
            found = session
    return found
