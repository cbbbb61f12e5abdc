"""Downloads are believed only where their hash is right."""

import hashlib
import io
import urllib.error

import pytest

import archive
import fetch
from console import BuildError


@pytest.fixture(autouse=True)
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setattr(fetch, "CACHE", tmp_path / "cache")


def digest(content):
    return hashlib.sha256(content).hexdigest()


def test_a_kept_file_is_found_again_until_it_is_damaged():
    key = digest(b"content")
    fetch.keep(b"content", key, "here")
    assert fetch.cached(key) == b"content"
    (fetch.CACHE / key).write_bytes(b"cont")
    assert fetch.cached(key) is None


def test_another_content_is_refused_and_not_kept():
    with pytest.raises(LookupError, match=r"there: expected sha256 0+, got [0-9a-f]{64}"):
        fetch.keep(b"content", "0" * 64, "there")
    assert fetch.cached("0" * 64) is None


def test_without_a_network_the_error_names_each_way_and_a_remedy(monkeypatch):
    def unreachable(*_, **__):
        raise urllib.error.URLError("no route")

    monkeypatch.setattr(fetch.urllib.request, "urlopen", unreachable)
    monkeypatch.setattr(fetch, "_member_by_pip", lambda *_: unreachable())
    with pytest.raises(
        BuildError, match=r"could not fetch a/b\.csv .* put a file with that content at [\s\S]*no route"
    ):
        fetch.from_wheel("project", "1.0", "a/b.csv", "0" * 64)


def test_one_member_is_read_by_ranges_from_a_large_wheel(monkeypatch):
    wheel = archive.write({"big.bin": bytes(range(256)) * 4096, "sub/small.txt": b"hello"}, compress=False)
    asked = []

    class Answer(io.BytesIO):
        status = 206
        headers = {"Content-Length": str(len(wheel))}

    def urlopen(request, **_):
        if request.full_url.endswith("/my-project/"):
            return Answer(b'<a href="../../files/my_project-1.0-py3-none-any.whl#sha256=0">x</a>')
        if request.get_method() == "HEAD":
            return Answer()
        first, last = map(int, request.headers["Range"].removeprefix("bytes=").split("-"))
        asked.append(last - first + 1)
        return Answer(wheel[first : last + 1])

    monkeypatch.setattr(fetch.urllib.request, "urlopen", urlopen)
    assert fetch.from_wheel("my-project", "1.0", "sub/small.txt", digest(b"hello")) == b"hello"
    assert sum(asked) < len(wheel) / 4
