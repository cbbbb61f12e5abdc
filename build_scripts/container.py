"""One file that holds several, for a quick start: see ``web/python/container.js``, which reads it."""

import gzip
import json
import struct
from collections.abc import Mapping


def pack(files: Mapping[str, bytes]) -> bytes:
    """A container of ``files``; equal files give equal bytes."""
    ordered = sorted(files.items())
    header = json.dumps({"files": [[name, len(content)] for name, content in ordered]}).encode()
    content = b"".join([struct.pack("<I", len(header)), header, *(content for _, content in ordered)])
    return gzip.compress(content, compresslevel=9, mtime=0)
