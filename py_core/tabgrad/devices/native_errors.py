"""What the driver refused, as the errors that users of tabgrad know."""

from __future__ import annotations

from types import TracebackType

import wgpu

from tabgrad.errors import DeviceError, DeviceLostError

_REFUSALS = (wgpu.GPUError, wgpu.GPUPipelineError, RuntimeError)  # RuntimeError: a buffer that could not be mapped

# wgpu-py stops the thread that waits for reads when its device is destroyed.
_SIGNS_OF_LOSS = ("Parent device is lost", "Device lost", "device is lost", "Cannot use PollThread")


class asking:
    """``with asking("a read"):`` turns wgpu's errors inside into ours; ``what`` names the request.

    Raises:
        DeviceLostError: the GPU was reset or taken away.
        DeviceError: it has no memory left, or refused; carries the driver's own words.
    """

    __slots__ = ("what",)

    def __init__(self, what: str) -> None:
        self.what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if not isinstance(error, _REFUSALS):
            return
        message = _own_words(error)
        if any(sign in message for sign in _SIGNS_OF_LOSS):
            raise DeviceLostError(
                f"native: expected a working GPU for {self.what}, got a lost one ({message}); "
                f"what it held is gone, so run the script again in a new process"
            ) from error
        if isinstance(error, wgpu.GPUOutOfMemoryError):
            raise DeviceError(
                f"native: expected memory for {self.what}, but the GPU has none left; use a smaller batch or model"
            ) from error
        raise DeviceError(f"native: the GPU refused {self.what}: {message}") from error


def _own_words(error: BaseException) -> str:
    """The message without the lines that only name wgpu's functions."""
    lines = str(error).splitlines()
    kept = [
        s for s in lines if s.strip() and s.strip() not in ("Validation Error", "Caused by:") and "In wgpu" not in s
    ]
    return "\n".join(kept).strip() or type(error).__name__
