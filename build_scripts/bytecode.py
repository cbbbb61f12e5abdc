"""Compiles the modules of a zip to bytecode. Runs inside Pyodide, whose bytecode version is the right one."""

import io
import zipfile
from importlib._bootstrap_external import _code_to_hash_pyc
from importlib.util import cache_from_source, source_hash


def compile_archive(content: bytes, keep_sources: bool) -> bytes:
    """The same archive with compiled modules, uncompressed.

    Args:
        content: a zip or a wheel.
        keep_sources: leave each ``.py`` and put its bytecode in ``__pycache__`` (tracebacks show lines);
            otherwise ``x.pyc`` takes the place of ``x.py``.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as source, zipfile.ZipFile(out, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if not name.endswith(".py"):
                target.writestr(name, data)
                continue
            code = compile(data, name, "exec", dont_inherit=True, optimize=0)
            # Unchecked: the loader trusts the bytecode and never compares it with the source.
            compiled = _code_to_hash_pyc(code, source_hash(data), checked=False)
            if keep_sources:
                target.writestr(name, data)
                target.writestr(cache_from_source(name), bytes(compiled))
            else:
                target.writestr(f"{name}c", bytes(compiled))
    return out.getvalue()
