"""The record of a call of a user's function: what it saves, and what its ``backward`` returns."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from tabgrad.autograd.hooks import RemovableHandle, called
from tabgrad.autograd.records import Context, Edge, edge_of
from tabgrad.autograd.saved_tensors import Saved, SavedResult
from tabgrad.dtypes import DType
from tabgrad.errors import GradError, ShapeError
from tabgrad.graph.node import const
from tabgrad.graph.op import Shape
from tabgrad.session import current
from tabgrad.tensor import Tensor


class Typed(NamedTuple):
    """The type of an argument or a result, in place of the tensor, which need not live as long."""

    shape: Shape
    dtype: DType | None

    def zeros(self) -> Tensor:
        """Of this type."""
        assert self.dtype is not None
        return Tensor._from_node(const(0.0, self.shape, self.dtype))


class FunctionCtx(Context):
    """The record of a call: what ``forward`` and ``backward`` are given as ``ctx``, and ``grad_fn`` of the results.

    Attributes that are set on it in ``forward`` are there in ``backward``.

    Attributes:
        needs_input_grad: of each argument, whether a gradient is asked of it.
    """

    def __init__(self, function: Any, args: tuple[Any, ...]) -> None:
        self.op_name = function.__name__
        self.grad_fn = function.backward
        self.needs_input_grad = tuple([isinstance(a, Tensor) and a.requires_grad for a in args])
        self.edges = tuple([edge_of(a) if isinstance(a, Tensor) else None for a in args])
        types: Any = tuple([Typed(a.shape, a.dtype) if isinstance(a, Tensor) else None for a in args])
        self.inputs = types
        self.versions, self.attrs = (), {}
        self.made = _nothing
        self.changed = self.retains = False
        self.hooks = None
        self.materialize_grads = True
        self._args: tuple[Any, ...] = args  # while forward runs
        self._to_save: tuple[Tensor | None, ...] = ()
        self._saved: list[Saved] = []
        self._outputs: list[Typed | None] = []  # of each result; None of those that are no tensors
        self._position = 0  # of the only result that is differentiated
        self._is_bundle = False  # whether there are several such
        self._without: tuple[Tensor, ...] = ()  # results that are not differentiated

    def name(self) -> str:
        """After the class, as PyTorch's."""
        return f"{self.op_name}Backward"

    # What users call in forward

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep arguments, results or other tensors for ``backward``, as :attr:`saved_tensors`.

        Raises:
            TypeError: one is neither a tensor nor None.
        """
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError(
                    f"save_for_backward: expected tensors or None, got {type(tensor).__name__}; keep it as an "
                    f"attribute of ctx"
                )
        self._to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """For ``jvp``, which is not called here: derivatives in forward mode go through ``backward``."""

    def mark_non_differentiable(self, *outputs: Tensor) -> None:
        """These results require no gradient; ``backward`` is given zeros for them."""
        self._without = outputs

    def mark_dirty(self, *_: Tensor) -> None:
        """Raises ``NotImplementedError``: a forward that changes its arguments in place is not supported."""
        raise NotImplementedError(
            "mark_dirty: expected a forward that leaves its arguments as they are, got one that changes them in place; "
            "return a new tensor, and copy_() it where the function is called"
        )

    def set_materialize_grads(self, value: bool) -> None:
        """Whether ``backward`` is given zeros in place of None for results that nothing was computed from."""
        self.materialize_grads = bool(value)

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What :meth:`save_for_backward` was given.

        Raises:
            GradError: one was changed in place since, or a backward pass has freed them.
        """
        self.check()
        return self._to_save if self._args else tuple([saved.tensor(self.op_name) for saved in self._saved])

    # When forward has returned

    def finish(self, found: Any) -> Any:
        """What the call returns: results that are recorded."""
        results = found if isinstance(found, tuple) else (found,)
        self._outputs = [Typed(r.shape, r.dtype) if isinstance(r, Tensor) else None for r in results]
        places = [n for n, r in enumerate(results) if self._is_differentiated(r)]
        self._is_bundle = len(places) > 1
        made = [self._recorded(r, n) if n in places else self._other(r) for n, r in enumerate(results)]
        if places and not self._is_bundle:
            self._position = places[0]
            self.made, self.node = weakref.ref(made[places[0]]), made[places[0]]._node
        by_raw = {id(raw): out for raw, out in zip(results, made, strict=True)}
        given = {id(a) for a in self._args}
        for tensor in self._to_save:
            out = None if id(tensor) in given else by_raw.get(id(tensor))
            self._saved.append(Saved(tensor) if out is None or out._ctx is None else SavedResult(out))
        self._args, self._to_save, self._without = (), (), ()
        return tuple(made) if isinstance(found, tuple) else made[0]

    def _is_differentiated(self, result: Any) -> bool:
        without = any(result is t for t in self._without)
        return isinstance(result, Tensor) and result.dtype.is_floating_point and not without

    def _recorded(self, result: Tensor, position: int) -> Tensor:
        out = sharing(result)
        out._requires_grad = True
        out._ctx = ResultOf(self, position, out) if self._is_bundle else self
        if out._lineage is not None:
            out._lineage.ctx = out._ctx
        return out

    def _other(self, result: Any) -> Any:
        return sharing(result) if any(result is a for a in self._args) and isinstance(result, Tensor) else result

    # What goes through it

    def out(self) -> Tensor:
        """The only result that is differentiated."""
        tensor = self.made()
        if tensor is None or tensor._ctx is not self:
            tensor = Tensor._from_node(self.node, current())
            tensor._ctx, tensor._requires_grad = self, True
        return tensor

    def pieces(self, grad: Any) -> tuple[Tensor | None, ...]:
        """What ``backward`` returns for each argument."""
        self.check()
        given = grad.found if isinstance(grad, Bundle) else {self._position: grad}
        grads: list[Tensor | None] = []
        for n, kind in enumerate(self._outputs):
            one = given.get(n)
            grads.append(kind.zeros() if one is None and kind is not None and self.materialize_grads else one)
        found = called(self.grad_fn, self, *grads)
        pieces = list(found) if isinstance(found, tuple | list) else [found]
        while len(pieces) > len(self.edges) and pieces[-1] is None:
            pieces.pop()
        if len(pieces) != len(self.edges):
            raise GradError(
                f"{self.op_name}: expected backward to return {len(self.edges)} gradients, one for each argument of "
                f"forward, got {len(pieces)}; return None where there is none"
            )
        return tuple([self._checked(n, piece) for n, piece in enumerate(pieces)])

    def _checked(self, n: int, piece: Any) -> Tensor | None:
        kind = self.inputs[n]
        if piece is None:
            return None
        if kind is None or not isinstance(piece, Tensor):
            expected = "None, as it is no tensor" if kind is None else "a tensor or None"
            raise GradError(
                f"{self.op_name}: expected {expected} as the gradient of argument {n}, got {type(piece).__name__}"
            )
        return piece if piece.shape == kind.shape or self.edges[n] is None else self._summed(n, piece, kind.shape)

    def _summed(self, n: int, piece: Tensor, shape: Shape) -> Tensor:
        extra = piece.ndim - len(shape)
        fits = extra >= 0 and all(a in (1, b) for a, b in zip(shape, piece.shape[extra:], strict=True))
        if not fits:
            raise ShapeError(
                f"{self.op_name}: expected a gradient {list(shape)} for argument {n}, as the argument, got "
                f"{list(piece.shape)}"
            )
        dims = [*range(extra), *(extra + d for d, a in enumerate(shape) if a == 1 and piece.shape[extra + d] != 1)]
        return piece.sum(tuple(dims), keepdim=True).reshape(shape)

    def free(self) -> None:
        """Let go of the values."""
        super().free()
        self._saved = []

    def register_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """As :meth:`Context.register_hook`, of a function with one differentiable result."""
        return self._of_one().after.add(hook)

    def register_prehook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """As :meth:`Context.register_prehook`, of a function with one differentiable result."""
        return self._of_one().before.add(hook)

    def _of_one(self) -> Any:
        if self._is_bundle:
            raise NotImplementedError(
                f"{self.op_name}: expected hooks on the record of a function with one differentiable result, got one "
                f"with several; register_hook() on the results instead"
            )
        return self._hooks()


class Bundle:
    """Gradients of several results, by position."""

    dtype = None

    def __init__(self, found: dict[int, Tensor]) -> None:
        self.found = found

    def __add__(self, other: Bundle) -> Bundle:
        both = dict(self.found)
        for position, grad in other.found.items():
            both[position] = both[position] + grad if position in both else grad
        return Bundle(both)


class ResultOf(Context):
    """The record of one result of a function that has several."""

    def __init__(self, call: FunctionCtx, position: int, out: Tensor) -> None:
        self.op_name = call.op_name
        self.grad_fn = lambda grad: (Bundle({position: grad}),)
        self.edges: tuple[Edge | None, ...] = (call,)
        self.inputs = (Typed((), None),)  # type: ignore[assignment]
        self.versions, self.attrs = (), {}
        self.made, self.node = weakref.ref(out), out._node
        self.changed = self.retains = False
        self.hooks = None

    def pieces(self, grad: Tensor) -> tuple[Any, ...]:
        """For the call."""
        self.check()
        return self.grad_fn(grad)

    def out(self) -> Tensor:
        """The result."""
        tensor = self.made()
        if tensor is None or tensor._ctx is not self:
            tensor = Tensor._from_node(self.node, current())
            tensor._ctx, tensor._requires_grad = self, True
        return tensor

    def grad_fn_of_tensor(self) -> Context:
        """The call's."""
        (call,) = self.edges or (self,)
        assert isinstance(call, Context)
        return call


def _nothing() -> None:
    return None


def sharing(tensor: Tensor) -> Tensor:
    """Another tensor over the same memory, without a record."""
    out = Tensor._from_node(tensor._node, tensor._session)
    out._share(tensor)
    return out


__all__ = ["FunctionCtx", "sharing"]
