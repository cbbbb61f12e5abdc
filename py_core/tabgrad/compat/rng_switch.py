"""The switch to PyTorch's random numbers."""

from __future__ import annotations

from typing import Self

from tabgrad.compat.torch_draws import TorchDraws
from tabgrad.errors import TabgradError
from tabgrad.ops.draws import NumbersKind
from tabgrad.session import Session, current
from tabgrad.tracing.tracer import Tracer


class torch_rng:
    """One seed gives PyTorch's CPU numbers: a run can be compared with PyTorch's, number for number.

    ``torch_rng()`` switches from there on, ``with torch_rng():`` for a block, after which the numbers go on as they
    were before. The default generator starts from the seed that it has; then ``manual_seed(0)`` gives what
    ``torch.manual_seed(0)`` does: initial weights, ``rand``, ``randn``, ``randint``, ``randperm``, the functions that
    fill tensors, ``multinomial``, dropout, ``distributions``, the order of data. They have the bits of PyTorch 2.13's
    on x86-64 with AVX2; on other processors its own normal numbers differ in their last digits, and earlier versions
    draw masks of dropout otherwise on Intel's. States (``tabgrad.get_rng_state``) are PyTorch's own. A ``Generator``
    draws PyTorch's numbers if it was made meanwhile.

    The host draws these numbers, one after the other, and uploads them: it is slower, and what is compared is a short
    run. A compiled step is given new ones at each call. Masks of dropout follow the order of memory, which PyTorch
    keeps through elementwise functions of a transposed tensor; here results of functions are in row-major order.

    What would draw other numbers than PyTorch raises ``NotImplementedError``: ``Binomial.sample``, ``random_()`` of
    int64 without limits, layers made with ``dtype=`` other than float32, dropout between the layers of an LSTM with
    packed sequences, states of samplers.

    Args:
        enabled: False switches back to counter-based numbers, which are the same on every device.

    Raises:
        TabgradError: inside a compiled step.
    """

    def __init__(self, enabled: bool = True) -> None:
        session = current()
        recording = session.capturing()
        if recording is not None:
            raise TabgradError(
                f"torch_rng: expected a call outside of compiled steps, got one in {recording.name!r}, which replays "
                f"would not repeat; switch where the step is called"
            )
        generator = session.generator
        self._session = session
        self._before = generator.twister, generator.key, generator.draw
        if enabled != (generator.twister is not None):
            _switch(session, TorchDraws(generator.initial_seed()) if enabled else None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        generator = self._session.generator
        twister, generator.key, generator.draw = self._before
        if twister is not generator.twister:
            _switch(self._session, twister)


def _switch(session: Session, twister: TorchDraws | None) -> None:
    with session.lock:
        session.own(Tracer).forget()  # calls that are known draw numbers of the other kind
        session.generator.twister = twister
        session.own(NumbersKind).changed()


__all__ = ["torch_rng"]
