"""Ways to damage a file: blindly, and where its structure is, with lengths and checksums that still fit."""

import gzip
import io
import json
import re
import struct
import warnings
import zipfile
import zlib

import numpy as np

from fuzz.corpus import CORPUS

NUMBERS = (
    0,
    1,
    2,
    7,
    8,
    64,
    127,
    128,
    255,
    256,
    2**15,
    2**16 - 1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**40,
    2**63,
    2**64 - 1,
)
DIGITS = (
    *(
        "0",
        "1",
        "3",
        "-0",
        "-1",
        "00",
        "07",
        "1.0",
        "2e0",
        "1e400",
        "NaN",
        "Infinity",
        "null",
        "true",
        "[]",
        '"3"',
        "3L",
    ),
    *("0x3", "1_0", "²", "65", "4294967296", "1099511627776", "9223372036854775807", "9223372036854775808", "1,1", ""),
    *("18446744073709551615", "18446744073709551616", "9" * 300, "9" * 5000, "0,9223372036854775807", "[" * 200),
)
TOKENS = (
    *(
        "{",
        "}",
        "[",
        "]",
        "(",
        ")",
        ",",
        ":",
        '"',
        "'",
        "\\",
        "\\u0000",
        "\\ud800",
        "\\ud83d\\ude00",
        "\\x",
        "\0",
        "\n",
    ),
    *(" ", "\t", "\x0b", "\ufeff", "\xff", "é", "😀", '"x":1,', '"x":NaN,', "True", "False", "None", "null", "lambda"),
    *("F32", "F64", "BOOL", "U64", "BF16", "F8_E4M3", "C64", "<f4", ">f4", "|O", "|b1", "<U3", "<f16", "V8", "|S0"),
    *("[('a','<f4')]", '"dtype"', '"shape"', '"data_offsets"', '"__metadata__"', '"__metadata__":null,'),
    *("'descr'", "'shape'", "'fortran_order'"),
)


def mutated(rng, kind):
    """A damaged file of a kind."""
    data = rng.choice(CORPUS[kind])
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        try:
            data = rng.choice((blind, *STRUCTURED[kind]))(rng, data)
        except (
            ValueError,
            KeyError,
            IndexError,
            EOFError,
            OSError,
            zlib.error,
            struct.error,
            RuntimeError,
            RecursionError,
        ):
            data = blind(rng, data)  # it is damaged too much already for its structure to be found
        except (zipfile.BadZipFile, NotImplementedError, AttributeError, TypeError):
            data = blind(rng, data)
    return data


def blind(rng, data):
    """Bits, bytes and blocks, wherever they are."""
    data = bytearray(data)
    at, to = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
    match rng.randrange(9):
        case 0:
            for _ in range(rng.choice((1, 1, 2, 8))):
                if data:
                    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        case 1:
            del data[at:]
        case 2:
            del data[at : at + rng.choice((1, 2, 4, 16))]
        case 3:
            data[at:at] = rng.randbytes(rng.choice((1, 2, 4, 16)))
        case 4:
            data += rng.choice((b"\0", b" ", b"\n", bytes(100), rng.randbytes(9), bytes(data)))
        case 5:
            data[:0] = rng.choice((b" ", b"\0", b"MZ", rng.randbytes(3)))
        case 6:
            data[at:at] = data[at:to]
        case 7:
            other = rng.choice(CORPUS[rng.choice(list(CORPUS))])
            data[at:] = other[rng.randrange(len(other)) :]
        case 8:
            size = rng.choice((1, 2, 4, 8))
            number = rng.choice(NUMBERS) % (1 << 8 * size)
            data[at : at + size] = number.to_bytes(size, rng.choice(("little", "big")))
    return bytes(data)


def text(rng, found):
    """A header's text with another number or token."""
    match rng.randrange(5):
        case 0 | 1:
            numbers = list(re.finditer(r"\d+", found))
            if numbers:
                place = rng.choice(numbers)
                return found[: place.start()] + rng.choice(DIGITS) + found[place.end() :]
        case 2:
            at = rng.randrange(len(found) + 1)
            return found[:at] + rng.choice(TOKENS) + found[at:]
        case 3:
            words = list(re.finditer(r"['\"<>|]?[\w.]+['\"]?|[^\w\s]", found))
            if words:
                place = rng.choice(words)
                other = rng.choice((*TOKENS, rng.choice(words)[0], ""))
                return found[: place.start()] + other + found[place.end() :]
        case 4:
            at, to = sorted((rng.randrange(len(found) + 1), rng.randrange(len(found) + 1)))
            return found[:to] + found[at:to] + found[to:]
    return found + " "


def header_of_safetensors(rng, data):
    """Another header text, with its length."""
    size = int.from_bytes(data[:8], "little")
    header = text(rng, data[8 : 8 + size].decode())
    raw = header.encode("utf-8", "surrogatepass")
    return len(raw).to_bytes(8, "little") + raw + data[8 + size :]


def entries_of_safetensors(rng, data):
    """A header that is sound JSON and says something else."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    names = [name for name in header if name != "__metadata__"]
    name = rng.choice(names)
    entry = header[name]
    body = data[8 + size :]
    match rng.randrange(10):
        case 0:
            entry["shape"] = rng.choice(
                ([], [0], [2**40], [2**40, 2**40], [0, 2**63 - 1], [1] * 65, [1] * 64, [2.0], "x")
            )
        case 1:
            entry["data_offsets"] = rng.choice(([0, 0], [0.0, 8], [False, True], [8, 0], [0], [0, 2**64], None))
        case 2:
            entry["dtype"] = rng.choice(
                ("F32", "I32", "U8", "BOOL", "F8_E4M3", "C64", "f32", 1, ["F32"], {"F32": None})
            )
        case 3:
            entry[rng.choice(("x", "strides", ""))] = rng.choice((1, 1.5, "x", [[[]]], {"a": {}}, None))
        case 4:
            header[rng.choice(("n" * 70_000, "x" * 1000, "\0", ""))] = header.pop(name)
        case 5:
            header["__metadata__"] = rng.choice((None, [], {"a": 1}, {"a": "b" * 70_000}, {"": ""}, "x"))
        case 6:
            header[name] = [entry["dtype"], entry["shape"], entry["data_offsets"]]
        case 7:
            del entry[rng.choice(list(entry))]
        case 8:
            names = list(header)
            rng.shuffle(names)
            header = {key: header[key] for key in names}
        case 9:
            body = body + bytes(4)
            header["new"] = {"dtype": "F32", "shape": [1], "data_offsets": [len(body) - 4, len(body)]}
    raw = json.dumps(header, ensure_ascii=rng.random() < 0.5, indent=rng.choice((None, None, 1))).encode()
    raw = rng.choice((b"", b"", b"", b" ", b"\n")) + raw + b" " * rng.choice((0, 0, 5))
    return len(raw).to_bytes(8, "little") + raw + body


def rewritten_safetensors(rng, data):
    """The same tensors, written otherwise."""
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    names = list(header)
    rng.shuffle(names)
    for name in names:
        fields = list(header[name].items())
        rng.shuffle(fields)
        header[name] = dict(fields)
        if name != "__metadata__" and rng.random() < 0.2:
            header[name]["x" * rng.choice((1, 600, 9000))] = rng.choice(
                (1, -1.5, "é\\\n", [[[]]], {"a": {}}, None, True)
            )
    separators = rng.choice(((",", ":"), (", ", ": "), (" ,\n", "\t:\r")))
    found = json.dumps({name: header[name] for name in names}, ensure_ascii=rng.random() < 0.5, separators=separators)
    raw = found.encode() + b" " * rng.randrange(9)
    return len(raw).to_bytes(8, "little") + raw + data[8 + size :]


def rewritten_npz(rng, data):
    """The same arrays, packed otherwise, with other spaces and quotes in their headers."""
    members = []
    for name, content in _members(data):
        width = 2 if content[6] == 1 else 4
        size = int.from_bytes(content[8 : 8 + width], "little")
        found = content[8 + width : 8 + width + size]
        for old, new in ((b", ", b","), (b": ", b" :  "), (b"'", b'"'), (b", }", b"}"), (b"  \n", b"\n")):
            found = found.replace(old, new) if rng.random() < 0.2 else found
        members.append((name, content[:8] + len(found).to_bytes(width, "little") + found + content[8 + width + size :]))
    rng.shuffle(members)
    return _packed(members, rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))


def rewritten_idx(rng, data):
    """The same array in other gzip members."""
    inside = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    cuts = sorted(rng.randrange(len(inside) + 1) for _ in range(rng.choice((0, 1, 5))))
    parts = [inside[a:b] for a, b in zip([0, *cuts], [*cuts, len(inside)], strict=True)]
    return b"".join(gzip.compress(part, rng.choice((0, 1, 9)), mtime=0) for part in parts)


def inside_gzip(rng, data):
    """Another IDX file in a sound gzip file."""
    inside = blind(rng, gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    return gzip.compress(inside, rng.choice((0, 1, 9)), mtime=0)


def members_of_gzip(rng, data):
    """More members, other flags, other checksums, bytes behind."""
    inside = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    whole = gzip.compress(inside, mtime=0)
    at = rng.randrange(len(inside) + 1)
    match rng.randrange(8):
        case 0:
            return whole[:3] + bytes([rng.choice((0x20, 0x40, 0x80, 1, 2, 4, 8, 16))]) + whole[4:]
        case 1:
            return whole[:-8] + rng.randbytes(4) + whole[-4:]
        case 2:
            return whole[:-4] + struct.pack("<L", rng.choice(NUMBERS) % 2**32)
        case 3:
            return whole + rng.choice((b"\0", bytes(512), b"garbage", b"\x1f", b"\x1f\x8b", whole))
        case 4:
            return gzip.compress(inside[:at], mtime=0) + gzip.compress(inside[at:], mtime=0)
        case 5:
            return gzip.compress(b"", mtime=0) * rng.choice((1, 10, 3000)) + whole
        case 6:
            return gzip.compress(inside + bytes(rng.choice((1, 100, 3_000_000))), mtime=0)
        case _:
            head = b"\x1f\x8b\x08\x02" + bytes(6)
            check = (zlib.crc32(head) & 0xFFFF) ^ rng.choice((0, 0, 1, 0xFFFF))
            return head + struct.pack("<H", check) + whole[10:]


def sizes_of_idx(rng, data):
    """Other dimensions, of other sizes."""
    inside = bytearray(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    at = rng.choice((2, 3, *range(4, 4 + 4 * inside[3], 4)))
    width = 4 if at >= 4 else 1
    inside[at : at + width] = (rng.choice(NUMBERS) % (1 << 8 * width)).to_bytes(width, "big")
    if rng.random() < 0.2:
        inside[3:4] = bytes([40]) + struct.pack(">37I", *rng.choices((1, 0, 2**32 - 1), k=37))
    return bytes(inside) if rng.random() < 0.5 else gzip.compress(bytes(inside), mtime=0)


def _members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(info.filename, archive.read(info)) for info in archive.infolist()]


def _packed(members, method):
    file = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(file, "w", method) as archive:
        warnings.simplefilter("ignore")  # a name twice
        for name, content in members:
            archive.writestr(name, content)
    return file.getvalue()


def _method(rng):
    return rng.choice(
        (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
    )


def header_of_npy(rng, data):
    """Another header of an array, with its length and the archive's checksums."""
    members = _members(data)
    at = rng.randrange(len(members))
    name, content = members[at]
    width = 2 if content[6] == 1 else 4
    size = int.from_bytes(content[8 : 8 + width], "little")
    found = content[8 + width : 8 + width + size].decode("latin-1")
    changed = text(rng, found).encode("latin-1", "replace")
    if rng.random() < 0.7 and len(changed) < size:
        changed = changed.rstrip(b"\n").ljust(size - 1) + b"\n"
    content = content[:8] + len(changed).to_bytes(width, "little") + changed + content[8 + width + size :]
    members[at] = (name, content)
    return _packed(members, rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)))


def members_of_npz(rng, data):
    """Other members in a sound archive."""
    members = _members(data)
    at = rng.randrange(len(members))
    name, content = members[at]
    method = zipfile.ZIP_DEFLATED
    match rng.randrange(9):
        case 0:
            members.append((name, content))
        case 1:
            members.append((name.removesuffix(".npy"), content))
        case 2:
            members[at] = (name, content + rng.choice((b"\0", bytes(64), content)))
        case 3:
            members[at] = (name, blind(rng, content))
        case 4:
            method = _method(rng)
        case 5:
            members[at] = (
                rng.choice(("../x.npy", "a/b.npy", ".npy", "x", "ü.npy", "n" * 60_000 + ".npy", "x.npy/")),
                content,
            )
        case 6:
            members[at] = (name, content[: rng.randrange(len(content) + 1)])
        case 7:
            objects = io.BytesIO()
            np.lib.format.write_array(objects, np.array([None, {}]), allow_pickle=True)
            members[at] = (name, objects.getvalue())
        case 8:
            members[at] = (name, content + bytes(2_000_000))
    return _packed(members, method)


def fields_of_zip(rng, data):
    """Another number in the directory, a member's own header, or both."""
    data = bytearray(data)
    central = [m.start() for m in re.finditer(b"PK\1\2", data)]
    local = [m.start() for m in re.finditer(b"PK\3\4", data)]
    ends = [m.start() for m in re.finditer(b"PK\5\6", data)]
    which = rng.randrange(min(len(central), len(local)))
    # field: offset in the directory, offset in the member's header, bytes
    field = rng.choice(
        ((8, 6, 2), (10, 8, 2), (16, 14, 4), (20, 18, 4), (24, 22, 4), (28, 26, 2), (30, 28, 2), (4, 4, 2))
    )
    number = (rng.choice((*NUMBERS, 8, 9, 12, 14, 1, 0x41, 0x2000)) % (1 << 8 * field[2])).to_bytes(field[2], "little")
    match rng.randrange(4):
        case 0:
            data[central[which] + field[0] : central[which] + field[0] + field[2]] = number
        case 1:
            data[local[which] + field[1] : local[which] + field[1] + field[2]] = number
        case 2:
            data[central[which] + field[0] : central[which] + field[0] + field[2]] = number
            data[local[which] + field[1] : local[which] + field[1] + field[2]] = number
        case 3:
            at = ends[-1] + rng.choice((4, 6, 8, 10, 12, 16, 20))
            data[at : at + 2] = number[:2]
    return bytes(data)


STRUCTURED = {
    "idx": (rewritten_idx, inside_gzip, members_of_gzip, sizes_of_idx),
    "npz": (rewritten_npz, header_of_npy, header_of_npy, members_of_npz, fields_of_zip),
    "safetensors": (rewritten_safetensors, header_of_safetensors, header_of_safetensors, entries_of_safetensors),
}
