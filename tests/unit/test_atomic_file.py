import os
import signal
import socket
import stat
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import tabgrad as tg
from daily import daily_random
from tabgrad.atomic_file import write_atomically
from tabgrad.errors import FileWriteError

WEIGHT = np.arange(6, dtype=np.float32)


def run(script, *arguments):
    """A script in a process of its own, which may end itself, be killed or drop rights."""
    text = "import os, sys, signal\nimport numpy as np\nimport tabgrad as tg\n" + textwrap.dedent(script)
    return subprocess.run(
        [sys.executable, "-c", text, *map(str, arguments)], capture_output=True, text=True, timeout=60
    )


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def only(folder, *names):
    return sorted(p.name for p in folder.iterdir()) == sorted(names)


def test_save_writes_through_symbolic_links(tmp_path):
    (tmp_path / "disk").mkdir()
    target, link, outer = tmp_path / "disk" / "model", tmp_path / "link", tmp_path / "outer"
    target.write_bytes(b"old")
    link.symlink_to("disk/model")
    outer.symlink_to(link)
    tg.save({"a": WEIGHT}, outer)
    assert outer.is_symlink() and link.is_symlink() and not target.is_symlink()
    np.testing.assert_array_equal(tg.load(target)["a"].numpy(), WEIGHT)


def test_save_makes_the_target_of_a_dangling_link(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "model")
    tg.save({"a": WEIGHT}, link)
    assert link.is_symlink()
    assert (tmp_path / "model").is_file()
    nowhere = tmp_path / "nowhere"
    nowhere.symlink_to(tmp_path / "no folder" / "model")
    with pytest.raises(FileWriteError, match="its folder does not exist"):
        tg.save({"a": WEIGHT}, nowhere)
    assert nowhere.is_symlink()


def test_save_refuses_a_link_to_itself(tmp_path):
    link = tmp_path / "loop"
    link.symlink_to(link)
    with pytest.raises(FileWriteError, match="Too many levels of symbolic links"):
        tg.save({"a": WEIGHT}, link)
    assert link.is_symlink()


def special(kind, path):
    if kind == "a FIFO or pipe":
        os.mkfifo(path)
    elif kind == "a folder":
        path.mkdir()
    elif kind == "a socket":
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path))
    else:
        if os.geteuid() != 0:
            pytest.skip("needs root, to make a device")
        try:
            os.mknod(path, 0o666 | stat.S_IFCHR, os.makedev(1, 3))  # as /dev/null
        except PermissionError:
            pytest.skip("needs the right to make a device")


@pytest.mark.parametrize("kind", ["a FIFO or pipe", "a folder", "a socket", "a device"])
def test_save_refuses_what_is_no_regular_file(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a socket's path is short
    path = tmp_path / "x"
    special(kind, path.relative_to(tmp_path))
    before = path.lstat()
    with pytest.raises(FileWriteError, match=rf"^save: expected a regular file at .*x, got {kind}; name another file$"):
        tg.save({"a": WEIGHT}, path)
    link = tmp_path / "link"
    link.symlink_to(path)
    with pytest.raises(FileWriteError, match=kind):
        tg.save({"a": WEIGHT}, link)
    assert (path.lstat().st_mode, path.lstat().st_ino) == (before.st_mode, before.st_ino)
    assert only(tmp_path, "x", "link")


@pytest.mark.parametrize("bits", [0o600, 0o640, 0o444, 0o755])
def test_save_keeps_the_mode_of_the_file_it_replaces(bits, tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    path.chmod(bits)
    if not os.access(path, os.W_OK):
        with pytest.raises(FileWriteError, match="protected from writing"):
            tg.save({"a": WEIGHT}, path)
        assert path.read_bytes() == b"old"
        return
    tg.save({"a": WEIGHT}, path)
    assert mode(path) == bits


def test_save_keeps_the_owner_of_the_file_it_replaces(tmp_path):
    if os.geteuid() != 0:
        pytest.skip("needs root, to give files away")
    path = tmp_path / "model"
    path.write_bytes(b"old")
    os.chown(path, 1234, 2345)
    path.chmod(0o640)
    tg.save({"a": WEIGHT}, path)
    assert (path.stat().st_uid, path.stat().st_gid, mode(path)) == (1234, 2345, 0o640)


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_obeys_the_umask(umask, tmp_path):
    before = os.umask(umask)
    try:
        tg.save({"a": WEIGHT}, tmp_path / "model")
    finally:
        os.umask(before)
    assert mode(tmp_path / "model") == 0o666 & ~umask


def test_save_names_a_missing_folder(tmp_path):
    with pytest.raises(
        FileWriteError, match=r"^save: expected to write .*model, got: its folder does not exist; create"
    ):
        tg.save({"a": WEIGHT}, tmp_path / "nothing" / "model")
    with pytest.raises(FileWriteError, match="expected the name of a file"):
        tg.save({"a": WEIGHT}, f"{tmp_path}/model/")
    (tmp_path / "file").touch()
    with pytest.raises(FileWriteError, match="Not a directory"):
        tg.save({"a": WEIGHT}, tmp_path / "file" / "model")


@pytest.mark.parametrize(
    "name", ["a\0b", "n" * 300, "n" * 1_000_000, "\n\udcff/x"], ids=["NUL", "long", "very long", "unprintable"]
)
def test_save_refuses_impossible_names_in_a_short_sentence(name, tmp_path):
    with pytest.raises(FileWriteError, match=r"^save: expected to write .*, got: ") as error:
        tg.save({"a": WEIGHT}, tmp_path / name)
    assert len(str(error.value)) < 1000 and str(error.value).isprintable()
    assert only(tmp_path)


def test_names_of_the_longest_kind_can_be_written(tmp_path):
    tg.save({"a": WEIGHT}, tmp_path / ("n" * 255))
    assert only(tmp_path, "n" * 255)


def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "model"
    tg.save({"a": WEIGHT}, path)
    before = path.read_bytes()
    done = run(
        """
        import resource
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        try:
            tg.save({"a": np.zeros(1_000_000, np.float32)}, sys.argv[1])
        except tg.TabgradError as error:
            print(error)
        """,
        path,
    )
    assert done.stdout.startswith(f"save: expected to write {path}, got: File too large; free some space")
    assert done.stdout.count("\n") == 1
    assert path.read_bytes() == before
    assert only(tmp_path, "model")


def test_a_folder_that_may_not_be_written_is_named(tmp_path_factory):
    folder = tmp_path_factory.mktemp("folder")
    (folder / "model").write_bytes(b"old")
    done = run(
        """
        folder = os.open(sys.argv[1], os.O_RDONLY)
        os.fchmod(folder, 0o555)
        import fcntl
        os.fchdir(folder)
        if os.geteuid() == 0:
            os.setgid(65534), os.setuid(65534)
        for name in ("model", "new"):
            try:
                tg.save({"a": np.zeros(1, np.float32)}, name)
            except tg.TabgradError as error:
                print(error)
        """,
        folder,
    )
    folder.chmod(0o755)
    lines = done.stdout.splitlines()
    assert len(lines) == 2, done
    assert all(line.startswith("save: expected to write ") for line in lines)
    assert (
        lines[1] == "save: expected to write new, got: Permission denied; name a file in a folder that you may write to"
    )
    assert (folder / "model").read_bytes() == b"old"
    assert only(folder, "model")


KILLED_IN = """
    def die(*_, **__):
        os.kill(os.getpid(), signal.SIGKILL)
    setattr(os, sys.argv[2], die)
    tg.save({"a": np.ones(6, np.float32)}, sys.argv[1])
"""


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_the_next_save_removes_what_a_killed_one_left(call, tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    assert run(KILLED_IN, path, call).returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 2
    assert path.read_bytes() == b"old"
    (tmp_path / ".tabgrad-notes.txt").touch()  # another's file
    os.mkfifo(tmp_path / ".tabgrad-pipe.tmp")
    tg.save({"a": WEIGHT}, tmp_path / "other")
    assert only(tmp_path, "model", "other", ".tabgrad-notes.txt", ".tabgrad-pipe.tmp")


def test_saves_killed_at_any_time_leave_a_whole_file(tmp_path):
    rng = daily_random("saves killed at any time")
    done = run(
        """
        import time
        path, delays = sys.argv[1], [float(d) for d in sys.argv[2:]]
        tg.save({"a": np.zeros(500_000, np.float32)}, path)  # on a busy machine the first child may not get so far
        for delay in delays:
            child = os.fork()
            if child == 0:
                for k in range(1000):
                    tg.save({"a": np.full(500_000, k, np.float32)}, path)
            time.sleep(delay)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            a = tg.load(path)["a"].numpy()
            assert a.shape == (500_000,) and (a == a[0]).all()
            print(len(os.listdir(os.path.dirname(path))))
        tg.save({"a": np.zeros(1, np.float32)}, path)
        """,
        tmp_path / "model",
        *(0.1 + rng.random() / 5 for _ in range(5)),
    )
    assert done.returncode == 0, done.stderr
    counts = [int(line) for line in done.stdout.split()]
    assert len(counts) == 5 and max(counts) <= 2  # each save removed the leftover before it
    assert only(tmp_path, "model")


def test_a_save_leaves_alone_what_another_process_is_writing(tmp_path):
    path = tmp_path / "model"
    script = """
        sync = os.fsync
        def wait(handle):
            print("writing", flush=True)
            sys.stdin.readline()
            os.fsync = sync
            sync(handle)
        os.fsync = wait
        tg.save({"a": np.ones(6, np.float32)}, sys.argv[1])
    """
    text = "import os, sys\nimport numpy as np\nimport tabgrad as tg\n" + textwrap.dedent(script)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", text, str(path)], **pipes) as other:
        assert other.stdout.readline() == "writing\n"
        (written,) = tmp_path.iterdir()
        os.utime(written, (0, 0))  # as if it had been at it for years
        for k in range(3):
            tg.save({"a": WEIGHT + k}, path)
        np.testing.assert_array_equal(tg.load(path)["a"].numpy(), WEIGHT + 2)
        other.stdin.write("\n")
        other.stdin.flush()
        assert other.wait(30) == 0
    np.testing.assert_array_equal(tg.load(path)["a"].numpy(), np.ones(6, np.float32))
    assert only(tmp_path, "model")


def test_threads_that_write_at_once_write_whole_files(tmp_path):
    path, problems = tmp_path / "cache", []

    def write(letter):
        try:
            for _ in range(40):
                write_atomically(letter * 10_000, path, caller="test", durable=False)
                found = path.read_bytes()
                assert len(found) == 10_000 and len(set(found)) == 1
        except BaseException as error:  # noqa: BLE001 - shown below
            problems.append(error)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in (b"a", b"b", b"c")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert only(tmp_path, "cache")


def test_an_interrupted_save_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("os.fsync", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        tg.save({"a": WEIGHT}, tmp_path / "model")
    assert only(tmp_path)


def test_where_files_cannot_be_locked_a_leftover_is_a_day_old(tmp_path, monkeypatch):
    monkeypatch.setattr("sys.platform", "emscripten")
    young, old = tmp_path / ".tabgrad-young.tmp", tmp_path / ".tabgrad-old.tmp"
    for path in (young, old):
        path.touch()
    os.utime(old, (0, 0))
    write_atomically(b"text", tmp_path / "file", caller="test")
    assert only(tmp_path, "file", young.name)


def test_a_write_error_is_an_oserror_with_its_number(tmp_path):
    with pytest.raises(OSError) as error:
        tg.save({"a": WEIGHT}, tmp_path / "nothing" / "model")
    assert error.value.errno == 2
    assert isinstance(error.value, tg.TabgradError)
    assert not str(error.value).startswith("[Errno")
