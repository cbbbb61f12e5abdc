"""A recorded step that runs again and again: compiled once, given new inputs and scalars, and memory for results."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tabgrad.compiler.compile import Compiled
from tabgrad.devices.base import Buffer, Device, Progress
from tabgrad.dtypes import DType, whole_words
from tabgrad.graph import node as graph
from tabgrad.graph.linearize import Linear
from tabgrad.graph.node import BUFFER, Node
from tabgrad.graph.op import Shape
from tabgrad.graph.storage import Storage
from tabgrad.runtime.evaluation import settle_before
from tabgrad.runtime.observers import Launch
from tabgrad.runtime.output_sets import OutputSet, OutputSets
from tabgrad.runtime.program_cache import CachedProgram, ProgramCache
from tabgrad.scalars import ScalarsLayout
from tabgrad.session import Session
from tabgrad.tensor import Tensor
from tabgrad.tuner import TunerRegistry


class Replay:
    """Runs of one recorded graph.

    Args:
        session: whose device it runs on.
        linear: the graph; its first roots are the results.
        inputs: the storages that stand for inputs, in order.
        written: ``id`` of each storage that the graph overwrites.
        scalars: what is asked again for each run, in order, used by the graph or not.
        types: of the results.
        drawn: storages of arrays, in storage form, that the host makes for each run, used by the graph or not.
    """

    def __init__(
        self,
        session: Session,
        linear: Linear,
        inputs: Sequence[Storage],
        written: set[int],
        scalars: Sequence[Node],
        types: Sequence[tuple[Shape, DType]],
        drawn: Sequence[tuple[Storage, Callable[[], np.ndarray]]] = (),
    ) -> None:
        self.session = session
        self.linear = linear
        self.cached: CachedProgram | None = None
        self._used = {id(s) for s in linear.storages}
        self._written = written
        self._layout = ScalarsLayout([n.dtype for n in linear.scalars])
        self._providers = [n.provider for n in scalars if n.provider is not None]
        asked = {id(n): at for at, n in enumerate(scalars)}
        self._scalars = [asked[id(n)] for n in linear.scalars]  # which of them the program takes
        self._takes_all = self._scalars == list(range(len(self._providers)))
        slots = {id(s): n for n, s in enumerate(linear.storages)}
        self._input_slots = [slots.get(id(s)) for s in inputs]
        self._drawn = [(slots.get(id(s)), Storage(s.size_bytes), make) for s, make in drawn]
        self._types = list(types)
        self._places: list[_Place] | None = None  # of the results; once it is compiled
        self._uploads: dict[int, Storage] = {}  # input position -> memory that host data is written to
        self._sets: OutputSets | None = None

    @property
    def compiled(self) -> Compiled:
        """The program; it exists after :meth:`ready` or the first run."""
        assert self.cached is not None
        return self.cached.compiled

    def num_kernels(self) -> int:
        """Compile to WGSL, without the driver's part; returns how many shaders there are."""
        return len(self._program().compiled.program.shaders)

    def _program(self) -> CachedProgram:
        return self.session.own(ProgramCache).of(self.linear, awaited=True)

    async def ready(self, on_progress: Progress | None = None) -> None:
        """Compile in the background."""
        cached = self._program()
        await cached.load_async(on_progress)
        self.cached = cached

    async def tune(self) -> None:
        """Measure the program's kernels now, within the budget; nothing runs meanwhile."""
        assert self.cached is not None
        self.cached.tune()
        await self.session.own(TunerRegistry).of(self.session.device).finish()

    def run(self, inputs: Sequence[Tensor], *, timed: bool = False) -> list[Tensor]:
        """Replay once; returns the results as soon as the work is queued. ``timed`` asks for the GPU time.

        The caller holds the session's lock.
        """
        session = self.session
        device = session.device
        if self.cached is None:
            cached = self._program()
            cached.load(suspending=True)  # before anything of this run is looked at
            self.cached = cached
        writes: list[tuple[Buffer, np.ndarray]] = []
        chosen: dict[int, Storage] = {}
        for position, (tensor, slot) in enumerate(zip(inputs, self._input_slots, strict=True)):
            if slot is None:
                continue
            chosen[slot] = self._input(device, position, tensor, writes)
        for slot, memory, make in self._drawn:
            host = make().reshape(-1)
            if slot is not None and host.size:
                writes.append((memory.on(device), whole_words(host)))
            if slot is not None:
                chosen[slot] = memory
        numbers = [ask() for ask in self._providers]
        settle_before(session, self._used, self._written)
        scalars = self._layout.pack(numbers if self._takes_all else [numbers[at] for at in self._scalars])
        if self._sets is None:
            self._sets = OutputSets(self.cached, self.linear.storages)
        outputs, bound = self._sets.take(device, chosen)
        profiler = session.profiler
        if profiler is None:
            if timed and device.clock is not None:
                device.clock.run(bound, scalars, writes)
            else:
                device.run(bound, scalars, writes)
        else:
            profiler.run(Launch(bound, scalars, writes, timed, self.linear.name))
        return self._results(outputs)

    def _input(self, device: Device, position: int, tensor: Tensor, writes: list[tuple[Buffer, np.ndarray]]) -> Storage:
        node = tensor._node
        if node.op is not BUFFER:
            tensor.realize()
            node = tensor._node
        storage = node.storage
        assert storage is not None
        if id(storage) in self._written:
            raise NotImplementedError(
                "compile: expected inputs that the step does not overwrite, got one that it does; "
                "pass input.clone(), or use it in the step without passing it"
            )
        if storage.host is None and node.offset == 0:
            return storage
        if position not in self._uploads:
            self._uploads[position] = Storage(node.size_bytes)
        upload = self._uploads[position]
        if storage.host is None:
            raise NotImplementedError(
                "compile: expected inputs that are tensors of their own, got a view into another tensor's memory; "
                "pass input.clone()"
            )
        host = storage.host.reshape(-1)[node.offset : node.offset + node.size]
        if host.size:
            writes.append((upload.on(device), whole_words(host)))
        return upload

    def _results(self, outputs: OutputSet) -> list[Tensor]:
        results: list[Tensor] = []
        outputs.results = []
        if self._places is None:
            self._places = self._placed()
        for place in self._places:
            node = graph.buffer(outputs.storages[place.storage], place.shape, place.dtype, place.offset)
            if place.is_alias:
                self.session.aliases.note(node)
            outputs.results.append(weakref.ref(node))
            results.append(Tensor._from_node(node, self.session))
        return results

    def _placed(self) -> list[_Place]:
        places, first = self.compiled.outputs, self.compiled.num_storages
        return [
            _Place(
                storage=place.external - first,
                offset=place.offset_bytes // dtype.itemsize,
                shape=shape,
                dtype=dtype,
                is_alias=place in places[:n],  # equal results are one value
            )
            for n, (place, (shape, dtype)) in enumerate(zip(places, self._types, strict=True))
        ]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Place:
    """Where a result lies."""

    storage: int  # among the outputs'
    offset: int  # in elements
    shape: Shape
    dtype: DType
    is_alias: bool  # whether an earlier result lies there
