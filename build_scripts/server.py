"""An HTTP server for the built site, with the headers that a good host would set."""

import re
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from website import CONTENT_SECURITY_POLICY

_HASHED = re.compile(r"/(assets/|pyodide/(?!manifest\.json))")
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".map": "application/json",
    ".mjs": "text/javascript; charset=utf-8",
    ".py": "text/x-python; charset=utf-8",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",  # with any other type Pyodide waits for ever
    ".zip": "application/zip",
}


def make(folder: Path, *, host: str = "127.0.0.1", port: int = 0) -> ThreadingHTTPServer:
    """A server of ``folder``, bound but not yet serving; ``server_address[1]`` is its port.

    Raises:
        OSError: the port is taken.
    """
    return _Server((host, port), partial(_Handler, directory=str(folder)))


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address) -> None:
        """A browser that goes away in the middle of an answer is no error."""


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    extensions_map = {**SimpleHTTPRequestHandler.extensions_map, **TYPES}

    def end_headers(self) -> None:
        fixed = _HASHED.match(self.path) and self.answer in (HTTPStatus.OK, HTTPStatus.NOT_MODIFIED)
        self.send_header("Cache-Control", "public, max-age=31536000, immutable" if fixed else "no-cache")
        self.send_header("Content-Security-Policy", f"{CONTENT_SECURITY_POLICY}; frame-ancestors 'none'")
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        super().end_headers()

    def send_response(self, code: int, message: str | None = None) -> None:
        self.answer = code
        super().send_response(code, message)

    def list_directory(self, path):
        """No listings: a folder without an index.html does not exist."""
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""
