"""PyTorch's ``torch.autograd.functional``: derivatives of functions of one tensor, or of a tuple of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tabgrad import ops
from tabgrad.errors import ArgumentError, GradError, ShapeError
from tabgrad.func.jacobians import Rows, by_columns, by_rows
from tabgrad.func.transforms import forward_product, gradients_of
from tabgrad.grad_mode import enable_grad
from tabgrad.tensor import Tensor

Tensors = Tensor | tuple[Tensor, ...]


class _Call:
    """One call of a function on inputs that gradients are asked of."""

    def __init__(self, caller: str, func: Callable[..., Any], inputs: Any, *, create_graph: bool, strict: bool) -> None:
        self.caller, self.create_graph, self.strict = caller, create_graph, strict
        self.is_tuple = isinstance(inputs, tuple | list)
        given = _tensors(caller, "inputs", inputs)
        self.inputs = [
            t.clone() if create_graph and t.requires_grad else t.detach().requires_grad_() for t in given
        ]  # fmt: skip
        found = func(*self.inputs)
        self.is_tuple_out = isinstance(found, tuple | list)
        self.outputs = _tensors(caller, "outputs of func", found)
        if strict:
            self.check(self.outputs, "output")

    def check(self, tensors: Sequence[Tensor], what: str) -> None:
        """Raises ``GradError`` for what does not depend on the inputs."""
        for n, tensor in enumerate(tensors):
            if not tensor.requires_grad:
                raise GradError(f"{self.caller}: expected what depends on the inputs, as strict=True, got {what} {n}")

    def scalar(self) -> None:
        """Raises ``GradError`` if the function does not return one number."""
        if self.is_tuple_out or self.outputs[0].numel() != 1:
            raise GradError(
                f"{self.caller}: expected func to return a tensor with a single element, got "
                f"{[list(o.shape) for o in self.outputs]}"
            )

    def vectors(self, v: Any, like: Sequence[Tensor], what: str) -> list[Tensor]:
        """``v``, or 1 for one number.

        Raises:
            ShapeError: it has not the shapes of ``like``.
        """
        if v is None:
            if len(like) != 1 or like[0].numel() != 1:
                raise GradError(
                    f"{self.caller}: expected v, of the shapes of the {what}, as those are no single number"
                )
            return [ops.ones_like(like[0])]
        found = _tensors(self.caller, "v", v)
        if [t.shape for t in found] != [t.shape for t in like]:
            raise ShapeError(
                f"{self.caller}: expected v of the shapes of the {what}, {[list(t.shape) for t in like]}, got "
                f"{[list(t.shape) for t in found]}"
            )
        return found

    def given_back(self, tensors: Sequence[Tensor], *, as_inputs: bool) -> Any:
        """Results, recorded if that was asked for."""
        found = tuple([t if self.create_graph else t.detach() for t in tensors])
        return found if (self.is_tuple if as_inputs else self.is_tuple_out) else found[0]


def _tensors(caller: str, name: str, given: Any) -> list[Tensor]:
    found = list(given) if isinstance(given, tuple | list) else [given]
    for one in found:
        if not isinstance(one, Tensor):
            raise TypeError(f"{caller}: expected {name} as a tensor or a tuple of tensors, got {type(one).__name__}")
    return found


def vjp(
    func: Callable[..., Any], inputs: Tensors, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``func(*inputs)``, and the product of ``v``, of the outputs' shapes, with its Jacobian.

    Args:
        func: of tensors; returns a tensor, or a tuple of tensors.
        inputs: a tensor or a tuple of tensors.
        v: may be None if the output is a single number.
        create_graph: record the results, for further derivatives.
        strict: raise where an output does not depend on an input, in place of zeros.
    """
    with enable_grad():
        call = _Call("vjp", func, inputs, create_graph=create_graph, strict=strict)
        found = gradients_of(call.outputs, call.inputs, call.vectors(v, call.outputs, "outputs"))
        return call.given_back(call.outputs, as_inputs=False), call.given_back(found, as_inputs=True)


def jvp(
    func: Callable[..., Any], inputs: Tensors, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``func(*inputs)``, and the product of its Jacobian with ``v``, of the inputs' shapes.

    Through the gradient of a gradient, which ops without a second derivative refuse. Arguments as of :func:`vjp`.
    """
    with enable_grad():
        call = _Call("jvp", func, inputs, create_graph=create_graph, strict=strict)
        found = forward_product(call.outputs, call.inputs, call.vectors(v, call.inputs, "inputs"))
        return call.given_back(call.outputs, as_inputs=False), call.given_back(found, as_inputs=False)


def vhp(
    func: Callable[..., Any], inputs: Tensors, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """``func(*inputs)``, a single number, and the product of ``v``, of the inputs' shapes, with its Hessian.

    Arguments as of :func:`vjp`.
    """
    return _hessian_product("vhp", func, inputs, v, create_graph=create_graph, strict=strict)


def hvp(
    func: Callable[..., Any], inputs: Tensors, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """As :func:`vhp`, as the Hessian is symmetric."""
    return _hessian_product("hvp", func, inputs, v, create_graph=create_graph, strict=strict)


def _hessian_product(
    caller: str, func: Callable[..., Any], inputs: Any, v: Any, *, create_graph: bool, strict: bool
) -> tuple[Any, Any]:
    with enable_grad():
        call = _Call(caller, func, inputs, create_graph=create_graph, strict=strict)
        call.scalar()
        first = gradients_of(call.outputs, call.inputs, [ops.ones_like(call.outputs[0])])
        if strict:
            call.check(first, "the gradient of input")
        found = gradients_of(first, call.inputs, call.vectors(v, call.inputs, "inputs"))
        return call.given_back(call.outputs, as_inputs=False), call.given_back(found, as_inputs=True)


def jacobian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """``[*output, *input]``: of one output and one input a tensor, of several a tuple, of both a tuple of tuples.

    Args:
        func: of tensors; returns a tensor, or a tuple of tensors.
        inputs: a tensor or a tuple of tensors.
        create_graph: record the result, for further derivatives.
        strict: raise where an output does not depend on an input, in place of zeros.
        vectorize: accepted; rows are computed one by one, in one program.
        strategy: ``"reverse-mode"``, a pass for each element of the outputs; or ``"forward-mode"``,
            for each of the inputs.

    Raises:
        ArgumentError: forward mode without ``vectorize`` or with ``strict``, as in PyTorch.
    """
    if strategy not in ("reverse-mode", "forward-mode"):
        raise ArgumentError(f"jacobian: expected strategy 'reverse-mode' or 'forward-mode', got {strategy!r}")
    if strict and vectorize:
        raise ArgumentError("jacobian: expected strict=False with vectorize=True")
    if strategy == "forward-mode" and not vectorize:
        raise NotImplementedError("jacobian: expected vectorize=True with strategy='forward-mode', as in PyTorch")
    rule = by_columns if strategy == "forward-mode" else by_rows
    with enable_grad():
        call = _Call("jacobian", func, inputs, create_graph=create_graph, strict=strict)
        return _shown(call, rule(call.outputs, call.inputs))


def _shown(call: _Call, rows: Rows) -> Any:
    found = [call.given_back(row, as_inputs=True) for row in rows]
    return tuple(found) if call.is_tuple_out else found[0]


def hessian(
    func: Callable[..., Any],
    inputs: Tensors,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """``[*input, *input]`` of a function that returns a single number; of several inputs a tuple of tuples.

    Arguments as of :func:`jacobian`; the outer strategy may be either, and gives the same.
    """
    if outer_jacobian_strategy not in ("reverse-mode", "forward-mode"):
        raise ArgumentError(
            f"hessian: expected outer_jacobian_strategy 'reverse-mode' or 'forward-mode', got "
            f"{outer_jacobian_strategy!r}"
        )
    with enable_grad():
        call = _Call("hessian", func, inputs, create_graph=create_graph, strict=strict)
        call.scalar()
        first = gradients_of(call.outputs, call.inputs, [ops.ones_like(call.outputs[0])])
        if strict:
            call.check(first, "the gradient of input")
        found = tuple([call.given_back(row, as_inputs=True) for row in by_rows(first, call.inputs)])
        return found if call.is_tuple else found[0]


__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]
