"""What ``torch.compile`` takes beside the function: accepted where it says what is so here, refused where it is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tabgrad.errors import TabgradError

BACKENDS = ("inductor", "tabgrad")
MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")


def check_compile_options(
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend: Any = "inductor",
    mode: str | None = None,
    options: Mapping[str, Any] | None = None,
    disable: bool = False,
) -> bool:
    """Raise for what cannot be honoured; returns whether nothing is to be compiled.

    There is one compiler, which always takes whole steps, for the shapes that they are called with: the names of
    PyTorch's default compiler and of its modes stand for it.

    Raises:
        TabgradError: another backend, mode or option; or both a mode and options.
        TypeError: a flag is not True or False.
    """
    for name, flag in (("fullgraph", fullgraph), ("dynamic", dynamic), ("disable", disable)):
        if not isinstance(flag, bool) and not (name == "dynamic" and flag is None):
            raise TypeError(f"compile: expected {name} as True or False, got {flag!r}")
    if backend not in BACKENDS:
        raise TabgradError(
            f"compile: expected backend='tabgrad' (or 'inductor', PyTorch's default, which means the same here), "
            f"got {backend!r}; leave it out"
        )
    if mode is not None and options is not None:
        raise TabgradError("compile: expected a mode or options, got both; leave one of them out")
    if mode is not None and mode not in MODES:
        raise TabgradError(f"compile: expected mode as one of {', '.join(MODES)}, got {mode!r}; leave it out")
    if options:
        raise TabgradError(
            f"compile: expected no options, as they are those of PyTorch's compiler, "
            f"got {', '.join(map(str, options))}; leave them out"
        )
    return disable


__all__ = ["check_compile_options"]
