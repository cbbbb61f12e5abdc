"""Odd ways for a script to end, kept: each once surprised the page, Node or the command line, or might.

After each of them whoever runs scripts says in a sentence what happened, and runs the next script.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

ALL = frozenset({"page", "node", "native"})
WASM = frozenset({"page", "node"})


@dataclass(frozen=True, kw_only=True)
class Ending:
    """A script, and how it ends.

    Args:
        said: what is said of it, as a regular expression; an error's message or the script's output.
        status: of a process that runs it.
        is_gone: Python itself ends, and is started anew.
        hosts: where it is worth a try.
        is_alone: it is not for combinations: nothing that runs beside it bears it.
    """

    name: str
    source: str
    said: str
    status: int = 1
    is_gone: bool = False
    hosts: frozenset[str] = ALL
    is_alone: bool = False

    def __str__(self) -> str:
        return self.name


def _raises(name: str, body: str, said: str, **values: object) -> Ending:
    """An exception class ``E`` with a hostile body."""
    return Ending(name=name, source=f"class E(Exception):\n    {body}\nraise E", said=said, **values)  # type: ignore[arg-type]


_CANCELLED = "CancelledError: the script, or what it awaited, was cancelled"
_NO = "raise RuntimeError('no')"
_CANNOT_SAY = "E: an error whose text cannot be read: it raised RuntimeError"
_TASK = "import asyncio, sys\nasync def f(): {body}\nt = asyncio.ensure_future(f())\n{then}"
_WAIT = "await asyncio.sleep(0.1)\nprint('on')"

ENDINGS = (
    # Cancelled
    Ending(
        name="raises CancelledError",
        source="import asyncio\nraise asyncio.CancelledError('me')",
        said="CancelledError: me",
    ),
    Ending(
        name="cancels its task",
        source="import asyncio\nasyncio.current_task().cancel()\nawait asyncio.sleep(0)",
        said=_CANCELLED,
    ),
    Ending(
        name="cancels all tasks",
        source="import asyncio\nfor t in asyncio.all_tasks(): t.cancel()\nawait asyncio.sleep(1)",
        said=_CANCELLED,
        hosts=WASM,  # natively, asyncio.run ends with it
    ),
    Ending(
        name="awaits a cancelled task", source=_TASK.format(body="pass", then="t.cancel()\nawait t"), said=_CANCELLED
    ),
    # Hostile exceptions
    _raises("str raises", f"def __str__(self): {_NO}", _CANNOT_SAY),
    _raises("repr raises", f"def __repr__(self): {_NO}\n    __str__ = __repr__", _CANNOT_SAY),
    _raises("class raises", f"@property\n    def __class__(self): {_NO}", _CANNOT_SAY),
    _raises("str exits", "def __str__(self): raise SystemExit(0)", "it raised SystemExit"),
    _raises("message is long", "def __str__(self): return 'x' * 10**7", r"E: x+\s… 9,99\d,\d{3} characters left out …"),
    Ending(
        name="name raises",
        source=f"class M(type):\n    @property\n    def __name__(self): {_NO}\n"
        "    def __hash__(self): raise RuntimeError('no')\nclass E(Exception, metaclass=M): pass\nraise E",
        said=r"\bE\b",
    ),
    Ending(name="line is text", source="raise SyntaxError('x', ('script.py', 'abc', 1, 't'))", said="SyntaxError: x"),
    Ending(name="syntax error says nothing", source="raise SyntaxError", said="SyntaxError"),
    # All kinds of exceptions
    Ending(name="BaseException", source="class E(BaseException): pass\nraise E('b')", said="E: b"),
    Ending(name="ExceptionGroup", source="raise ExceptionGroup('g', [ValueError(1), TypeError(2)])", said="g .2 sub"),
    Ending(name="group of exits", source="raise BaseExceptionGroup('g', [SystemExit(1)])", said="g .1 sub"),
    Ending(name="GeneratorExit", source="raise GeneratorExit", said="GeneratorExit"),
    Ending(name="StopIteration", source="raise StopIteration", said="StopIteration"),
    Ending(name="KeyboardInterrupt", source="raise KeyboardInterrupt", said="script was interrupted", hosts=WASM),
    Ending(
        name="recursion", source="def f(): return f()\nf()", said="RecursionError: maximum recursion depth exceeded"
    ),
    Ending(name="no memory", source="x = []\nwhile True: x.append(bytearray(1 << 28))", said="no memory", hosts=WASM),
    Ending(name="null bytes", source="x = 1\0", said="cannot contain null bytes"),
    # Exits
    Ending(name="exit 3", source="import sys\nsys.exit(3)", said="ended itself with exit status 3", status=3),
    Ending(name="exit 300", source="import sys\nsys.exit(300)", said="exit status 44", status=44),
    Ending(name="exit -1", source="import sys\nsys.exit(-1)", said="exit status 255", status=255),
    Ending(name="exit 10**30", source="import sys\nsys.exit(10**30)", said="exit status 255", status=255),
    Ending(name="exit with a message", source="import sys\nsys.exit('no data')", said="no data"),
    Ending(
        name="exit with a hostile object",
        source=f"import sys\nclass E:\n    def __str__(self): {_NO}\nsys.exit(E())",
        said="sys.exit: expected a number or a text",
    ),
    Ending(name="exit status raises", source="class E(SystemExit):\n    code = property()\nraise E", said="sys.exit"),
    Ending(name="quit", source="print('bye')\nquit()", said="bye", status=0),
    # In the background
    Ending(
        name="exit of a task",
        source=_TASK.format(body="sys.exit(4)", then=_WAIT),
        said="status 4|: 4",
        status=4,
        hosts=WASM,
    ),
    Ending(
        name="exit of an awaited task",
        source=_TASK.format(body="sys.exit(4)", then="await t"),
        said="status 4",
        status=4,
        hosts=WASM,
    ),
    Ending(
        name="error of a task",
        source=_TASK.format(body="raise ValueError(7)", then=_WAIT),
        said="ValueError: 7",
        status=0,
        hosts=WASM,
    ),
    Ending(
        name="error of a deallocator",
        source="class A:\n    def __del__(self): raise RuntimeError('in del')\na = A()\ndel a",
        said="RuntimeError: in del",
        status=0,
        hosts=WASM,
    ),
    Ending(
        name="error of a timer",
        source="import asyncio, js\nfrom pyodide.ffi import create_once_callable\n"
        "def f(): raise ValueError('in timer')\n"
        f"js.setTimeout(create_once_callable(f), 10)\n{_WAIT}",
        said=r"a callback or a promise, which nothing caught; what runs goes on:(.|\n)*ValueError: in timer",
        status=0,
        hosts=WASM,
    ),
    Ending(
        name="rejected promise",
        source=f"import asyncio, js\njs.Promise.reject(js.Error.new('rejected'))\n{_WAIT}",
        said="Error: rejected",
        status=0,
        hosts=WASM,
    ),
    Ending(
        name="leaves a task",
        source=_TASK.format(body="await asyncio.sleep(60)", then="await asyncio.sleep(0)"),
        said="the script ended while f still ran, and cancelled it; to wait for it, write await",
        status=0,
    ),
    # What it breaks
    Ending(
        name="closes its streams",
        source="import sys\nsys.stdout.close()\nsys.stderr.close()\n1 / 0",
        said="division",
        hosts=WASM,
    ),
    Ending(name="has no streams", source="import sys\nsys.stdout = sys.stderr = None\n1 / 0", said="division by zero"),
    Ending(
        name="clears its modules", source="import sys\nsys.modules.clear()\n1 / 0", said="division by zero", hosts=WASM
    ),
    Ending(
        name="clears its builtins",
        source="__builtins__.clear()\nnone",
        said="NameError",
        hosts=WASM,
        is_alone=True,
    ),
    Ending(
        name="replaces print", source="import builtins\nbuiltins.print = None\nprint()", said="not callable", hosts=WASM
    ),
    Ending(
        name="stops the loop",
        source="import asyncio\nasyncio.get_event_loop().stop()\n1 / 0",
        said="division",
        hosts=WASM,
    ),
    Ending(
        name="forgets the loop",
        source="import asyncio\nasyncio.set_event_loop(None)\n1 / 0",
        said="division",
        hosts=WASM,
    ),
    # Python itself is gone; each costs a start of Python, so not all are tried on all hosts
    Ending(
        name="stack overflow",
        source="import sys\nsys.setrecursionlimit(10**9)\nimport functools\n@functools.lru_cache(None)\n"
        "def f(n): return f(n + 1)\nf(0)",
        said="Python's stack overflowed: calls or data are nested too deeply",
        status=134,
        is_gone=True,
        hosts=WASM,
    ),
    Ending(
        name="null pointer",
        source="import ctypes\nctypes.memset(0, 1, 1 << 26)",
        said="Python used memory that is not its own, as ctypes can",
        status=134,
        is_gone=True,
        hosts=frozenset({"node"}),
    ),
    Ending(
        name="os._exit",
        source="import os\nos._exit(3)",
        said="the script ended Python itself, with exit status 3",
        status=3,
        is_gone=True,
        hosts=frozenset({"node"}),
    ),
    Ending(
        name="os.abort",
        source="import os\nos.abort()",
        said="Python was aborted",
        status=134,
        is_gone=True,
        hosts=frozenset({"page"}),
    ),
    Ending(
        name="closes the worker",
        source="import js\njs.self.close()",
        said="Python's worker was closed",
        is_gone=True,
        hosts=frozenset({"page"}),
    ),
    Ending(
        name="posts nonsense",
        source="import js\nfrom pyodide.ffi import to_js\nfor x in (None, 3, 'done', to_js({'type': 'done'})):\n"
        "    js.postMessage(x)\njs.self.onmessage = None\nprint('posted')",
        said="posted",
        status=0,
        hosts=frozenset({"page"}),
    ),
)

_INDENT = "\n        "
_FIT = """import numpy as np
import tabgrad as tg
from tabgrad import nn, optim
from tabgrad.data import DataLoader, TensorDataset
from tabgrad.train import Trainer
def loss(y, t):
    if True:
        {}
    return ((y - t) ** 2).mean()
x = np.ones((4, 2), np.float32)
model = nn.Linear(2, 2)
trainer = Trainer(model, loss, optim.SGD(model.parameters(), lr=0.1))
"""
_LOADER = "DataLoader(TensorDataset(x, x), batch_size=2)"

# Where an ending may happen; {} is its source, indented. Not all of them end the script there, but it does end.
PLACES = {
    "in an except block": "def f():\n    try:\n        1 / 0\n    except ZeroDivisionError:\n        {}\nf()",
    "in a finally block": "def f():\n    try:\n        1 / 0\n    finally:\n        {}\nf()",
    "in a generator": "def f():\n    if True:\n        {}\n    yield\nlist(f())",
    "in a compiled step": "import tabgrad as tg\n@tg.compile\ndef f(x):\n    if True:\n        {}\n    return x + 1\n"
    "f(tg.zeros(2))",
    "in a callback of the loop": "import asyncio\ndef f():\n    if True:\n        {}\n"
    "asyncio.get_running_loop().call_soon(f)\nawait asyncio.sleep(0.1)",
    "in a task": "import asyncio\nasync def f():\n    if True:\n        {}\n"
    "asyncio.ensure_future(f())\nawait asyncio.sleep(0.1)",
    "in a deallocator": "class A:\n    def __del__(self):\n        {}\nA()",
    "in a fit": f"{_FIT}await trainer.fit({_LOADER}, epochs=3)",
    "in a fit of a task": f"{_FIT}import asyncio\nasyncio.ensure_future(trainer.fit({_LOADER}, epochs=3))\n"
    "await asyncio.sleep(0.1)",
}


def combination(rng: random.Random, *, host: str) -> Ending:
    """One of the endings that keep Python alive, somewhere inside a script."""
    able = [e for e in ENDINGS if host in e.hosts and not (e.is_gone or e.is_alone)]
    able = [e for e in able if "await" not in e.source and "\0" not in e.source]
    ending, place = rng.choice(able), rng.choice(list(PLACES))
    source = PLACES[place].format(ending.source.replace("\n", _INDENT))
    return Ending(name=f"{ending.name}, {place}", source=source, said="", status=-1)


def of(host: str) -> list[Ending]:
    """The endings to try on a host, those that end Python itself last."""
    return sorted((e for e in ENDINGS if host in e.hosts), key=lambda e: e.is_gone)
