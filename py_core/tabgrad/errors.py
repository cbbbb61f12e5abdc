"""Errors for users, of PyTorch's classes where it has one: most of its own are a ``RuntimeError``.

Each message names the caller, the expected value, the actual value, and the remedy:
``conv2d: expected input [N, 3, H, W], got [8, 1, 28, 28]; channels must equal the weight's 3 (groups=1)``.
"""


class TabgradError(ValueError):
    """Base class of all errors that users' input can cause."""


class ArgumentError(TabgradError, RuntimeError):
    """An argument has a value that the function does not take."""


class ShapeError(TabgradError, RuntimeError):
    """A tensor has the wrong number of dimensions or the wrong size."""


class IndexRangeError(ShapeError, IndexError):
    """An index or a dimension is out of range."""


class DTypeError(TabgradError, RuntimeError, TypeError):
    """A tensor has the wrong dtype, or a value does not fit the dtype."""


class GradError(TabgradError, RuntimeError):
    """A gradient cannot be computed."""


class MissingNameError(TabgradError, AttributeError, NotImplementedError):
    """A name that PyTorch has and this package does not; ``hasattr`` is False for it."""


class FileFormatError(TabgradError):
    """A file is malformed, truncated, or not of the format it claims."""


class FileMissingError(FileFormatError, FileNotFoundError):
    """There is no file of that name."""


class FileWriteError(TabgradError, OSError):
    """A file cannot be written; an existing one is unchanged."""


class DeviceError(TabgradError, RuntimeError):
    """A device is missing, rejected a program, or does not support an operation."""


class DeviceLostError(DeviceError):
    """The GPU was reset or removed; its buffers are lost."""


class NotFiniteError(TabgradError):
    """Training produced a NaN or an infinity; the message names the step and the tensor."""


def shortened(value: object, limit: int = 80) -> str:
    """``repr(value)`` for a message, cut in the middle so that a hostile name cannot fill a screen.

    Args:
        limit: approximate length in characters; at least 20.
    """
    if isinstance(value, (str, bytes)) and len(value) > limit:
        half = limit // 2
        return f"{value[:half]!r}...{value[-half // 2 :]!r} ({len(value)} long)"
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}..."


def shown_path(name: str) -> str:
    """A path for a message: unchanged, unless it is very long or has unprintable characters."""
    return name if len(name) <= 400 and name.isprintable() else shortened(name, 400)
