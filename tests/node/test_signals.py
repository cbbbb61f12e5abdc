"""What becomes of the Node process when ``tabgrad train --device web`` is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from node.harness import prepared

pytestmark = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="needs /proc, to find processes")

ENDLESS = "import asyncio\nwhile True:\n    await asyncio.sleep(0.01)\n"


def processes_with(text: str) -> list[int]:
    """Processes with this among their arguments."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                if text.encode() in (folder / "cmdline").read_bytes() and int(folder.name) != os.getpid():
                    found.append(int(folder.name))
            except OSError:
                continue
    return found


def wait_until(condition: Callable[[], bool], otherwise: str) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.05)


def start(script: Path) -> subprocess.Popen[bytes]:
    main = "from tabgrad.cli import main; main()"
    command = [sys.executable, "-c", main, "train", "--device", "web", str(script)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def test_node_ends_with_the_command(tmp_path: Path) -> None:
    version = subprocess.run([prepared(), "--version"], capture_output=True, text=True, check=True).stdout
    count = 2 if int(version.removeprefix("v").split(".")[0]) >= 24 else 3  # an older Node starts itself anew
    ends = {signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
    scripts = {number: tmp_path / f"{number.name}.py" for number in ends}
    for script in scripts.values():
        script.write_text(ENDLESS)
    started = {number: start(script) for number, script in scripts.items()}
    try:
        for number, process in started.items():
            wait_until(lambda name=str(scripts[number]): len(processes_with(name)) == count, "Node did not start")
            process.send_signal(number)
        for number, process in started.items():
            assert process.wait(30) == ends[number]
            wait_until(lambda name=str(scripts[number]): not processes_with(name), f"Node outlived {number.name}")
    finally:
        for number, process in started.items():
            process.kill()
            for left in processes_with(str(scripts[number])):
                os.kill(left, signal.SIGKILL)
            process.communicate()
