"""Zips and wheels as dictionaries of name to content, written so that equal content gives equal bytes."""

import base64
import hashlib
import io
import re
import zipfile

Files = dict[str, bytes]

_EPOCH = (1980, 1, 1, 0, 0, 0)


def read(content: bytes) -> Files:
    """The files of a zip, folders left out."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}


def write(files: Files, *, compress: bool = True) -> bytes:
    """A zip of ``files``, sorted, without times."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in sorted(files):
            entry = zipfile.ZipInfo(name, date_time=_EPOCH)
            entry.external_attr = 0o644 << 16
            method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
            archive.writestr(entry, files[name], method, compresslevel=9)
    return out.getvalue()


def drop(files: Files, pattern: str) -> Files:
    """The files whose name ``pattern`` does not match (from the start, as ``re.match``)."""
    unwanted = re.compile(pattern)
    return {name: content for name, content in files.items() if not unwanted.match(name)}


def wheel(files: Files) -> bytes:
    """A wheel of ``files`` whose RECORD fits them, RECORD last."""
    record = next(name for name in files if name.endswith(".dist-info/RECORD"))
    rows = [
        f"{name},sha256={_digest(content)},{len(content)}" for name, content in sorted(files.items()) if name != record
    ]
    return write({**files, record: "\n".join([*rows, f"{record},,", ""]).encode()})


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
