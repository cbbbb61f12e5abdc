"""Downloads that are checked against a sha256 and kept, whole files or one member of a wheel on PyPI."""

import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

from console import BuildError, say
from paths import CACHE

_TIMEOUT_S = 60
_UNREACHABLE = (urllib.error.URLError, OSError, zipfile.BadZipFile, KeyError, LookupError)


def cached(sha256: str) -> bytes | None:
    """The content with this hash, where the cache has it whole."""
    path = CACHE / sha256
    if not path.is_file():
        return None
    content = path.read_bytes()
    return content if _sha256(content) == sha256 else None


def from_url(url: str, sha256: str) -> bytes:
    """The file at ``url``.

    Raises:
        LookupError: no server answers, or the content differs.
    """
    try:
        with urllib.request.urlopen(url, timeout=_TIMEOUT_S) as answer:
            return keep(answer.read(), sha256, url)
    except _UNREACHABLE as error:
        raise LookupError(f"{url}: {error}") from error


def from_wheel(project: str, version: str, member: str, sha256: str) -> bytes:
    """One file out of a wheel of ``project`` on PyPI, by range reads, or else from the whole wheel that pip fetches.

    Raises:
        BuildError: neither way answers, or the content is another than expected.
    """
    content = cached(sha256)
    if content is not None:
        return content
    say(f"fetching {member.rsplit('/', 1)[-1]} out of {project} {version} on PyPI")
    reasons = []
    for read in (_member_by_ranges, _member_by_pip):
        try:
            return keep(read(project, version, member), sha256, f"{project} {version}: {member}")
        except (*_UNREACHABLE, BuildError) as error:
            reasons.append(f"{read.__name__.removeprefix('_member_')}: {error}")
    raise BuildError(
        f"could not fetch {member} (sha256 {sha256}) from PyPI's {project} {version}; "
        f"put a file with that content at {CACHE / sha256}, or restore the network.\n  " + "\n  ".join(reasons)
    )


def keep(content: bytes, sha256: str, source: str) -> bytes:
    """Put ``content`` of ``source`` into the cache.

    Raises:
        LookupError: its sha256 is another.
    """
    got = _sha256(content)
    if got != sha256:
        raise LookupError(f"{source}: expected sha256 {sha256}, got {got}")
    CACHE.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=CACHE, delete=False) as file:
        file.write(content)
    os.replace(file.name, CACHE / sha256)
    return content


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _member_by_ranges(project: str, version: str, member: str) -> bytes:
    index = (os.environ.get("PIP_INDEX_URL") or "https://pypi.org/simple").rstrip("/")
    page_url = f"{index}/{project}/"
    with urllib.request.urlopen(
        urllib.request.Request(page_url, headers={"Accept": "text/html"}), timeout=_TIMEOUT_S
    ) as answer:
        page = answer.read().decode()
    name = f"{re.sub(r'[-_.]+', '_', project)}-{version}-"
    links = [urllib.parse.urljoin(page_url, link) for link in re.findall(r'href="([^"#]+\.whl)', page)]
    wheels = [link for link in links if link.rsplit("/", 1)[-1].startswith(name)]
    if not wheels:
        raise LookupError(f"{page_url} lists no wheel of version {version}")
    with zipfile.ZipFile(io.BufferedReader(_RangeFile(wheels[0]), 1 << 16)) as wheel:
        return wheel.read(member)


def _member_by_pip(project: str, version: str, member: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "-d", folder]
        done = subprocess.run(
            [*command, f"{project}=={version}"], capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        if done.returncode != 0:
            raise LookupError((done.stderr or done.stdout).strip()[-400:])
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            return wheel.read(member)


class _RangeFile(io.RawIOBase):
    """A remote file that is read in pieces, so that one member of a large wheel costs its own size."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url
        self._position = 0
        with urllib.request.urlopen(urllib.request.Request(url, method="HEAD"), timeout=_TIMEOUT_S) as answer:
            self._size = int(answer.headers["Content-Length"])

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence]
        self._position = base + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer) -> int:
        end = min(self._position + len(buffer), self._size)
        if end <= self._position:
            return 0
        request = urllib.request.Request(self._url, headers={"Range": f"bytes={self._position}-{end - 1}"})
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:
            if answer.status != 206:
                raise LookupError(f"{self._url}: the host does not serve ranges")
            content = answer.read()
        buffer[: len(content)] = content
        self._position += len(content)
        return len(content)
