"""What a script may reach: its own origin and nothing else, also on a host that sends no headers but types."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import server
from web.visitor import Visitor

REACH = Path(__file__).with_name("reach.py").read_text()


class Foreign:
    """A second origin, which notes whatever reaches it by TCP or UDP."""

    def __init__(self) -> None:
        self.reached: list[str] = []
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        self.threads = [threading.Thread(target=listen, daemon=True) for listen in (self._accept, self._receive)]
        for thread in self.threads:
            thread.start()

    def _accept(self) -> None:
        while True:
            connection, _ = self.tcp.accept()
            with connection:
                connection.settimeout(1)
                self.reached.append(f"TCP {connection.recv(200)!r}")
                connection.sendall(b"HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\n\r\n")

    def _receive(self) -> None:
        while True:
            self.reached.append(f"UDP {self.udp.recv(200)!r}")


@pytest.fixture(scope="module")
def foreign() -> Foreign:
    return Foreign()


class _Plain(SimpleHTTPRequestHandler):
    """A host that knows types and nothing else, and that redirects one address."""

    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, **server.TYPES}
    elsewhere = ""

    def do_GET(self) -> None:
        if self.path == "/redirect":
            self.send_response(302)
            self.send_header("Location", self.elsewhere)
            self.end_headers()
        else:
            super().do_GET()

    def log_message(self, format: str, *args: Any) -> None:
        """Silent."""


@pytest.fixture(scope="module")
def plain_host(site: Path, foreign: Foreign) -> Iterator[str]:
    """The site's address on a host that sends no headers."""
    handler = type("_Redirecting", (_Plain,), {"elsewhere": f"http://127.0.0.1:{foreign.port}/redirected"})
    http = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, directory=str(site)))
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    yield f"http://localhost:{http.server_address[1]}/"
    http.shutdown()
    thread.join()
    http.server_close()


def reach(visitor: Visitor, foreign: Foreign, site: Path) -> dict[str, str]:
    """Let a script try everything; what it was told of each way."""
    foreign.reached.clear()
    (module,) = (site / "assets").glob("main-*.js")
    source = REACH.replace("TARGET_ADDRESS", f"127.0.0.1:{foreign.port}")
    visitor.visit()
    visitor.heard("ready")
    visitor.editor.wait_for()
    assert visitor.run(source.replace("WORKER_ADDRESS", f"{visitor.url}assets/{module.name}"))["ok"]
    lines = [line for message in visitor.all_heard("output") for line in message["text"].splitlines()]
    visitor.problems.clear()  # the browser reports each refusal
    return dict(line.split(": ", 1) for line in lines if ": " in line)


def test_second_origin_notes_who_comes(foreign: Foreign) -> None:
    foreign.reached.clear()
    with socket.create_connection(("127.0.0.1", foreign.port)) as connection:
        connection.sendall(b"hello")
        assert connection.recv(10).startswith(b"HTTP")
    assert foreign.reached == ["TCP b'hello'"]


@pytest.mark.parametrize("host", ["serve.py", "plain"])
def test_scripts_reach_their_own_origin_only(
    host: str,
    foreign: Foreign,
    site: Path,
    plain_host: str,
    address: str,
    new_visitor: Callable[..., Visitor],
) -> None:
    visitor = new_visitor()
    visitor.url = plain_host if host == "plain" else address
    told = reach(visitor, foreign, site)
    assert foreign.reached == []
    assert len(told) > 30
    assert "EvalError" in told["eval"]
    assert "EvalError" in told["Function"]
