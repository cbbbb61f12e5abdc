"""Folders that are built as a whole: a half-made one is never visible, and two builds do not interfere."""

import contextlib
import hashlib
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: two builds at once are the caller's risk
    fcntl = None

from paths import BUILD


@contextlib.contextmanager
def exclusive(name: str) -> Iterator[None]:
    """Wait until no other process holds the lock ``name``, and hold it."""
    BUILD.mkdir(exist_ok=True)
    with open(BUILD / f"{name}.lock", "w") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def replaced(target: Path) -> Iterator[Path]:
    """A scratch folder that takes ``target``'s place when the block ends well."""
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-"))
    try:
        yield scratch
        scratch.chmod(0o755)
        if target.exists():
            old = Path(tempfile.mkdtemp(dir=target.parent, prefix=f".{target.name}-")) / "old"
            target.rename(old)
            scratch.rename(target)
            shutil.rmtree(old.parent)
        else:
            scratch.rename(target)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def fingerprint(paths: Iterable[Path]) -> str:
    """Changes when a file among ``paths``, or in a folder among them, changes its name or content."""
    digest = hashlib.sha256()
    for top in paths:
        files = sorted(path for path in top.rglob("*") if path.is_file()) if top.is_dir() else [top]
        for path in files:
            if "__pycache__" not in path.parts and path.exists():
                digest.update(f"{path}\0{path.stat().st_size}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()
