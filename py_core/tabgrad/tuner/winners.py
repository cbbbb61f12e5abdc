"""Winners: the fastest variants found, per adapter and kernel, and the document that stores them."""

from __future__ import annotations

import hashlib
import json
import math
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tabgrad.compiler.variant import Measured, Variant
from tabgrad.devices.base import AdapterInfo, Limits
from tabgrad.errors import FileFormatError, shortened
from tabgrad.json_text import parse_json

FORMAT = "tabgrad tuning 2"
MOST_BYTES = 64 << 20  # limit of a document
MOST_WINNERS = 8192  # kept for an adapter; older ones may be of kernels that no program has any more
_MOST_DEPTH = 16
DEFAULTS = Path(__file__).with_name("defaults.json")

Document = dict[str, Any]
"""``{"format": FORMAT, "adapters": {id: {"adapter": {...}, "winners": {key: {...}}}}}``"""


@dataclass(frozen=True, kw_only=True)
class Winner:
    """The fastest variant of one kernel on one adapter; times in ms, 0 if both were too short to measure."""

    variant: Variant
    fingerprint: str  # of what was measured: a winner is not used for a kernel that is written otherwise
    kernel: str  # in words
    heuristic_ms: float
    ms: float
    found: str  # date

    @property
    def measured(self) -> Measured:
        """What the compiler is told."""
        return Measured(self.variant, self.fingerprint)

    def to_json(self) -> dict[str, Any]:
        """The winner as a JSON object."""
        return {
            "template": self.variant.template,
            "parameters": dict(self.variant.parameters),
            "fingerprint": self.fingerprint,
            "kernel": self.kernel,
            "heuristic_ms": self.heuristic_ms,
            "ms": self.ms,
            "found": self.found,
        }


def winner(measured: Measured, kernel: str, heuristic_ms: float, ms: float) -> Winner:
    """A winner found today."""
    return Winner(
        variant=measured.variant,
        fingerprint=measured.fingerprint,
        kernel=kernel,
        heuristic_ms=heuristic_ms,
        ms=ms,
        found=time.strftime("%Y-%m-%d", time.gmtime()),
    )


def empty() -> Document:
    """A document without winners."""
    return {"format": FORMAT, "adapters": {}}


def adapter_id(info: AdapterInfo, limits: Limits) -> str:
    """Identifies an adapter with its features and limits."""
    what = [info.name, info.vendor, info.backend, info.kind, sorted(info.features), asdict(limits)]
    return hashlib.sha256(json.dumps(what).encode()).hexdigest()[:16]


def parse(text: str, what: str, remedy: str = "export it again") -> Document:
    """A document from its text, checked; unknown fields are left out.

    Raises:
        FileFormatError: not a document; ``what`` names it, ``remedy`` says what to do.
    """
    try:
        if len(text) > MOST_BYTES:
            raise ValueError(f"it is longer than {MOST_BYTES >> 20} MiB")
        return _checked(parse_json(text, most_depth=_MOST_DEPTH))
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, MemoryError) as error:
        raise FileFormatError(
            f"{what}: expected winners of kernel tuning in the form {FORMAT!r}, got something else "
            f"({type(error).__name__}: {error}); {remedy}"
        ) from None


def _checked(document: Any) -> Document:
    if document["format"] != FORMAT:
        raise ValueError(f"the form {shortened(document['format'])}")
    return {"format": FORMAT, "adapters": {key: _entry(entry) for key, entry in document["adapters"].items()}}


def _entry(entry: Any) -> dict[str, Any]:
    adapter = {
        name: _words(entry["adapter"], name) for name in ("name", "vendor", "backend") if name in entry["adapter"]
    }
    return {
        "adapter": {"name": _words(entry["adapter"], "name"), **adapter},
        "winners": {key: read_winner(found).to_json() for key, found in entry["winners"].items()},
    }


def read_winner(found: Any) -> Winner:
    """A winner from its JSON object."""
    parameters = found["parameters"].items()
    if not all(isinstance(v, int) and abs(v) < 2**31 for _, v in parameters):
        raise TypeError("parameters are whole numbers of at most 32 bits")
    return Winner(
        variant=Variant(_words(found, "template"), tuple(parameters)),
        fingerprint=_words(found, "fingerprint"),
        kernel=_words(found, "kernel"),
        heuristic_ms=_ms(found, "heuristic_ms"),
        ms=_ms(found, "ms"),
        found=_words(found, "found"),
    )


def _words(holder: Any, name: str) -> str:
    """A text of printable characters."""
    text = holder[name]
    if not isinstance(text, str) or not text.isprintable():
        raise TypeError(f"{name} is no line of text")
    return text


def _ms(holder: Any, name: str) -> float:
    number = holder[name]
    if not isinstance(number, int | float) or not math.isfinite(number) or number < 0:
        raise TypeError(f"{name} is no time")
    return float(number)


def merged(first: Document, second: Document) -> Document:
    """Both documents merged; for the same kernel the second one's winner, and of too many the newest."""
    adapters = {key: {**entry, "winners": dict(entry["winners"])} for key, entry in first["adapters"].items()}
    for key, entry in second["adapters"].items():
        held = adapters.setdefault(key, {**entry, "winners": {}})
        held["winners"].update(entry["winners"])
        if len(held["winners"]) > MOST_WINNERS:
            by_date = sorted(held["winners"].items(), key=lambda item: item[1]["found"])
            held["winners"] = dict(by_date[-MOST_WINNERS:])
    return {"format": FORMAT, "adapters": adapters}


def entry_of(info: AdapterInfo, winners: dict[str, Winner]) -> dict[str, Any]:
    """A document's winners of one adapter."""
    return {
        "adapter": {"name": info.name, "vendor": info.vendor, "backend": info.backend},
        "winners": {key: found.to_json() for key, found in sorted(winners.items())},
    }


def to_text(document: Document) -> str:
    """A document as JSON text."""
    return json.dumps(document, indent=1) + "\n"
