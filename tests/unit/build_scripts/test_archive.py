"""Wheels and zips of the bundle: equal content gives equal bytes, and a RECORD that fits."""

import base64
import csv
import hashlib
import io
import zipfile

import archive
import bytecode

WHEEL = {
    "pkg/__init__.py": b"x = 1\n",
    "pkg/data.txt": b"text",
    "pkg-1.dist-info/WHEEL": b"Wheel-Version: 1.0\n",
    "pkg-1.dist-info/RECORD": b"outdated",
}


def test_write_is_the_same_for_any_order():
    assert archive.write(WHEEL) == archive.write(dict(reversed(WHEEL.items())))
    assert archive.read(archive.write(WHEEL)) == WHEEL


def test_wheel_records_what_it_holds():
    files = archive.read(archive.wheel(WHEEL))
    rows = {name: (digest, size) for name, digest, size in csv.reader(files["pkg-1.dist-info/RECORD"].decode().split())}
    assert rows.keys() == WHEEL.keys()
    assert rows["pkg-1.dist-info/RECORD"] == ("", "")
    expected = base64.urlsafe_b64encode(hashlib.sha256(b"text").digest()).rstrip(b"=").decode()
    assert rows["pkg/data.txt"] == (f"sha256={expected}", "4")


def test_drop_matches_from_the_start():
    assert set(archive.drop(WHEEL, r"pkg/.*\.txt$|data")) == WHEEL.keys() - {"pkg/data.txt"}


def test_compiled_archive_runs_without_and_with_its_sources(tmp_path, monkeypatch):
    for keep in (False, True):
        content = bytecode.compile_archive(archive.write({f"compiled_{keep}.py": b"def f():\n    return 7\n"}), keep)
        with zipfile.ZipFile(io.BytesIO(content)) as made:
            made.extractall(tmp_path)
        assert (tmp_path / f"compiled_{keep}.py").exists() == keep
    monkeypatch.syspath_prepend(tmp_path)
    import compiled_False
    import compiled_True

    assert (compiled_False.f(), compiled_True.f()) == (7, 7)
    assert compiled_False.__file__.endswith(".pyc")
