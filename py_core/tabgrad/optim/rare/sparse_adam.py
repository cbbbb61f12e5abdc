"""Adam for sparse gradients, which do not exist here."""

from __future__ import annotations

from typing import Any

from tabgrad.optim.optimizer import Optimizer


class SparseAdam(Optimizer):
    """Refused: all gradients are dense.

    Raises:
        NotImplementedError: always; :class:`Adam` takes the gradients of embeddings.
    """

    def __init__(self, params: Any, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "SparseAdam is not supported: gradients are dense, also those of embeddings; use optim.Adam"
        )


__all__ = ["SparseAdam"]
