"""``web/node/atomic_file.mjs``: how Node writes the cache of winners, and traces."""

from __future__ import annotations

import os
import resource
import signal
import socket
import stat
import subprocess
from pathlib import Path

import pytest

import environment
from paths import WEB

SCRIPT = """
import { writeAtomically } from "./node/atomic_file.mjs";
const [umask, file, text] = process.argv.slice(1);
process.umask(Number(umask));
try {
  writeAtomically(file, text.repeat(1000), "test");
  console.log(process.pid);
} catch (error) {
  console.log(error.message);
}
"""


def write(file: Path | str, text: str = "new", *, umask: int = 0o022, **options: object) -> str:
    """What Node printed, having written the text a thousand times."""
    command = [environment.node(), "--input-type=module", "-e", SCRIPT, str(umask), str(file), text]
    done = subprocess.run(command, cwd=WEB, capture_output=True, text=True, timeout=60, **options)  # type: ignore[call-overload]
    assert done.stderr == ""
    return str(done.stdout).rstrip("\n")


def only(folder: Path, *names: str) -> bool:
    return sorted(p.name for p in folder.iterdir()) == sorted(names)


def test_links_are_followed_and_modes_kept(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    target, link, dangling = tmp_path / "disk" / "file", tmp_path / "link", tmp_path / "dangling"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to("disk/file")
    dangling.symlink_to("disk/other")
    assert write(link).isdigit() and write(dangling, umask=0o027).isdigit()
    assert link.is_symlink() and dangling.is_symlink()
    assert target.read_text() == "new" * 1000
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "disk" / "other").stat().st_mode) == 0o640
    assert only(tmp_path / "disk", "file", "other")


def test_what_is_no_regular_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    Path("folder").mkdir()
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")
    for name, kind in (("pipe", "a FIFO or pipe"), ("folder", "a folder"), ("socket", "a socket")):
        expected = (
            f"test: expected to write {tmp_path / name}, got: {kind}, which is no regular file; name another file"
        )
        assert write(tmp_path / name) == expected
    assert stat.S_ISFIFO(os.lstat("pipe").st_mode)
    assert only(tmp_path, "pipe", "folder", "socket")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    message = write(tmp_path / "nothing" / "file")
    assert message.endswith("got: its folder does not exist; create the folder first")


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    message = write(tmp_path / "file", preexec_fn=small)
    assert message.endswith("got: the disk is full; free some space, nothing was changed")
    assert (tmp_path / "file").read_text() == "old"
    assert only(tmp_path, "file")


def test_a_killed_writers_leftover_is_removed(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    killed = 'import fs from "node:fs";\nfs.renameSync = () => process.kill(process.pid, "SIGKILL");\n' + SCRIPT
    command = [environment.node(), "--input-type=module", "-e", killed, "18", str(tmp_path / "file"), "new"]
    assert subprocess.run(command, cwd=WEB, capture_output=True, timeout=60, check=False).returncode == -signal.SIGKILL
    (leftover,) = set(tmp_path.iterdir()) - {tmp_path / "file"}
    assert (tmp_path / "file").read_text() == "old"
    parts = leftover.name.split("-")
    mine = leftover.with_name("-".join([*parts[:2], str(os.getpid()), parts[3]]))
    for path in (leftover, mine):
        path.touch()
        os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 120))
    assert write(tmp_path / "file").isdigit()
    assert only(tmp_path, "file", mine.name)  # whose writer lives
