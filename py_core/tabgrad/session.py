"""All that lasts longer than a call has one owner; several of them work side by side, each on a device of its own."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, TypeVar

from tabgrad.devices import KINDS, DeviceKind, automatic, open_device
from tabgrad.devices.base import Device
from tabgrad.dtypes import DType, float32, float64
from tabgrad.errors import DeviceError, DTypeError, TabgradError
from tabgrad.graph.aliases import Aliases
from tabgrad.graph.node import BUFFER
from tabgrad.graph.storage import Storage
from tabgrad.placement import device, device_named, is_device
from tabgrad.random import Generator

if TYPE_CHECKING:
    from tabgrad.runtime.dependencies import Capture
    from tabgrad.runtime.observers import Observer, Profiler
    from tabgrad.tensor import Tensor

T = TypeVar("T")


class TakesFloat32:
    """float32 is taken for float64."""

    told = False  # whether the user has been told


class Session:
    """Owns a device, and all that is known, waiting or under way on it.

    ``tabgrad.*`` works with a default session. Inside ``with Session("reference"):`` this thread and this asyncio task
    work with another one: what is made there belongs to it and computes on its device, wherever it is used later.
    Tensors of different sessions do not meet in an op.

    Args:
        device: what it computes on: a kind, opened when it is first needed, or a device that is open already.
    """

    def __init__(self, device: Device | DeviceKind = "auto") -> None:
        self.lock = threading.RLock()  # graphs, programs and memory are one thread's at a time
        self.generator = Generator.counting(0)  # of initial weights, shuffling and dropout
        self.lazy: dict[int, weakref.ref[Tensor]] = {}  # tensors whose value has not been computed, by id
        self.views: dict[int, weakref.ref[Tensor]] = {}  # of memory, that hold a value of their own
        self.aliases = Aliases()
        self.moves = 0  # how often tensors have been moved to other memory: then recordings look whether theirs have
        self.capture: Capture | None = None  # the step that is being recorded, if one is; see :meth:`capturing`
        self.profiler: Profiler | None = None  # what runs programs in the device's place, while a profile is taken
        self.observer: Observer | None = None  # what is notified of each graph and program, if there is an observer
        self.constants: list[Storage] | None = None  # where memory of numbers on the host is noted, if it is
        self.before_lazy: Callable[[], None] | None = None  # called before all lazy tensors are gone through
        self.takes_float32: TakesFloat32 | None = None  # for float64, if it was asked for
        self.reason: str | None = None  # why `auto` chose this device in place of a GPU
        self._opened: dict[str, Device] = {}
        self._device = device if isinstance(device, Device) else None
        self._wanted: DeviceKind = "auto" if isinstance(device, Device) else _known(device)
        self._owned: dict[Callable[[Session], Any], Any] = {}

    def __enter__(self) -> Self:
        _entered.set((self, _entered.get()))
        return self

    def __exit__(self, *_: object) -> None:
        entered = _entered.get()
        assert entered is not None
        _entered.set(entered[1])

    def own(self, kind: Callable[[Session], T]) -> T:
        """This session's object of a class, made with the session at the first request.

        So each part of the package keeps its state here, and this file need not know of it.
        """
        found = self._owned.get(kind)
        if found is None:
            with self.lock:
                found = self._owned.get(kind)
                if found is None:
                    found = self._owned[kind] = kind(self)
        return found

    # float64

    def stored_as(self, dtype: DType) -> DType:
        """The dtype of a tensor that is asked for in ``dtype``: float32 for float64 where the session says so."""
        if dtype is not float64 or self.takes_float32 is None:
            return dtype
        if not self.takes_float32.told:
            self.takes_float32.told = True
            warnings.warn(
                "float64: expected float32, got float64, and float32 is taken for it from now on in this session, as "
                "float64_as_float32() asks; results are less exact than PyTorch's",
                UserWarning,
                stacklevel=4,
            )
        return float32

    def check_float64(self) -> None:
        """Before a tensor of float64 is made.

        Raises:
            DTypeError: a GPU computes.
        """
        if self.device.name != "reference":
            raise DTypeError(
                f"tensor: expected float32 on the device '{self.device.name}', as GPUs have no float64 in WGSL, got "
                f"float64; use float32 (array.astype('float32')), or call tabgrad.float64_as_float32() first"
            )

    # Device

    @property
    def device(self) -> Device:
        """What it computes on; opened at the first request.

        Raises:
            DeviceError: this machine cannot offer the device; says why and what to do.
        """
        return self._device or self.select(self._wanted)

    def select(self, device: Device | DeviceKind) -> Device:
        """Compute on another device from now on, of a kind or open already.

        Tensors that lie on a device stay there, so choose first.

        ``auto`` is WebGPU where there is any: ``web`` inside Pyodide, ``native`` elsewhere. Where there is none it is
        ``reference``, and :attr:`reason` says why.

        Raises:
            DeviceError: the kind is unknown, or this machine cannot offer it; says why and what to do.
        """
        with self.lock:
            self.reason = None
            if isinstance(device, Device):
                self._device = device
            else:
                self._device = self._open_auto() if _known(device) == "auto" else self._open(device)
            return self._device

    def _open(self, kind: str) -> Device:
        if kind not in self._opened:
            self._opened[kind] = open_device(kind)
        return self._opened[kind]

    def _open_auto(self) -> Device:
        *better, last = automatic()
        for kind in better:
            try:
                return self._open(kind)
            except DeviceError as error:
                self.reason = self.reason or str(error)
        return self._open(last)

    # Recording

    def capturing(self) -> Capture | None:
        """The step that is being recorded, if the caller is part of it; another thread waits until it has been.

        Raises:
            RuntimeError: another task records a step, and was suspended while it did.
        """
        if self.capture is None:
            return None
        with self.lock:
            if self.capture is None or self.capture.owner == whose():
                return self.capture
            name = self.capture.name
        raise RuntimeError(
            f"compile: expected a recording to end before other tasks compute, got an operation of another task while "
            f"{name!r} was being recorded; a compiled step may not wait (await, run_sync, item()) while it is "
            f"recorded: call `await step.ready(...)` before other tasks start, and leave waiting out of the step"
        )

    def note_view(self, tensor: Tensor) -> None:
        """A view holds a value of its own now, until what it shows is overwritten."""
        if tensor._path and id(tensor) not in self.views:
            views, key = self.views, id(tensor)
            views[key] = weakref.ref(tensor, lambda _: views.pop(key, None))

    def lazy_tensors(self) -> list[Tensor]:
        """Living tensors whose value has not been computed, oldest first."""
        if self.before_lazy is not None:
            self.before_lazy()
        if not self.lazy:
            return []
        found = []
        for key, ref in list(self.lazy.items()):
            tensor = ref()
            if tensor is None:
                continue
            if tensor._node.op is BUFFER:
                self.lazy.pop(key, None)  # computed since
            else:
                found.append(tensor)
        return found


def _known(kind: DeviceKind) -> DeviceKind:
    if kind not in KINDS:
        raise DeviceError(f"device: expected one of {', '.join(KINDS)}, got {kind!r}")
    return kind


DEFAULT = Session()
"""Whose the code outside of any ``with Session():`` is."""

# The session that this thread and task have entered, and the one before it, and so on.
_entered: contextvars.ContextVar[tuple[Session, Any] | None] = contextvars.ContextVar("session", default=None)


def current() -> Session:
    """The session that the running code belongs to."""
    entered = _entered.get()
    return DEFAULT if entered is None else entered[0]


def whose() -> tuple[int, Any]:
    """The thread and the asyncio task that ask."""
    try:
        task = asyncio.current_task()
    except RuntimeError:  # no event loop
        task = None
    return threading.get_ident(), task


# What users call without naming a session


def set_default_device(kind: Any) -> Device:
    """Choose what computes: ``auto``, ``web``, ``native`` or ``reference``; PyTorch's names mean the one in use.

    Choose before making tensors: data stays where it was first used.

    Raises:
        DeviceError: this machine cannot offer the device; says why and what to do.
    """
    return current().device if is_device(kind) else current().select(kind)


def float64_as_float32(enabled: bool = True) -> None:
    """Take float32 wherever a program asks for float64, which GPUs do not have; a warning says it once."""
    session = current()
    with session.lock:
        if session.before_lazy is not None:
            session.before_lazy()  # calls that were put off mean what was asked for when they were made
        session.moves += 1  # and those that are known may mean something else from now on
        session.takes_float32 = TakesFloat32() if enabled else None


def get_default_device() -> device:
    """Where tensors are made, as :attr:`tabgrad.Tensor.device`."""
    return device_named(current().device.name)


def manual_seed(seed: int) -> Generator:
    """Seed the default generator: initial weights, shuffling, dropout.

    Raises:
        TabgradError: a compiled step calls it; replays would not.
    """
    recording = current().capturing()
    if recording is not None:
        raise TabgradError(
            f"manual_seed: expected a call outside of compiled steps, got one in {recording.name!r}, which replays "
            f"would not repeat; seed where the step is called"
        )
    return current().generator.manual_seed(seed)


def initial_seed() -> int:
    """The default generator's seed."""
    return current().generator.initial_seed()


__all__ = [
    "DEFAULT", "Session", "current", "float64_as_float32", "get_default_device", "initial_seed", "manual_seed",
    "set_default_device", "whose",
]  # fmt: skip
