"""What Dawn makes of named cases, as files say it: they are given to a script, a share at a time."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path

from device.op_cases import OpCase
from device.op_cases.run import unpack
from device.oracle import wrong_outcomes
from node.one_python import OnePython
from paths import BUILD

AT_ONCE = 70  # cases in one run of a script, which has a time limit


def check_in_node(one_python: OnePython, script: str, cases: Mapping[str, OpCase], *arguments: str) -> None:
    """Compare what the script makes of cases with PyTorch.

    Args:
        script: of this folder, which takes a file for outcomes, a file with the cases' names, and the arguments.
        cases: by their names.

    Raises:
        AssertionError: names the cases that are wrong.
    """
    wrong: dict[str, str] = {}
    names = list(cases)
    for share in (names[n : n + AT_ONCE] for n in range(0, len(names), AT_ONCE)):
        with tempfile.TemporaryDirectory(dir=BUILD) as folder:  # below the checkout, which Node shows to the script
            chosen, file = Path(folder) / "chosen.json", Path(folder) / "outcomes.npz"
            chosen.write_text(json.dumps(share))
            said = one_python.run(script, file, chosen, *arguments).json()
            found = unpack(file.read_bytes())
        assert said["device"] == "web"
        assert said["cases"] == len(share)
        wrong |= wrong_outcomes({name: cases[name] for name in share}, found, said["failures"], "web")
    assert not wrong, f"{len(wrong)} of {len(cases)} cases\n" + "\n\n".join(f"{k}: {v}" for k, v in wrong.items())
