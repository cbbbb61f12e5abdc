"""Atomic replacement of files: readers see the old contents or the new ones, never a part.

The contents go to a temporary file in the same folder, which is then renamed. A killed process leaves its temporary
file behind; the next write into that folder removes it. A lock on the temporary file, which the system releases when
the process ends, distinguishes a leftover from a file that another process is writing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import time

from tabgrad.errors import FileWriteError, shown_path

_PREFIX, _SUFFIX = ".tabgrad-", ".tmp"
_STALE_S = 24 * 3600  # the age of a leftover where files cannot be locked
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO or pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_FULL = {errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC)}


def write_atomically(
    data: bytes | memoryview, filename: str | os.PathLike[str], *, caller: str, durable: bool = True
) -> None:
    """Write ``data`` to ``filename`` atomically: after an error, an existing file is unchanged.

    Symbolic links are followed, even to a target that does not exist yet. The new file keeps the mode of the old one,
    and its owner and group if the system permits; a file that did not exist gets its mode from the umask. Other hard
    links to the old file keep the old contents.

    Args:
        caller: the function named in error messages.
        durable: wait until the data are on disk. Otherwise a power failure may restore the old contents, which is
            acceptable for caches and reports.

    Raises:
        FileWriteError: ``filename`` is not a regular file, or the system refuses.
    """
    name = os.fsdecode(filename)
    shown = shown_path(name)
    try:
        target, before = _target(name, caller, shown)
        folder = os.path.dirname(target)
        _remove_leftovers(folder)
        _replace(target, folder, before, data, durable)
    except FileWriteError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise _refusal(error, caller, shown) from error


def _target(name: str, caller: str, shown: str) -> tuple[str, os.stat_result | None]:
    """The file that a name refers to after links, and its current status."""
    try:
        before = os.stat(name)
    except FileNotFoundError:
        if os.path.basename(name) in ("", ".", ".."):
            raise FileWriteError(f"{caller}: expected the name of a file, got {shown!r}; add a name to it") from None
        return os.path.realpath(name), None
    if not stat.S_ISREG(before.st_mode):
        kind = _KINDS.get(stat.S_IFMT(before.st_mode), "something else")
        raise FileWriteError(f"{caller}: expected a regular file at {shown}, got {kind}; name another file")
    if not os.access(name, os.W_OK):
        raise PermissionError(errno.EACCES, "it is protected from writing")
    return os.path.realpath(name), before


def _replace(target: str, folder: str, before: os.stat_result | None, data: bytes | memoryview, durable: bool) -> None:
    handle, temporary, locked = _temporary(folder, 0o666 if before is None else 0o600)
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            if before is not None:
                _pass_on(before, temporary)
            if durable:
                _sync(handle)
            if locked:
                os.replace(temporary, target)  # while locked, so that it does not count as a leftover
        if not locked:
            os.replace(temporary, target)  # Windows renames closed files only
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if durable:
        _sync_folder(folder)


def _temporary(folder: str, mode: int) -> tuple[int, str, bool]:
    """A new temporary file: handle, path, whether it is locked."""
    flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0)
    while True:
        path = os.path.join(folder, f"{_PREFIX}{os.urandom(8).hex()}{_SUFFIX}")
        handle = os.open(path, flags, mode)
        try:
            locked = _lock(handle, wait=True) is True
            if not locked or os.path.exists(path):
                return handle, path, locked
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)  # another process removed it as a leftover before it was locked


def _pass_on(before: os.stat_result, temporary: str) -> None:
    """Copy owner, group and mode, as far as the system permits."""
    now = os.stat(temporary)
    if hasattr(os, "chown") and (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.chown(temporary, before.st_uid, before.st_gid)
        except OSError:
            with contextlib.suppress(OSError):
                os.chown(temporary, -1, before.st_gid)
    with contextlib.suppress(OSError):  # file systems without modes
        os.chmod(temporary, stat.S_IMODE(before.st_mode))


def _remove_leftovers(folder: str) -> None:
    """Remove the leftovers of this user's killed processes from a folder."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                with contextlib.suppress(OSError):
                    _remove_if_stale(entry.path)


def _remove_if_stale(path: str) -> None:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or (hasattr(os, "geteuid") and found.st_uid != os.geteuid()):
            return
        free = _lock(handle, wait=False)
        if free:
            os.unlink(path)
    finally:
        os.close(handle)
    if free is None and time.time() - found.st_mtime > _STALE_S:
        os.unlink(path)


def _lock(handle: int, *, wait: bool) -> bool | None:
    """Lock the file; returns whether it succeeded, ``None`` where files cannot be locked."""
    if sys.platform in ("win32", "emscripten"):  # Emscripten's locks always succeed
        return None
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _sync(handle: int) -> None:
    """Wait until the data are on disk, if the file system supports it."""
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP):
            raise


def _sync_folder(folder: str) -> None:
    """Make a rename durable, where folders can be opened."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            _sync(handle)
        finally:
            os.close(handle)


def _refusal(error: OSError | ValueError, caller: str, shown: str) -> FileWriteError:
    code = error.errno if isinstance(error, OSError) else None
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    if code == errno.ENOENT:
        reason, remedy = "its folder does not exist", "create the folder first"
    elif code in _FULL:
        remedy = "free some space, or name a file on another disk; nothing was changed"
    elif code in (errno.EACCES, errno.EPERM, errno.EROFS):
        remedy = "name a file in a folder that you may write to"
    else:
        remedy = "name another file; nothing was changed"
    refusal = FileWriteError(f"{caller}: expected to write {shown}, got: {reason}; {remedy}")
    refusal.errno = code
    return refusal
