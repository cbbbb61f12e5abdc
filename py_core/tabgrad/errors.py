"""What tabgrad raises when a user's request cannot be met.

Each message says who complains, what was expected, what came, and what to do:
``conv2d: expected input [N, 3, H, W], got [8, 1, 28, 28]; channels must equal the weight's 3 (groups=1)``.
"""


class TabgradError(ValueError):
    """Base of every error that a user's input can cause."""


class ShapeError(TabgradError):
    """A tensor has the wrong number of dimensions or the wrong size."""


class DTypeError(TabgradError):
    """A tensor has the wrong dtype, or a value does not fit the dtype."""


class GradError(TabgradError):
    """A gradient was asked for where none can be computed."""


class FileFormatError(TabgradError):
    """A file is malformed, truncated, or not of the format it claims."""


class FileWriteError(TabgradError, OSError):
    """A file cannot be written; what was there before is as it was."""


class DeviceError(TabgradError):
    """A device is missing, refused a program, or cannot do what was asked."""


class DeviceLostError(DeviceError):
    """The GPU was reset or taken away; its buffers are gone."""


class NotFiniteError(TabgradError):
    """Training met a NaN or an infinity; the message names the step and the tensor."""


def shortened(value: object, limit: int = 80) -> str:
    """``value`` as a message shows it: ``repr``, cut in the middle so that a hostile name cannot fill a screen.

    Args:
        limit: characters that stay, about; at least 20.
    """
    if isinstance(value, (str, bytes)) and len(value) > limit:
        half = limit // 2
        return f"{value[:half]!r}...{value[-half // 2 :]!r} ({len(value)} long)"
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}..."


def shown_path(name: str) -> str:
    """A path as a message shows it: as it is, unless it is very long or has characters that do not print."""
    return name if len(name) <= 400 and name.isprintable() else shortened(name, 400)
