"""Set up what is missing, build the site, serve it on localhost: ``python3 build_scripts/serve.py``."""

import argparse
import os
import sys
import webbrowser
from pathlib import Path

import server
import website
from console import BuildError, main, say

_FIRST_PORT = 8000


def _serve() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, help=f"default: {_FIRST_PORT}, or the next one that is free")
    parser.add_argument("--out", type=Path, metavar="DIR", help="only build the site into DIR, for any static host")
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")
    options = parser.parse_args()

    if options.out:
        print(f"The site is in {website.ensure(options.out.resolve())}; any static host can serve that folder.")
        return
    http = _bind(website.ensure(), options.port)
    address = f"http://localhost:{http.server_address[1]}/"
    print(f"\ntabgrad is at {address}   (Ctrl+C stops)", flush=True)
    if not options.no_open and sys.stdout.isatty() and _has_desktop():
        webbrowser.open(address)
    http.serve_forever()


def _bind(folder: Path, port: int | None):
    wanted = [port] if port is not None else [*range(_FIRST_PORT, _FIRST_PORT + 20), 0]
    for candidate in wanted:
        try:
            return server.make(folder, port=candidate)
        except OSError as error:
            reason = error
    raise BuildError(f"cannot listen on port {port}: {reason}; name another with --port")


def _has_desktop() -> bool:
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


if __name__ == "__main__":
    say("preparing the site")
    main(_serve)
