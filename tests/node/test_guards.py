"""What compiled steps depend on is found in the bytecode of Pyodide's Python, which is another one than natively."""

from __future__ import annotations

from node.one_python import OnePython


def test_changes_are_seen_and_counters_refused(one_python: OnePython) -> None:
    found = one_python.run("guards_in_node.py", device="reference").json()
    assert found["values"] == [4, 8, 4, 40, 80, 0, 80]
    assert found["recordings"] == 7
    assert (found["method"], found["kept"]) == ([2, 6, 6], 3)
    assert found["closure"] == [2, 10]
    assert "which changes the global variable 'COUNT', a value that it reads (0 before, 1 after)" in found["counter"]
    assert "got numbers drawn from Python's random in '<lambda>'" in found["random"]
    assert "got a call of time.time() in '<lambda>'" in found["clock"]
