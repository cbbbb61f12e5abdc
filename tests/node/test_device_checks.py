"""Dawn in Node does what every device must do: hand-made programs, steady state, reads, order, random numbers."""

from __future__ import annotations

from device.program_cases import PROGRAM_CASES
from device.program_checks import CHECKS
from device.random_checks import CHECKS as RANDOM_CHECKS
from node.one_python import OnePython


def test_device_runs_programs_and_draws_numbers_as_others_do(one_python: OnePython) -> None:
    said = one_python.run("checks_in_node.py").json()
    assert said["device"] == "web"
    names = [*(case.name for case in PROGRAM_CASES), *(check.__name__ for check in (*CHECKS, *RANDOM_CHECKS))]
    assert said["passed"] == names
