"""The training step that tests share: as users write it, for any model and optimizer, here and in PyTorch.

Importable without pytest or torch, so that it runs inside Pyodide too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def step_of(optimizer: Any, loss_of: Callable[..., Any]) -> Callable[..., Any]:
    """``step(*inputs) -> loss``: forward, backward and update.

    Args:
        optimizer: of what ``loss_of`` depends on.
        loss_of: the loss of these inputs, a scalar.
    """

    def step(*inputs: Any) -> Any:
        optimizer.zero_grad()
        loss = loss_of(*inputs)
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step
