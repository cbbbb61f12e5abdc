"""Grad mode: as PyTorch's, and of each thread and each asyncio task its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import torch

import tabgrad as tg


def both(story: Callable[[Any], list[Any]]) -> list[Any]:
    """What a story tells of us, which must be what it tells of PyTorch; the mode is as before afterwards."""
    ours, theirs = story(tg), story(torch)
    assert ours == theirs
    assert tg.is_grad_enabled()
    assert torch.is_grad_enabled()
    return ours


def test_blocks_nest() -> None:
    def story(lib: Any) -> list[Any]:
        seen = []
        with lib.no_grad():
            seen.append(lib.is_grad_enabled())
            with lib.enable_grad():
                seen.append(lib.is_grad_enabled())
                with lib.set_grad_enabled(False):
                    seen.append(lib.is_grad_enabled())
                seen.append(lib.is_grad_enabled())
            seen.append(lib.is_grad_enabled())
        return seen

    assert both(story) == [False, True, False, True, False]


def test_one_object_may_be_entered_again_inside_itself() -> None:
    quiet = tg.no_grad()
    for _ in range(2):
        with quiet:
            with quiet:
                assert not tg.is_grad_enabled()
            assert not tg.is_grad_enabled()
        assert tg.is_grad_enabled()
    switched = tg.set_grad_enabled(False)
    with switched, switched:
        assert not tg.is_grad_enabled()
    assert tg.is_grad_enabled()
    with switched:
        assert not tg.is_grad_enabled()
    assert tg.is_grad_enabled()


@pytest.mark.parametrize("how", ["no_grad()", "no_grad", "set_grad_enabled", "enable_grad in no_grad"])
def test_decorated_functions(how: str) -> None:
    def story(lib: Any) -> list[Any]:
        made = {
            "no_grad()": lambda fn: lib.no_grad()(fn),
            "no_grad": lambda fn: lib.no_grad(fn),
            "set_grad_enabled": lambda fn: lib.set_grad_enabled(False)(fn),
            "enable_grad in no_grad": lambda fn: lib.no_grad()(lib.enable_grad()(fn)),
        }[how]

        def look(n: int, *, depth: int = 0) -> list[bool]:
            """Said here."""
            return [lib.is_grad_enabled()] + (decorated(n, depth=depth - 1) if depth else [])

        decorated = made(look)
        return [lib.is_grad_enabled(), decorated.__name__, decorated.__doc__, decorated(1, depth=2)]

    both(story)


def test_decorated_generators() -> None:
    def story(lib: Any) -> list[Any]:
        seen: list[Any] = []

        @lib.no_grad()
        def numbers(n: int) -> Iterator[Any]:
            try:
                for i in range(n):
                    try:
                        given = yield i
                    except KeyError as error:
                        given = f"caught {error}"
                    seen.append((given, lib.is_grad_enabled()))
            finally:
                seen.append(("closed", lib.is_grad_enabled()))
            return "end"

        source = numbers(9)
        seen.append((next(source), lib.is_grad_enabled()))
        seen.append((source.send("sent"), lib.is_grad_enabled()))
        seen.append((source.throw(KeyError("thrown")), lib.is_grad_enabled()))
        source.close()

        def outer() -> Iterator[Any]:
            seen.append((yield from numbers(2)))

        seen.append((list(outer()), lib.is_grad_enabled()))
        with pytest.raises(ZeroDivisionError):
            lib.no_grad()(lambda: 1 / 0)()
        seen.append(lib.is_grad_enabled())
        return seen

    both(story)


def test_decorated_coroutines_and_asynchronous_generators() -> None:
    seen: list[Any] = []

    @tg.no_grad()
    async def look() -> bool:
        await asyncio.sleep(0)
        return tg.is_grad_enabled()

    @tg.no_grad()
    async def numbers() -> AsyncIterator[int]:
        for n in range(3):
            seen.append(tg.is_grad_enabled())
            yield n

    async def main() -> None:
        assert await look() is False
        assert tg.is_grad_enabled()
        async for n in numbers():
            seen.append((n, tg.is_grad_enabled()))

    asyncio.run(main())
    assert seen == [False, (0, True), False, (1, True), False, (2, True)]


def test_threads_have_modes_of_their_own() -> None:
    entered, looked, seen = threading.Event(), threading.Event(), []

    def other() -> None:
        entered.wait()
        seen.append(tg.is_grad_enabled())
        tg.set_grad_enabled(False)
        looked.set()

    thread = threading.Thread(target=other)
    thread.start()
    with tg.no_grad():
        entered.set()
        looked.wait()
        assert not tg.is_grad_enabled()
    thread.join()
    assert seen == [True]
    assert tg.is_grad_enabled()


def test_tasks_have_modes_of_their_own() -> None:
    async def quiet(inside: asyncio.Event, done: asyncio.Event) -> None:
        with tg.no_grad():
            inside.set()
            await done.wait()
            assert not tg.is_grad_enabled()

    async def main() -> None:
        inside, done = asyncio.Event(), asyncio.Event()
        task = asyncio.ensure_future(quiet(inside, done))
        await inside.wait()
        assert tg.is_grad_enabled()
        w = tg.tensor([1.0], requires_grad=True)
        assert (w * 2).requires_grad
        done.set()
        await task

    asyncio.run(main())


def test_misuse_is_explained() -> None:
    with pytest.raises(TypeError, match=r"set_grad_enabled: expected True or False, got 'no'"):
        tg.set_grad_enabled("no")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"no_grad: expected a function to decorate, got int"):
        tg.no_grad(3)  # type: ignore[arg-type]
    assert tg.is_grad_enabled()
