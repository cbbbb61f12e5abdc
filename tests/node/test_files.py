"""Files in Pyodide, where memory that the heap took once never comes back."""

from __future__ import annotations

from pathlib import Path

from node.harness import HERE, run_in_node


def test_files_are_replaced_and_bombs_refused(tmp_path: Path) -> None:
    found = run_in_node("--device", "reference", HERE / "files_in_node.py", tmp_path, cwd=tmp_path).json()
    assert found["loaded"] == [0, 1, 2]
    assert found["mode"] == "0o600"
    assert found["names"] == ["link", "old"]
    assert (tmp_path / "link").is_symlink()
    assert found["nowhere"].endswith("got: its folder does not exist; create the folder first")
    assert "expected 7856 bytes for uint8 [10, 28, 28], got more" in found["gzip"]
    assert "expected an array that NumPy can hold here" in found["claim"]  # with 32-bit addresses
    assert "expected an array that NumPy can hold here" in found["shape"]
    assert "more than 128 brackets" in found["deep"]
    assert found["nested"] == "accepted"
    assert "number out of range" in found["digits"]
    assert found["grown"] < 64 << 20  # texts of 3 MB, and the heap grows by a fifth; the bomb is 300 MB
