"""Winners of kernel tuning from files that hold something else, and without a folder to keep them in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tabgrad
from sessions import session_on
from tabgrad import browser_winners
from tabgrad.compiler.variant import Measured, heuristic, variant
from tabgrad.devices.base import AdapterInfo, Limits
from tabgrad.devices.reference import ReferenceDevice
from tabgrad.errors import FileFormatError
from tabgrad.session import Session, current
from tabgrad.tuner import TunerRegistry, manage, winners
from tabgrad.tuner.store import FileStore

INFO = AdapterInfo(name="GPU", vendor="v", backend="b", kind="gpu")
WINNER = winners.winner(Measured(variant("elementwise/map", workgroup=64), "0f"), "add [2]", 1.0, 0.5)


def document(**changes: Any) -> dict[str, Any]:
    """One winner, with these of its fields changed."""
    entry = winners.entry_of(INFO, {"k": WINNER})
    entry["winners"]["k"] |= changes
    return {"format": winners.FORMAT, "adapters": {winners.adapter_id(INFO, Limits()): entry}}


def text(**changes: Any) -> bytes:
    return json.dumps(document(**changes)).encode()


DAMAGED = {
    "nested lists": b"[" * 100_000,
    "nested objects": b'{"a":' * 100_000,
    "nested in its place": b'{"format": "tabgrad tuning 2", "adapters": ' + b"[" * 5000 + b"]" * 5000 + b"}",
    "nested behind a string": b'{"a \\" [": ' + b"[" * 5000,
    "400 digits": text(ms=10**400),
    "5,000 digits": text(ms=0).replace(b'"ms": 0', b'"ms": ' + b"9" * 5000),
    "digits in a parameter": text(parameters={"workgroup": 10**400}),
    "no number": text(ms=float("nan")),
    "a number beyond floats": text(ms=0).replace(b'"ms": 0', b'"ms": 1e999'),
    "a list of adapters": b'{"format": "tabgrad tuning 2", "adapters": []}',
    "a list": b"[]",
    "null": b"null",
    "an earlier form": text().replace(b"tabgrad tuning 2", b"tabgrad tuning 1"),
    "wrong types": text(kernel=7),
    "no fingerprint": text(fingerprint=None),
    "wrong parameters": text(parameters=[1]),
    "what a terminal would obey": text(kernel="\x1b[2J"),
    "not UTF-8": b"\xff\xfe" + text(),
    "empty": b"",
}


@pytest.fixture(autouse=True)
def session() -> Iterator[Session]:
    """A store of the test's own."""
    with session_on("reference") as session:
        yield session


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_files_are_told_of_once_and_replaced(
    name: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "tuning.json"
    path.write_bytes(DAMAGED[name])
    kept = FileStore(path)
    for _ in range(3):
        assert kept.read() == winners.empty()
    (record,) = caplog.records
    message = record.getMessage()
    assert message.startswith(f"kernels are measured again, as the file of winners cannot be read: {path}: expected ")
    assert message.endswith("; `tabgrad tune clear` begins a new one")
    assert "\n" not in message
    kept.add(document())
    assert FileStore(path).read() == document()
    assert path.with_name("tuning.json.damaged").read_bytes() == DAMAGED[name]
    assert len(caplog.records) == 1
    (tmp_path / "other.json").write_bytes(DAMAGED[name])
    with pytest.raises(FileFormatError, match=r"other\.json: expected winners of kernel tuning"):
        manage.import_file(tmp_path / "other.json")


@pytest.mark.parametrize("name", [n for n in DAMAGED if n != "not UTF-8"])
def test_damaged_text_of_a_page_is_told_of(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert browser_winners.PageStore(None, DAMAGED[name].decode()).read() == winners.empty()
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("the kept winners of kernel tuning: expected ")
    assert line.endswith("; kernels are measured again")


@pytest.mark.parametrize("kind", ["folder", "pipe", "huge"])
def test_what_is_no_file_makes_way(kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "tuning.json"
    if kind == "folder":
        (path / "inside").mkdir(parents=True)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        with open(path, "wb") as file:
            file.truncate(winners.MOST_BYTES + 1)  # a hole: it takes no space
    kept = FileStore(path)
    assert kept.read() == winners.empty()
    assert kept.read() == winners.empty()
    (record,) = caplog.records
    assert str(path) in record.getMessage()
    assert "`tabgrad tune clear` begins a new one" in record.getMessage()
    kept.add(document())
    assert FileStore(path).read() == document()
    assert len(caplog.records) == 1


def test_winners_outlive_a_folder_that_takes_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("")
    kept = FileStore(tmp_path / "file" / "tuning.json")
    kept.add(document())
    kept.add(document(ms=0.25))
    assert kept.read() == document(ms=0.25)
    (record,) = caplog.records
    assert "so that they last as long as this process: " in record.getMessage()
    assert record.getMessage().endswith("; name another folder in TABGRAD_CACHE")


@pytest.mark.parametrize("home", ["unknown", "absent"])
def test_without_a_home_folder_winners_are_kept_in_memory(
    home: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("TABGRAD_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    if home == "unknown":
        monkeypatch.setattr(Path, "home", unknown)
    else:
        monkeypatch.setenv("HOME", str(tmp_path / "nobody"))
    store = Session("reference").own(TunerRegistry).store
    store.add(document())
    store.add(document())
    assert store.read() == document()
    assert not (tmp_path / "nobody").exists()
    (record,) = caplog.records
    assert "winners of kernel tuning last as long as this process" in record.getMessage()


@pytest.mark.parametrize("damage", ["nested lists", "not UTF-8", "400 digits"])
def test_damaged_winners_of_the_package_are_told_of(
    damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    device = ReferenceDevice()
    device.info = INFO
    current().own(TunerRegistry).settings.choose("background", None)
    monkeypatch.setattr(winners, "DEFAULTS", tmp_path / "defaults.json")
    winners.DEFAULTS.write_bytes(DAMAGED[damage])
    assert current().own(TunerRegistry).of(device).choice is heuristic
    (record,) = caplog.records
    assert record.getMessage().endswith("; reinstall tabgrad")


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="needs root, to become somebody else")
def test_a_file_that_may_not_be_read_makes_way() -> None:
    """As somebody else, since root may read all."""
    code = (
        "import os, sys, tabgrad\n"
        "os.setgid(65534); os.setuid(65534)\n"
        "from tabgrad.tuner.store import FileStore\n"
        "from pathlib import Path\n"
        "kept = FileStore(Path(sys.argv[1]))\n"
        "kept.read(); kept.read(); kept.write(kept.read())\n"
        "print(len(kept.read()['adapters']), oct(kept.path.stat().st_mode & 0o400))\n"
    )
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "tuning.json"
        file.write_bytes(text())
        file.chmod(0)
        os.chown(name, 65534, 65534)
        done = _python(code, str(file))
    assert (done.returncode, done.stdout) == (0, "0 0o400\n"), done.stderr
    (line,) = done.stderr.splitlines()
    assert "Permission denied" in line
    assert line.endswith("; `tabgrad tune clear` begins a new one")


def _python(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    package = Path(tabgrad.__file__).resolve().parents[1]
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=False,
    )
