"""Whether ops are recorded for gradients: of each thread, and of each asyncio task, its own."""

from __future__ import annotations

import contextvars
import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator
from typing import Any

_mode: contextvars.ContextVar[bool] = contextvars.ContextVar("grad_mode", default=True)

_inference: contextvars.ContextVar[bool] = contextvars.ContextVar("inference_mode", default=False)

is_recording = _mode.get
"""As :func:`is_grad_enabled`, without the cost of a Python call: for the path of every op."""


def is_grad_enabled() -> bool:
    """Whether ops are being recorded."""
    return _mode.get()


def is_inference_mode_enabled() -> bool:
    """Whether an :class:`inference_mode` block is under way."""
    return _inference.get()


class _GradMode:
    """Context manager and decorator, for functions, generators and their asynchronous forms; may be entered again."""

    _wanted: bool
    _before: tuple[bool, Any] | None = None  # the mode before each block under way, the newest first

    def __enter__(self) -> None:
        self._before = (_mode.get(), self._before)
        _mode.set(self._wanted and not _inference.get())

    def __exit__(self, *_: object) -> None:
        assert self._before is not None
        mode, self._before = self._before
        _mode.set(mode)

    def _fresh(self) -> _GradMode:
        return enable_grad() if self._wanted else no_grad()

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap ``fn`` so that its body, and nothing between its suspensions, runs in this mode."""
        if not callable(fn):
            raise TypeError(f"{type(self).__name__}: expected a function to decorate, got {type(fn).__name__}")
        if inspect.isasyncgenfunction(fn):
            return self._async_generator(fn)
        if inspect.isgeneratorfunction(fn):
            return self._generator(fn)
        if inspect.iscoroutinefunction(fn):

            @functools.wraps(fn)
            async def wrapped_coroutine(*args: Any, **kwargs: Any) -> Any:
                with self._fresh():
                    return await fn(*args, **kwargs)

            return wrapped_coroutine

        @functools.wraps(fn)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            with self._fresh():
                return fn(*args, **kwargs)

        return wrapped

    def _generator(self, fn: Callable[..., Generator[Any, Any, Any]]) -> Callable[..., Any]:
        @functools.wraps(fn)
        def wrapped(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
            with self._fresh():
                source = fn(*args, **kwargs)
            resume, value = source.send, None
            while True:
                try:
                    with self._fresh():
                        given = resume(value)
                except StopIteration as end:
                    return end.value
                try:
                    resume, value = source.send, (yield given)
                except GeneratorExit:
                    with self._fresh():
                        source.close()
                    raise
                except BaseException as error:  # noqa: BLE001 - for the generator, which may handle it
                    resume, value = source.throw, error

        return wrapped

    def _async_generator(self, fn: Callable[..., AsyncGenerator[Any, Any]]) -> Callable[..., Any]:
        @functools.wraps(fn)
        async def wrapped(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
            source = fn(*args, **kwargs)
            resume, value = source.asend, None
            while True:
                try:
                    with self._fresh():
                        given = await resume(value)
                except StopAsyncIteration:
                    return
                try:
                    resume, value = source.asend, (yield given)
                except GeneratorExit:
                    with self._fresh():
                        await source.aclose()
                    raise
                except BaseException as error:  # noqa: BLE001 - for the generator, which may handle it
                    resume, value = source.athrow, error

        return wrapped


class set_grad_enabled(_GradMode):
    """Record ops from here on, or do not; as a context manager, until the end of the block."""

    def __init__(self, mode: bool) -> None:
        if not isinstance(mode, bool):
            raise TypeError(f"set_grad_enabled: expected True or False, got {mode!r}")
        self._wanted = mode
        self._replaced: bool | None = _mode.get()  # until the first block, which goes back to it
        _mode.set(mode)

    def __enter__(self) -> None:
        before = _mode.get() if self._replaced is None else self._replaced
        self._before, self._replaced = (before, self._before), None
        _mode.set(self._wanted)

    def __call__(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """As a decorator, it leaves the mode outside of ``fn`` as it was."""
        if self._replaced is not None:
            _mode.set(self._replaced)
            self._replaced = None
        return super().__call__(fn)


class no_grad(_GradMode):
    """Context manager and decorator: ops inside are not recorded."""

    _wanted = False

    def __new__(cls, fn: Callable[..., Any] | None = None) -> Any:
        return object.__new__(cls) if fn is None else cls()(fn)  # also as a decorator without parentheses


class enable_grad(_GradMode):
    """Context manager and decorator: ops inside are recorded, also within :class:`no_grad`."""

    _wanted = True

    def __new__(cls, fn: Callable[..., Any] | None = None) -> Any:
        return object.__new__(cls) if fn is None else cls()(fn)


class inference_mode(_GradMode):
    """Context manager and decorator: as :class:`no_grad`, also within :class:`enable_grad` blocks inside of it.

    Tensors that are made in it are as all others here, so that they may be used in recorded ops later.

    Args:
        mode: False ends a mode that is under way, until the end of the block.
    """

    def __new__(cls, mode: Any = True) -> Any:
        return cls()(mode) if callable(mode) else object.__new__(cls)

    def __init__(self, mode: bool = True) -> None:
        self.mode = bool(mode)
        self._wanted = not self.mode
        self._outer: tuple[bool, Any] | None = None

    def __enter__(self) -> None:
        self._outer = (_inference.get(), self._outer)
        _inference.set(self.mode)
        super().__enter__()

    def __exit__(self, *_: object) -> None:
        super().__exit__()
        assert self._outer is not None
        before, self._outer = self._outer
        _inference.set(before)

    def _fresh(self) -> _GradMode:
        return inference_mode(self.mode)


__all__ = [
    "enable_grad", "inference_mode", "is_grad_enabled", "is_inference_mode_enabled", "is_recording", "no_grad",
    "set_grad_enabled",
]  # fmt: skip
