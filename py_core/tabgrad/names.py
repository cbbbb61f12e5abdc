"""Where functions appear: each says it once, where it is written, and modules, methods and stubs are made of that."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from tabgrad.argument_errors import reword_errors
from tabgrad.argument_kinds import kinds_of
from tabgrad.keywords import OUT, PLACING, into, placed, renamed
from tabgrad.methods import TensorMethods
from tabgrad.session import current
from tabgrad.tracing.tracer import Tracer

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, kw_only=True)
class PublicFunction:
    """A function, and the places where users find it."""

    name: str
    function: Callable[..., Any]  # as it is written
    for_users: Callable[..., Any]  # as users call it
    as_method: Callable[..., Any]  # as users call it of a tensor: without ``out``
    as_operator: Callable[..., Any] | None  # as an operator of two operands, which leaves strangers to themselves
    module: str
    top: bool  # tabgrad.NAME
    functional: bool  # tabgrad.nn.functional.NAME
    methods: tuple[str, ...]  # of a tensor, which is the first argument
    reversed: tuple[str, ...]  # of a tensor, which is the second argument
    namespace: str = ""  # tabgrad.NAMESPACE.NAME
    aliases: tuple[str, ...] = ()  # further names, wherever it is
    inplace: tuple[str, ...] = ()  # names of the methods that change a tensor in place: NAME_, and of its aliases
    keywords: tuple[inspect.Parameter, ...] = ()  # what users may pass beside the function's own parameters


PUBLIC: dict[str, PublicFunction] = {}
"""By name, ``NAMESPACE.NAME`` of those in a namespace; aliases have entries of their own."""


def public(
    *,
    top: bool = True,
    functional: bool = False,
    method: bool = False,
    namespace: str = "",
    aliases: tuple[str, ...] = (),
    inplace: bool = False,
    out: bool = False,
    creates: bool = False,
    also: tuple[str, ...] = (),
    operator: str = "",
    traced: bool = True,
    draws: bool = False,
    varying_ints: bool = False,
    only_tensors: bool = False,
    another: Callable[[Any], Any] | None = None,
) -> Callable[[F], F]:
    """Decorates a function that users call.

    Args:
        top: it is ``tabgrad.NAME``.
        functional: it is ``tabgrad.nn.functional.NAME``.
        method: it is a tensor's method NAME.
        namespace: it is ``tabgrad.NAMESPACE.NAME``, such as ``linalg``; not of the top level then.
        aliases: further names of it, wherever it is found.
        inplace: a tensor's method ``NAME_`` changes the tensor in place, as PyTorch's does.
        out: it takes ``out``, a tensor that the result is written to.
        creates: it takes ``device``, ``layout``, ``pin_memory`` and ``memory_format``, as functions that make tensors.
        also: further names of the method.
        operator: the operator that it is, such as ``add`` of ``__add__`` and ``__radd__``.
        traced: a call of it may be recognised when it comes again; not so if it makes tensors of host data, or waits.
        draws: it draws random numbers; where they are PyTorch's, the host makes them, and calls within it are traced.
        varying_ints: integers among its arguments, and not floats only, may become numbers of a program, which differ
            from round to round of a loop.
        only_tensors: users pass tensors where the annotation is ``Any``; ops themselves pass numbers, too.
        another: of a function that makes views: what users get in place of the tensor that they passed.
    """

    def enter(function: F) -> F:
        name = function.__name__
        kinds = kinds_of(function, is_pythons=functional and not top, only_tensors=only_tensors)
        users = renamed(_renewing(reword_errors(function, kinds=kinds), another))
        if creates:
            users = placed(users)
        as_method = _traced(users, varying_ints, operator == "getitem", draws) if traced else users
        for_users = into(as_method) if out else as_method
        for one in (name, *aliases):
            methods = ((one,) if method else ()) + (also if one is name else ())
            entry = PublicFunction(
                name=one,
                function=function,
                for_users=for_users,
                as_method=as_method,
                as_operator=_operator(as_method, f"__{operator}__") if f"__{operator}__" in _OPERATORS else None,
                module=function.__module__,
                top=top and not namespace,
                functional=functional,
                methods=methods + ((f"__{operator}__",) if operator and one is name else ()),
                reversed=(f"__r{operator}__",) if operator in _REVERSIBLE and one is name else (),
                namespace=namespace,
                aliases=aliases if one is name else (),
                inplace=(f"{one}_",) if inplace else (),
                keywords=(*(PLACING if creates else ()), *(OUT if out else ())),
            )
            _enter(f"{namespace}.{one}" if namespace else one, entry)
        return function

    return enter


def _enter(key: str, entry: PublicFunction) -> None:
    if key in PUBLIC:
        raise ValueError(f"function {key!r}: expected a name of its own, got one that {PUBLIC[key].module} uses")
    PUBLIC[key] = entry
    for made in entry.methods:
        setattr(TensorMethods, made, (made in _OPERATORS and entry.as_operator) or entry.as_method)
    for made in entry.reversed:
        setattr(TensorMethods, made, _swapped(entry.as_method))


def _traced(function: Callable[..., Any], varying_ints: bool, takes_lists: bool, draws: bool) -> Callable[..., Any]:
    function.__dict__.update(varying_ints=varying_ints, takes_lists=takes_lists)

    if draws:

        @functools.wraps(function)
        def call_or_draw(*args: Any, **kwargs: Any) -> Any:
            session = current()
            if session.generator.twister is not None:
                return function(*args, **kwargs)
            return session.own(Tracer).call(function, args, kwargs)

        return call_or_draw

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return current().own(Tracer).call(function, args, kwargs)

    call.__dict__["traces"] = function
    return call


def _operator(method: Callable[..., Any], name: str) -> Callable[..., Any]:
    """A binary operator, which leaves operands that it does not know to their own operators, as PyTorch's does."""
    function = method.__dict__.get("traces", method)
    theirs = _OPERATORS[name]

    @functools.wraps(method)
    def call(self: Any, other: Any) -> Any:
        try:
            return current().own(Tracer).call(function, (self, other), {})
        except TypeError:
            if isinstance(other, TensorMethods | float | int) or not hasattr(type(other), theirs):
                raise
            return NotImplemented

    return call


_OPERATORS = {
    "__eq__": "__eq__", "__ne__": "__ne__", "__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__",
    "__ge__": "__le__", "__add__": "__radd__", "__sub__": "__rsub__", "__mul__": "__rmul__", "__mod__": "__rmod__",
    "__truediv__": "__rtruediv__", "__floordiv__": "__rfloordiv__", "__pow__": "__rpow__", "__and__": "__rand__",
    "__or__": "__ror__", "__xor__": "__rxor__", "__matmul__": "__rmatmul__",
}  # fmt: skip
_REVERSIBLE = {
    "add", "and", "floordiv", "lshift", "matmul", "mod", "mul", "or", "pow", "rshift", "sub", "truediv", "xor",
}  # fmt: skip


def functions() -> dict[str, Callable[..., Any]]:
    """All that have no namespace, by name, for :mod:`tabgrad.ops`."""
    files = ("tabgrad.ops.", "tabgrad.host_ops.")
    return {name: e.for_users for name, e in PUBLIC.items() if e.module.startswith(files) and not e.namespace}


def top() -> list[str]:
    """Those of :mod:`tabgrad` itself."""
    return sorted(name for name, entry in PUBLIC.items() if entry.top)


def functional() -> dict[str, Callable[..., Any]]:
    """Those of :mod:`tabgrad.nn.functional`."""
    return {name: entry.for_users for name, entry in PUBLIC.items() if entry.functional}


def namespace(name: str) -> dict[str, Callable[..., Any]]:
    """Those of ``tabgrad.NAME``."""
    return {entry.name: entry.for_users for entry in PUBLIC.values() if entry.namespace == name}


def _renewing(function: Callable[..., Any], another: Callable[[Any], Any] | None) -> Callable[..., Any]:
    if another is None:
        return function

    @functools.wraps(function)
    def renewed(*args: Any, **kwargs: Any) -> Any:
        found = function(*args, **kwargs)
        x = args[0] if args else kwargs.get("input", kwargs.get("tensor"))
        if found is x and isinstance(x, TensorMethods):
            return another(x)
        return found if type(found) is not tuple else tuple([another(x) if t is x else t for t in found])

    return renewed


def _swapped(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, other: Any) -> Any:
        return function(other, self)

    return method


__all__ = ["PUBLIC", "PublicFunction", "functional", "functions", "namespace", "public", "top"]
