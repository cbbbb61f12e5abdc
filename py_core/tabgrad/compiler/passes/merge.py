"""Merge kernels where that saves reading or a launch: over the same elements, or over the same rows.

Reductions over the same rows share a kernel: one may use another's result, and so may values computed for every
element of the row afterwards (mean, variance, normalise). Independent ones share a pass over their operands.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

from tabgrad.compiler.passes.depth import MOST_VALUES, longest_chain
from tabgrad.compiler.passes.frame import Frame, in_frame, reduction_frame
from tabgrad.compiler.passes.fuse import Fuser
from tabgrad.compiler.passes.kernel import Kernel, keeps_elements, parts
from tabgrad.compiler.target import Target
from tabgrad.graph.node import BUFFER
from tabgrad.graph.op import Kind
from tabgrad.graph.walk import reached
from tabgrad.ops.reduce import REDUCE

MOST_REDUCTIONS = 6  # in one kernel: each keeps its partial results in workgroup memory
ROW_THREADS, COLUMN_THREADS = 256, 32  # that share a row or a column, at most
SHORT_ROW, SHORT_COLUMN = 8192, 1024  # elements that so few threads are through with soon
SMALL = 2**17  # elements below which a launch costs more than idle threads
NEAR = 64  # values between two big kernels that may share a launch
TINY = 2**10  # elements below which a launch costs more than anything


class Merger:
    """Merges a graph's kernels, in order, each into an earlier one."""

    def __init__(self, fuser: Fuser, target: Target) -> None:
        self.fuser = fuser
        self.entries = fuser.entries
        self.wanted = fuser.wanted
        self.target = target
        self.limit = target.limits.max_storage_buffers
        self.stored: set[int] = set()
        self.writer: dict[int, Kernel] = {}  # stored value -> its kernel
        self.readers: dict[int, list[Kernel]] = defaultdict(list)  # loaded value -> kernels, those to come included
        self.sources: dict[int, list[int]] = {}  # id of a kernel -> what it reads of other kernels
        self.number: dict[int, int] = {}  # id of a kernel that is done -> its place
        self.alike: dict[Frame | int | None, list[Kernel]] = defaultdict(
            list
        )  # kernels that are done, by rows or by size

    def merge(self, kernels: list[Kernel]) -> list[Kernel]:
        """The kernels that remain."""
        self.stored = {s for k in kernels for s in k.stores}
        for kernel in kernels:
            self._enter(kernel)
        return self._pass(self._pass(kernels, self._partner), self._companion)

    def _pass(self, kernels: list[Kernel], partner: Callable[[Kernel], Kernel | None]) -> list[Kernel]:
        self.number.clear()
        self.alike.clear()
        done: dict[int, Kernel] = {}
        for n, each in enumerate(kernels):
            kernel = each
            while (target := partner(kernel)) is not None:
                self._join(target, kernel)
                del done[self.number.pop(id(target))]
                for group in self.alike.values():
                    if target in group:
                        group.remove(target)
                kernel = target
                if self._frame(kernel) is None:
                    break
            self.number[id(kernel)] = n
            done[n] = kernel
            self.alike[self._likeness(kernel)].append(kernel)
        return [done[n] for n in sorted(done)]

    def _join(self, target: Kernel, kernel: Kernel) -> None:
        """Let ``target`` compute what ``kernel`` does, too."""
        stores = self._kept(target, kernel)
        for k in (target, kernel):
            self._forget(k)
        self.stored -= {*target.stores, *kernel.stores} - set(stores)
        target.stores = stores
        self.fuser.fill(target, self.stored)
        self._enter(target)

    def _enter(self, kernel: Kernel) -> None:
        for s in kernel.stores:
            self.writer[s] = kernel
        for i in kernel.loads:
            self.readers[i].append(kernel)
        loaded = [p for i in kernel.loads for p in parts(self.entries, i)]
        self.sources[id(kernel)] = [p for p in loaded if self.entries[p].op is not BUFFER]

    def _forget(self, kernel: Kernel) -> None:
        for s in kernel.stores:
            del self.writer[s]
        for i in kernel.loads:
            self.readers[i].remove(kernel)

    def _kept(self, target: Kernel, kernel: Kernel) -> list[int]:
        """What the two store once they are one."""

        def needed(s: int) -> bool:
            return s in self.wanted or any(k is not target and k is not kernel for k in self.readers[s])

        return sorted(filter(needed, (*target.stores, *kernel.stores)))

    def _partner(self, kernel: Kernel) -> Kernel | None:
        if kernel.heavy is not None and self._frame(kernel) is None:
            return None
        for other in self._candidates(kernel):
            if self._fits(kernel, other) and self._can_join(kernel, other):
                return other
        return None

    def _companion(self, kernel: Kernel) -> Kernel | None:
        """A kernel over the same rows, or as many elements, where a launch costs more than the work."""
        alike = self._likeness(kernel)
        for other in reversed(self.alike[alike]) if alike is not None else ():
            if isinstance(alike, Frame) and alike.size > SMALL and self._distance(kernel, other) > NEAR:
                break
            fits = self._fits_rows(kernel, other, alike) if isinstance(alike, Frame) else self._apart(kernel, other)
            if fits and self._can_join(kernel, other):
                return other
        return None

    def _likeness(self, kernel: Kernel) -> Frame | int | None:
        """What kernels must have in common to share a launch; None for a kernel that is better off alone."""
        frame = self._frame(kernel)
        if frame is not None:
            whole = any(self.entries[s].size == frame.size for s in kernel.stores)
            return frame if frame.size <= SMALL or not whole else None
        size = self.entries[kernel.stores[-1]].size
        return size if kernel.heavy is None and size <= TINY else None

    def _distance(self, kernel: Kernel, other: Kernel) -> int:
        """How far apart the first values of two kernels are; big operands of distant ones would be kept for long."""
        return abs(kernel.stores[0] - other.stores[0])

    def _apart(self, kernel: Kernel, other: Kernel) -> bool:
        """Whether neither of two kernels reads what the other stores."""
        return not any(
            p in second.stores
            for first, second in ((kernel, other), (other, kernel))
            for i in first.loads
            for p in parts(self.entries, i)
        )

    def _can_join(self, kernel: Kernel, other: Kernel) -> bool:
        if any(self.entries[s].dtype.is_narrow for s in (*kernel.stores, *other.stores)):
            return False  # each stores whole words
        return self._within_limits(kernel, other) and not self._between(other, kernel) and self._short(kernel, other)

    def _short(self, kernel: Kernel, other: Kernel) -> bool:
        """Whether no expression becomes too long for what is no longer stored."""
        values = {*kernel.inline, *other.inline}
        if len(values) <= MOST_VALUES:
            return True
        return longest_chain(self.entries, values, set(self._kept(other, kernel))) <= MOST_VALUES

    def _candidates(self, kernel: Kernel) -> list[Kernel]:
        """Kernels that are done and have a buffer in common with ``kernel``: newest first."""
        found: dict[int, Kernel] = {}
        for load in kernel.loads:
            source = self.writer.get(load)
            for k in (*self.readers[load], *([source] if source else [])):
                if id(k) in self.number:
                    found[self.number[id(k)]] = k
        return [found[n] for n in sorted(found, reverse=True)]

    def _frame(self, kernel: Kernel) -> Frame | None:
        """The rows over which a kernel reduces; None if it does not, or each row is one element."""
        if kernel.heavy is None or self.entries[kernel.heavy].op is not REDUCE:
            return None
        frame = reduction_frame(self.entries, kernel.heavy)
        return frame if frame.extent > 1 else None

    def _fits(self, kernel: Kernel, other: Kernel) -> bool:
        if self._packed(kernel).intersection(other.stores):
            return False
        mine, theirs = self._frame(kernel), self._frame(other)
        feeds = [s for s in other.stores if s in kernel.loads]
        if mine is None and theirs is None:
            (root,) = kernel.stores  # as it began
            if self.entries[other.stores[-1]].size != self.entries[root].size:
                return False
            related = bool(feeds) or (other.heavy is None and bool(set(kernel.loads) & set(other.loads)))
            return related and all(self._in_step(root, s) for s in feeds)
        if mine is None or theirs is None:
            if not feeds or (theirs is None and other.heavy is not None):
                return False
        elif mine != theirs or not self._share_elements(kernel, other, mine):
            return False
        frame = mine or theirs
        assert frame is not None
        return self._fits_rows(kernel, other, frame)

    def _share_elements(self, kernel: Kernel, other: Kernel, frame: Frame) -> bool:
        """Whether two kernels read the same elements, or one reduces what the other computes."""
        if any(2 * self.entries[i].size > frame.size for i in set(kernel.loads) & set(other.loads)):
            return True
        pairs = ((kernel, other), (other, kernel))
        return any(
            self._reads(self.entries[h].args[0], s)
            for first, second in pairs
            for h in first.heavies
            for s in second.stores
        )

    def _fits_rows(self, kernel: Kernel, other: Kernel, frame: Frame) -> bool:
        if self._packed(other).intersection(kernel.stores) or self._packed(kernel).intersection(other.stores):
            return False
        if len(kernel.heavies) + len(other.heavies) > MOST_REDUCTIONS:
            return False
        stores = {*kernel.stores, *other.stores}
        loads = {*kernel.loads, *other.loads} - stores
        if not all(in_frame(self.entries, frame, s, stores - {s}, loads) for s in sorted(stores)):
            return False
        whole = [s for s in self._kept(other, kernel) if self.entries[s].size == frame.size]
        return not whole or (self._occupies(frame) and not self._overwrites(whole, kernel, other))

    def _occupies(self, frame: Frame) -> bool:
        """Whether rows alone give the adapter enough to do."""
        if self.target.software:
            return frame.total * 4 >= self.target.busy_threads or frame.size <= SMALL // 8
        most, short = (COLUMN_THREADS, SHORT_COLUMN) if frame.columns else (ROW_THREADS, SHORT_ROW)
        return frame.extent <= short or frame.total * min(most, frame.extent) >= 4 * self.target.busy_threads

    def _overwrites(self, stores: list[int], *kernels: Kernel) -> bool:
        """Whether a value is written over memory that the kernels read: it would have to be copied at the end."""
        read = {self.entries[i].slot for k in kernels for i in k.loads if self.entries[i].op is BUFFER}
        return any(slot in read for s in stores for slot, _ in self.fuser.written.get(s, ()))

    def _within_limits(self, kernel: Kernel, other: Kernel) -> bool:
        stores = self._kept(other, kernel)
        reads = {*kernel.loads, *other.loads} - {*kernel.stores, *other.stores}
        return self.fuser.bindings(reads, stores) <= self.limit

    def _packed(self, kernel: Kernel) -> set[int]:
        """The values in the packs that a kernel reads: not at their own elements."""
        packs = [i for i in kernel.loads if self.entries[i].op.kind is Kind.PACK]
        return {p for i in packs for p in parts(self.entries, i)}

    def _in_step(self, root: int, source: int) -> bool:
        """Whether ``root`` reads ``source`` only at its own element."""

        def ends(i: int) -> bool:
            return i == source or (i != root and i in self.stored)

        def stays(i: int) -> bool:
            return keeps_elements(self.entries[i])

        below = reached([root], lambda i: self.entries[i].args if stays(i) and not ends(i) else ())
        moved = (i for i in below if not ends(i) and not stays(i))
        return not any(self._reads(a, source) for i in moved for a in self.entries[i].args)

    def _reads(self, index: int, source: int) -> bool:
        return source in reached([index], lambda i: () if i in self.stored else self.entries[i].args)

    def _between(self, first: Kernel, last: Kernel) -> bool:
        """Whether a third kernel needs one and is needed by the other: merged, they would wait for themselves."""

        writer, sources = self.writer, self.sources

        def needs(kernel: Kernel) -> list[Kernel]:
            return [k for p in sources[id(kernel)] if (k := writer.get(p)) is not None and k is not kernel]

        others = [k for k in (*needs(first), *needs(last)) if k is not first and k is not last]
        return any(k is first or k is last for k in reached(others, needs))
