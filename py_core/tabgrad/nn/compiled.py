"""``tabgrad.compile``, of steps and of modules, as ``torch.compile``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from tabgrad.nn.module import Module
from tabgrad.runtime.capture import CompiledStep
from tabgrad.runtime.capture import compile as compile_step
from tabgrad.runtime.compile_options import check_compile_options


class OptimizedModule(Module):
    """What ``tabgrad.compile(module)`` returns: the module, under the name and with the attributes of PyTorch's class.

    It shares the module's parameters and attributes; setting an attribute sets the module's. As PyTorch's, its
    ``state_dict()`` and ``named_parameters()`` have the prefix ``_orig_mod.``, so that files of compiled models are
    the same in both; save ``compiled._orig_mod``, or compile with ``module.compile()``, for names without it.

    A call is a call of the module: what loops call again and again is recorded by itself, with the gradients.
    """

    _orig_mod: Module

    def __init__(self, module: Module) -> None:
        super().__init__()
        super().__setattr__("_orig_mod", module)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What the module computes."""
        return self._orig_mod(*args, **kwargs)

    @property
    def training(self) -> bool:
        """The module's mode."""
        return self._orig_mod.training

    @training.setter
    def training(self, mode: bool) -> None:
        self._orig_mod.training = mode

    def __len__(self) -> int:
        if not hasattr(self._orig_mod, "__len__"):
            raise TypeError(f"object of type {type(self._orig_mod).__name__!r} has no len()")
        return len(self._orig_mod)

    def __bool__(self) -> bool:
        return True  # although a Sequential may be empty

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            if "_modules" not in self.__dict__ or name == "_orig_mod":  # while it is copied
                raise
        return getattr(self._orig_mod, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "training":
            self._orig_mod.training = value
        elif name in self._machinery:
            super().__setattr__(name, value)
        else:
            setattr(self._orig_mod, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(self._orig_mod, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._orig_mod)})


_MISSING: Any = object()


@overload
def compile(model: Module, **options: Any) -> Module: ...


@overload
def compile(model: Callable[..., Any], **options: Any) -> CompiledStep: ...


@overload
def compile(**options: Any) -> Callable[[Callable[..., Any]], Any]: ...


def compile(model: Any = _MISSING, **options: Any) -> Any:
    """Record ``model`` (a training or evaluation step) at its first call and replay it afterwards.

    A module becomes an :class:`OptimizedModule`, which is called as the module is and shares its parameters. Without
    ``model`` this is a decorator: ``@tg.compile(fullgraph=True)``.

    Tensor arguments are inputs; other arguments are constants, and another value records again (pass numbers that
    change at each call as tensors). Everything that the step overwrites (parameters, optimizer state, running
    statistics) is overwritten by each replay. The step may not look at values (``item()``, ``if loss > 1``): return
    them instead.

    Where gradients may flow on through the results, as of a function that computes a loss whose ``backward()`` is
    called outside, calls are plain ones: loops that repeat are recorded by themselves, with the gradients.

    What the step's code read of Python's state is compared before each replay. A change records again; once it is
    changed back, the earlier recording serves again:

    - attributes of modules and of objects of the script's own classes (``dropout.p``, ``self.beta``), training mode,
      ``requires_grad``, and replaced layers, parameters, methods and optimizers;
    - global variables, closures' variables and default values that ``model`` and the functions and methods that it
      calls may read: numbers, strings and tuples by value, lists, dicts, sets and arrays by what they hold, all else
      (tensors, functions, modules) by identity;
    - parameters and flags of an optimizer's groups. Its numbers, such as ``lr``, are used as they are at each replay;
    - whether gradients are recorded (``no_grad``);
    - what was in ``.grad`` before, where the step adds to it or uses it without ``zero_grad()`` first.

    Gradients that a step makes, and an optimizer in it uses, are gone when it returns: they do not add up over calls.

    A step that changes what it has read (``self.steps += 1``, ``self.hidden = f(self.hidden)``, a buffer that is
    assigned, a learning rate) raises, as replays would not repeat that: do it where the step is called, or keep the
    value in a tensor and change that in place (``self.steps.add_(1)``). What is filled or switched once, such as a
    cache that was None, is recorded a second time. Random numbers of Python and NumPy, clocks, iterators and loaders
    raise. Other side effects happen only while the step is recorded: ``print`` prints once, and a tensor that was kept
    by ``losses.append(loss)`` says so when it is read; return it.

    Not seen: what functions of installed packages and of Python's library read (attributes of modules are, whoever
    wrote them), such as ``os.environ`` and files, and what is changed in ``module.__dict__`` itself.

    Raises:
        TypeError: ``model`` is neither a module nor a plain function, or a flag is not True or False.
        TabgradError: there is no such backend, mode or option.

    Raises, when it is called:
        TabgradError: an argument is neither a tensor nor hashable (a NumPy array), so changes would go unseen; the step
            changes Python's state or depends on chance, as above.
        RuntimeError: the step looks at a value, calls another compiled step, or neither returns nor overwrites any
            tensor.
        NotImplementedError: it returns an input, or a tensor made outside, as it is.

    Args:
        model: a function, or a module.
        options: PyTorch's: ``fullgraph``, ``dynamic``, ``backend`` (``"inductor"``), ``mode`` and ``options``. There is
            one compiler, which takes whole steps, for the shapes that they are called with. With ``disable=True`` the
            function or module itself is returned.
    """
    disable = check_compile_options(**options)
    if model is _MISSING:
        return lambda found: found if disable else compile(found)
    if disable or isinstance(model, OptimizedModule):
        return model
    return OptimizedModule(model) if isinstance(model, Module) else compile_step(model)


__all__ = ["OptimizedModule", "compile"]
