"""Python's JSON reader, for texts that strangers may have written."""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_NO_BRACKETS = re.compile(r"[^\[\]{}]+")


def parse_json(text: str, *, most_depth: int) -> Any:
    """The value of a JSON text, read as strictly as other languages do.

    Raises:
        ValueError: it is no JSON, names a key twice, or is nested more than ``most_depth`` deep.
    """
    # The parser's own limit of the depth comes too late for Python in wasm, which dies.
    depth = 0
    for bracket in _NO_BRACKETS.sub("", _STRING.sub("", text)):
        depth += 1 if bracket in "[{" else -1
        if depth > most_depth:
            raise ValueError(f"it is nested more than {most_depth} deep")
    return json.loads(text, parse_constant=_constant, object_pairs_hook=_unique)


def _constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"the key {next(n for n in names if names.count(n) > 1)!r} is there twice")
    return found


__all__ = ["parse_json"]
