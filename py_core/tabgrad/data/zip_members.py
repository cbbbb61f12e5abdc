"""The members of a zip archive, whose two descriptions of each member must agree.

Strict, where ``zipfile`` is lenient (and heavy to import when a page starts):

* The archive is the file: its first member at byte 0, members and directory end to end, no comment behind them.
* Members stored or deflated, not encrypted, each name once, on one disk.
* A member's own header agrees with the directory in name, flags, method, sizes and checksum.

Source: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from tabgrad.data.inflate import MAX_RATIO, Inflater
from tabgrad.errors import FileFormatError, shortened

Refuse = Callable[[str], FileFormatError]

_END = struct.Struct("<4sHHHHLLH")
_LOCATOR = struct.Struct("<4sLQL")
_END_64 = struct.Struct("<4sQHHLLQQQQ")
_ENTRY = struct.Struct("<4sHHHHHHLLLHHHHHLL")
_LOCAL = struct.Struct("<4sHHHHHLLLHH")
_STORED, _DEFLATED = 0, 8
_STREAMED, _UTF8 = 1 << 3, 1 << 11
_FLAGS = _STREAMED | _UTF8 | 0b110  # the two bits that give Deflate's compression level
_MAX_MEMBERS = 65_535
_MANY = 0xFFFF_FFFF  # marks a number that is stored in the zip64 field


@dataclass(frozen=True)
class Member:
    """A member's directory entry: name, checksum, sizes, and the position of its compressed bytes."""

    name: str
    deflated: bool
    crc: int
    packed_bytes: int
    size: int
    start: int


class MemberReader:
    """Decompresses a member in pieces; raises what :class:`Inflater` raises."""

    def __init__(self, data: memoryview, member: Member) -> None:
        self._member = member
        self._crc, self._position = 0, member.start
        self._data = data[: member.start + member.packed_bytes]
        self._stream = Inflater(self._data, member.start, wbits=-15) if member.deflated else None

    def read(self, size: int) -> bytearray:
        """The next ``size`` bytes, or fewer at the end of the member."""
        if self._stream is not None:
            out = self._stream.read(size)
        else:
            out = bytearray(self._data[self._position : self._position + size])
            self._position += len(out)
        self._crc = zlib.crc32(out, self._crc)
        return out

    def is_whole(self) -> bool:
        """Whether the member was read to its end and its checksum is right."""
        if self.read(1) or self._crc != self._member.crc:
            return False
        return self._stream is None or (self._stream.ended and self._stream.position == len(self._data))


def members(data: bytes, refuse: Refuse) -> list[Member]:
    """The members of an archive in the directory's order.

    Args:
        refuse: makes the error from a description of the defect.
    """
    count, start, end = _directory(data, refuse)
    found, position, spans = [], start, []
    names: set[str] = set()
    for _ in range(count):
        if position + _ENTRY.size > end:
            raise refuse("a damaged directory")
        entry = _ENTRY.unpack_from(data, position)
        after_name = position + _ENTRY.size + entry[10]
        after_extra = after_name + entry[11]
        raw, extra = data[position + _ENTRY.size : after_name], data[after_name:after_extra]
        position = after_extra + entry[12]
        if entry[0] != b"PK\1\2" or position > end:
            raise refuse("a damaged directory")
        name = _name(raw, entry[3], refuse)
        if name in names:
            raise refuse(f"two members named {shortened(name)}")
        names.add(name)
        member, span = _member(data, name, raw, entry, extra, refuse)
        found.append(member)
        spans.append(span)
    if position != end:
        raise refuse("a damaged directory")
    at = 0
    for begin, stop in sorted(spans):
        if begin != at:
            raise refuse("members that overlap" if begin < at else "bytes that belong to no member")
        at = stop
    if at != start:
        raise refuse("members that overlap" if at > start else "bytes that belong to no member")
    return found


def _directory(data: bytes, refuse: Refuse) -> tuple[int, int, int]:
    """(Members, first byte, end) of the directory."""
    at = len(data) - _END.size
    if at < 0 or data[at : at + 4] != b"PK\5\6":
        raise refuse("an end that is truncated or followed by other bytes")
    _, disk, first_disk, here, count, size, start, comment = _END.unpack_from(data, at)
    end = at
    if data[max(at - _LOCATOR.size, 0) : at][:4] == b"PK\6\7":
        end = at - _LOCATOR.size - _END_64.size
        _, disk, place, disks = _LOCATOR.unpack_from(data, at - _LOCATOR.size)
        if end < 0 or place != end or disks > 1 or data[end : end + 4] != b"PK\6\6":
            raise refuse("a damaged end")
        _, length, _, _, disk, first_disk, here, count, size, start = _END_64.unpack_from(data, end)
        if length != _END_64.size - 12:
            raise refuse("a damaged end")
    if disk or first_disk or here != count or comment or start + size != end:
        raise refuse("a directory that does not fit the file")
    if count > _MAX_MEMBERS:
        raise refuse(f"{count} members, more than {_MAX_MEMBERS}")
    return count, start, end


def _name(raw: bytes, flags: int, refuse: Refuse) -> str:
    try:
        name = raw.decode("utf-8" if flags & _UTF8 else "cp437")
    except UnicodeDecodeError:
        raise refuse(f"a name that is not UTF-8, {shortened(raw)}") from None
    if "\0" in name:
        raise refuse(f"a name with a NUL, {shortened(name)}")
    return name


def _member(
    data: bytes, name: str, raw: bytes, entry: tuple, extra: bytes, refuse: Refuse
) -> tuple[Member, tuple[int, int]]:
    """A member, and its range of bytes in the file."""
    _, _, _, flags, method, _, _, crc, packed_bytes, size, _, _, _, disk, _, _, offset = entry
    shown = shortened(name)
    if flags & 1 or flags & ~_FLAGS:
        raise refuse(f"the member {shown} encrypted or with unknown flags ({flags:#06x})")
    if method not in (_STORED, _DEFLATED):
        raise refuse(f"the member {shown} packed by method {method}, neither stored (0) nor deflated (8)")
    wide = _zip64([size, packed_bytes, offset], extra)
    if wide is None or disk:
        raise refuse(f"a damaged directory entry of the member {shown}")
    size, packed_bytes, offset = wide
    if offset + _LOCAL.size > len(data):
        raise refuse(f"the member {shown} outside of the file")
    local = _LOCAL.unpack_from(data, offset)
    after_name = offset + _LOCAL.size + local[9]
    start = after_name + local[10]
    stop = start + packed_bytes
    own = _zip64([local[8], local[7]], data[after_name:start])
    agrees = local[0] == b"PK\3\4" and local[2:4] == (flags, method) and data[offset + _LOCAL.size : after_name] == raw
    if flags & _STREAMED:
        stop += _descriptor_bytes(data[stop : stop + 24], crc, packed_bytes, size)
    else:
        agrees = agrees and own == [size, packed_bytes] and local[6] == crc
    if not agrees or stop > len(data):
        raise refuse(f"a header of the member {shown} that is truncated or contradicts the directory")
    if (size > MAX_RATIO * packed_bytes) if method == _DEFLATED else (size != packed_bytes):
        raise refuse(f"{packed_bytes} bytes for the {size} bytes of the member {shown}")
    return Member(name, method == _DEFLATED, crc, packed_bytes, size, start), (offset, stop)


def _descriptor_bytes(found: bytes, crc: int, packed_bytes: int, size: int) -> int:
    """The length of the data descriptor (checksum, sizes) after a streamed member; 0 if it is wrong."""
    for mark in (b"PK\7\10", b""):
        for form in ("<LQQ", "<LLL"):
            if form == "<LQQ" or max(packed_bytes, size) <= _MANY:
                expected = mark + struct.pack(form, crc, packed_bytes, size)
                if found.startswith(expected):
                    return len(expected)
    return 0  # the next member is then not where it should be


def _zip64(numbers: list[int], extra: bytes) -> list[int] | None:
    """The numbers, with 64-bit values from the extra field; ``None`` if it lacks them."""
    if _MANY not in numbers:
        return numbers
    position = 0
    while position + 4 <= len(extra):
        kind, length = struct.unpack_from("<HH", extra, position)
        field = extra[position + 4 : position + 4 + length]
        if kind == 1:
            result = []
            for number in numbers:
                if number == _MANY:
                    if len(field) < 8:
                        return None
                    number, field = int.from_bytes(field[:8], "little"), field[8:]
                result.append(number)
            return result
        position += 4 + length
    return None
