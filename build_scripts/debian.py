"""Debian packages: installed where we may, named in an error where we may not."""

import os
import shutil
import subprocess
import threading
from collections.abc import Sequence

from console import BuildError, run, say

_LOCK_WAIT_S = 300
_ours = threading.Lock()  # apt-get waits for another one that installs, but not for one that updates its lists


def install(packages: Sequence[str], *, reason: str) -> None:
    """Install ``packages`` with apt-get, as root or through a sudo that asks no password.

    Raises:
        BuildError: this is no Debian, we may not, or apt-get fails; the message says what to install.
    """
    wanted = " ".join(packages)
    remedy = f"{reason} is missing; install it (Debian: apt-get install {wanted}) and run this again"
    apt = shutil.which("apt-get")
    if apt is None:
        raise BuildError(f"{remedy}. There is no apt-get here")
    prefix = _become_root()
    if prefix is None:
        raise BuildError(f"{remedy}. Not root, and `sudo -n` is refused")
    say(f"apt-get install {wanted}")
    quiet = [*prefix, "env", "DEBIAN_FRONTEND=noninteractive", apt, "-qq", "-o", f"DPkg::Lock::Timeout={_LOCK_WAIT_S}"]
    try:
        with _ours:
            # The lists of a fresh image are often missing or stale: refresh them only then, it is slow.
            if subprocess.run([*quiet, "install", "-y", "--no-install-recommends", *packages], **_QUIETLY).returncode:
                run([*quiet, "update"])
                run([*quiet, "install", "-y", "--no-install-recommends", *packages])
    except BuildError as error:
        raise BuildError(f"{remedy}. {error}") from None


_QUIETLY = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}


def _become_root() -> list[str] | None:
    if os.geteuid() == 0:
        return []
    sudo = shutil.which("sudo")
    if sudo and subprocess.run([sudo, "-n", "true"], **_QUIETLY).returncode == 0:
        return [sudo, "-n"]
    return None
