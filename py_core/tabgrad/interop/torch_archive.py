"""PyTorch's checkpoint files: a zip archive with one pickle, and the bytes of each tensor beside it.

``NAME/data.pkl`` names tensors' bytes by keys, which lie in ``NAME/data/KEY``, uncompressed.

Source: https://docs.pytorch.org/docs/stable/notes/serialization.html
"""

from __future__ import annotations

import io
import zipfile
from typing import Any

from tabgrad.dtypes import bfloat16
from tabgrad.errors import FileFormatError
from tabgrad.interop.torch_pickle import FORMS, Plain, Reader, Saved, Writer
from tabgrad.runtime.reads import read_now

_VERSION = b"3\n"
_DATE = (1980, 1, 1, 0, 0, 0)


def write_archive(obj: Any, name: str, pickle_module: Any = None, pickle_protocol: int = 2) -> bytes:
    """The bytes of a file that holds ``obj``."""
    root = name.rpartition(".")[0] or name
    pickled = io.BytesIO()
    writer = Writer(pickled, pickle_protocol)
    writer.dump(obj)
    values = read_now(*[tensor.detach() for tensor in writer.tensors])  # all in one transaction
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:

        def put(member: str, data: bytes) -> None:
            archive.writestr(zipfile.ZipInfo(f"{root}/{member}", _DATE), data)

        put("data.pkl", pickled.getvalue())
        put("byteorder", b"little")
        for key, (tensor, value) in enumerate(zip(writer.tensors, values, strict=True)):
            stored = bfloat16.stored(value) if tensor.dtype is bfloat16 else value
            put(f"data/{key}", stored.astype(FORMS[tensor.dtype.name].stored, copy=False).tobytes())
        put("version", _VERSION)
    return out.getvalue()


def read_archive(data: bytes, name: str, *, weights_only: bool) -> Any:
    """The object in a file of that name.

    Raises:
        FileFormatError: it is not PyTorch's, or malformed.
        pickle.UnpicklingError: it holds more than plain data, and ``weights_only`` is True.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        pickled = next((n for n in archive.namelist() if n.endswith("/data.pkl") and n.count("/") == 1), None)
        if pickled is None or any(n.startswith(f"{pickled.partition('/')[0]}/code/") for n in archive.namelist()):
            held = "TorchScript" if pickled else "an archive without data.pkl"
            raise FileFormatError(f"load: expected a file that torch.save wrote, got {held} in {name}")
        root = pickled.partition("/")[0]
        if f"{root}/byteorder" in archive.namelist() and _member(archive, f"{root}/byteorder", name) != b"little":
            raise FileFormatError(f"load: expected numbers in little-endian order, got others in {name}")
        text = _member(archive, pickled, name)
        found = (Plain if weights_only else Reader)(
            text, Saved(lambda key: _member(archive, f"{root}/data/{key}", name))
        )
        return found.load()
    except (zipfile.BadZipFile, KeyError, EOFError, NotImplementedError) as error:
        raise FileFormatError(f"load: expected a file that torch.save wrote, got {name}: {error}") from error


def _member(archive: zipfile.ZipFile, member: str, name: str) -> bytes:
    info = archive.getinfo(member)
    if info.compress_type != zipfile.ZIP_STORED:  # PyTorch compresses nothing; what is not compressed cannot grow
        raise FileFormatError(f"load: expected members that are not compressed, got {member} of {name}")
    return archive.read(info)


__all__ = ["read_archive", "write_archive"]
