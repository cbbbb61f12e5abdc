"""Decompression of Deflate streams in bounded pieces: a file of a megabyte may expand to a gigabyte."""

from __future__ import annotations

import zlib

MAX_RATIO = 1032  # Deflate's limit: 258 bytes from two bits
_PIECE = 1 << 20


class Inflater:
    """Decompresses one stream of ``data``, starting at ``position``.

    Args:
        wbits: the kind of stream, as :func:`zlib.decompressobj` takes it.
    """

    def __init__(self, data: memoryview, position: int, wbits: int) -> None:
        self.position = position
        """Position of the first compressed byte that was not read; after the stream when it has ended."""
        self._data = data
        self._step = 256  # doubles: zlib copies the unread input, which is expensive for many small streams
        self._stream = zlib.decompressobj(wbits)

    @property
    def ended(self) -> bool:
        """Whether the whole stream was read; its checksum, if any, is then right."""
        return self._stream.eof

    def read(self, size: int) -> bytearray:
        """The next ``size`` bytes, or fewer at the end of the stream.

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
