"""What is missing is named together with the way to get it."""

import pytest

import debian
import environment
from console import BuildError, run


def test_missing_debian_packages_are_named_where_they_cannot_be_installed(monkeypatch):
    monkeypatch.setattr(debian.shutil, "which", lambda name: None)
    with pytest.raises(BuildError, match=r"chromium is missing; install it \(Debian: apt-get install chromium\)"):
        debian.install(["chromium"], reason="chromium")
    monkeypatch.setattr(debian.shutil, "which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None)
    monkeypatch.setattr(debian.os, "geteuid", lambda: 1000)
    with pytest.raises(BuildError, match="Not root, and `sudo -n` is refused"):
        debian.install(["chromium"], reason="chromium")


def test_missing_and_old_node_are_told_apart(monkeypatch, tmp_path):
    monkeypatch.setattr(environment.shutil, "which", lambda name: None)
    with pytest.raises(BuildError, match=r"Node 20\.19 or newer is needed .* no `node` on the PATH"):
        environment.node()
    old = tmp_path / "node"
    old.write_text("#!/bin/sh\necho v18.20.4\n")
    old.chmod(0o755)
    monkeypatch.setattr(environment.shutil, "which", lambda name: str(old))
    with pytest.raises(BuildError, match=r"or newer is needed .* is v18\.20\.4"):
        environment.node()


def test_a_failing_program_shows_its_output():
    with pytest.raises(BuildError, match="ended with status 3:\nnot good"):
        run(["sh", "-c", "echo not good; exit 3"])
    with pytest.raises(BuildError, match="no-such-program: not found"):
        run(["no-such-program"])
