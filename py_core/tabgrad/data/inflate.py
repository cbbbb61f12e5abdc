"""Deflated bytes, unpacked no further than their reader asks: a file of a megabyte may hold a gigabyte."""

from __future__ import annotations

import zlib

MAX_RATIO = 1032  # Deflate's own limit: 258 bytes for two bits
_PIECE = 1 << 20


class Inflater:
    """Unpacks one stream of ``data`` from ``position`` on.

    Args:
        wbits: the kind of stream, as :func:`zlib.decompressobj` takes it.
    """

    def __init__(self, data: memoryview, position: int, wbits: int) -> None:
        self.position = position
        """Where the packed bytes go on that were not read yet; behind the stream once it has ended."""
        self._data = data
        self._step = 256  # doubles, so that of thousands of small streams in a row no rest is copied again and again
        self._stream = zlib.decompressobj(wbits)

    @property
    def ended(self) -> bool:
        """Whether the whole stream was read, and its checksum, where it has one, is right."""
        return self._stream.eof

    def read(self, size: int) -> bytearray:
        """The next ``size`` bytes, or fewer where the stream ends.

        Raises:
            zlib.error: damaged.
            EOFError: ``data`` ends before the stream does.
        """
        out = bytearray()
        while len(out) < size and not self._stream.eof:
            packed = self._data[self.position : self.position + self._step]
            piece = self._stream.decompress(packed, min(size - len(out), _PIECE))
            out += piece
            rest = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            self.position += len(packed) - len(rest)
            self._step = min(2 * self._step, _PIECE)
            if not piece and not self._stream.eof and self.position >= len(self._data):
                raise EOFError("it is truncated")
        return out
