# Runs in the page's editor: tries to reach a foreign server by every way that a worker has. Two addresses are put in.

import asyncio
import socket

import js
import pyodide_js
from pyodide.ffi import to_js
from pyodide.http import open_url, pyfetch

TARGET = "TARGET_ADDRESS"  # host:port
WORKER = "WORKER_ADDRESS"  # the page's own worker module
HTTP = f"http://{TARGET}/"


def options(**values):
    return to_js(values, dict_converter=js.Object.fromEntries)


def blob(source):
    return js.URL.createObjectURL(js.Blob.new(to_js([source]), options(type="text/javascript")))


def worker(address, **values):
    return js.Worker.new(address, options(**values))


def own_worker():
    """The page's own module as a worker of its own, which is told to load everything from elsewhere."""
    started = worker(WORKER, type="module")
    channel = js.MessageChannel.new()
    message = options(type="start", root=HTTP, lock=None, port=channel.port2)
    started.postMessage(message, to_js([channel.port2]))


def request(asynchronous):
    asked = js.XMLHttpRequest.new()
    asked.open("POST", HTTP, asynchronous)
    asked.send("x")


async def cache():
    await (await js.caches.open("x")).add(HTTP)


async def call_in_peer():
    peer = js.RTCPeerConnection.new(options(iceServers=[options(urls=f"stun:{TARGET}")]))
    peer.createDataChannel("x")
    await peer.setLocalDescription(await peer.createOffer())


FETCH = f"fetch('{HTTP}nested')"
LOAD = f"import('{HTTP}nested.js')"
WAYS = {
    "fetch": lambda: js.fetch(HTTP),
    "fetch, opaque": lambda: js.fetch(HTTP, options(mode="no-cors", method="POST", body="x")),
    "fetch, kept alive": lambda: js.fetch(HTTP, options(mode="no-cors", keepalive=True)),
    "a redirect of the own host": lambda: js.fetch("redirect", options(mode="no-cors")),
    "pyfetch": lambda: pyfetch(HTTP),
    "open_url": lambda: open_url(HTTP),
    "XMLHttpRequest": lambda: request(True),
    "XMLHttpRequest, synchronous": lambda: request(False),
    "WebSocket": lambda: js.WebSocket.new(f"ws://{TARGET}/"),
    "WebSocketStream": lambda: js.WebSocketStream.new(f"ws://{TARGET}/").opened,
    "socket": lambda: socket.create_connection(TARGET.split(":"), timeout=1),
    "EventSource": lambda: js.EventSource.new(HTTP),
    "WebTransport": lambda: js.WebTransport.new(f"https://{TARGET}/").ready,
    "RTCPeerConnection": call_in_peer,
    "sendBeacon": lambda: js.navigator.sendBeacon(HTTP, "x"),
    "Cache": cache,
    "FontFace": lambda: js.FontFace.new("x", f"url({HTTP}x.woff2)").load(),
    "importScripts": lambda: js.importScripts(HTTP),
    "eval": lambda: js.eval(FETCH),
    "Function": lambda: js.Function.new(FETCH)(),
    "import by Function": lambda: js.Function.new(f"return {LOAD}")(),
    "a timer of text": lambda: js.setTimeout(FETCH, 0),
    "loadPackage": lambda: pyodide_js.loadPackage(f"{HTTP}x-1.0-py3-none-any.whl"),
    "nested worker, elsewhere": lambda: worker(HTTP),
    "nested worker of text": lambda: worker(f"data:text/javascript,{FETCH}"),
    "nested worker that fetches": lambda: worker(blob(FETCH)),
    "nested worker that imports": lambda: worker(blob(LOAD), type="module"),
    "nested worker that is imported": lambda: worker(blob(f"import '{HTTP}nested.js'"), type="module"),
    "nested worker of scripts": lambda: worker(blob(f"importScripts('{HTTP}')")),
    "nested worker with eval": lambda: worker(blob(f'eval("{FETCH}")')),
    "nested worker in a worker": lambda: worker(blob(f'new Worker(URL.createObjectURL(new Blob(["{FETCH}"])))')),
    "nested worker of the page's own": own_worker,
    "SharedWorker": lambda: js.SharedWorker.new(HTTP),
    "service worker": lambda: js.navigator.serviceWorker.register("/assets/x.js"),
    "a message to the page": lambda: js.postMessage(options(type="start", root=HTTP)),
}


async def attempt(way):
    try:
        result = way()
        if hasattr(result, "then") or asyncio.iscoroutine(result):
            await asyncio.wait_for(asyncio.ensure_future(result), 2)
    except Exception as error:  # noqa: BLE001
        return f"{type(error).__name__}: {str(error)[:80]}"
    return "no error"


own = await js.fetch("examples/digits.py")  # relative to the page
assert "datasets.digits()" in await own.text()
assert "datasets.digits()" in open_url("/examples/digits.py").read()
answers = await asyncio.gather(*(attempt(way) for way in WAYS.values()))
for name, answer in zip(WAYS, answers, strict=True):
    print(f"{name}: {answer}")
await asyncio.sleep(1)  # for what goes on by itself
