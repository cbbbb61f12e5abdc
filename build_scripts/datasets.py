"""Writes the data sets that travel in the package: digits.npz and diabetes.npz, from the scikit-learn wheel.

Standard library only: it also runs inside the wheel's build, where nothing is installed.
"""

import array
import gzip
import sys
import zipfile
from pathlib import Path

import fetch
from console import BuildError
from paths import DATASETS

_SCIKIT_LEARN = "1.7.2"
_SHA256 = {
    "digits.csv.gz": "09f66e6debdee2cd2b5ae59e0d6abbb73fc2b0e0185d2e1957e9ebb51e23aa22",
    "diabetes_data_raw.csv.gz": "a3e94cc7cea00f8a84fa5f6345203913a68efa42df18f87ddf9bead721bfd503",
    "diabetes_target.csv.gz": "8e53f65eb811df43c206f3534bb3af0e5fed213bc37ed6ba36310157d6023803",
}


def ensure(folder: Path = DATASETS) -> list[Path]:
    """Make the files where they are missing; return both paths.

    digits.npz: ``images`` uint8 ``[1797, 8, 8]`` of 0..16, ``labels`` uint8 ``[1797]``.
    diabetes.npz: ``features`` float64 ``[442, 10]`` as measured, ``target`` float64 ``[442]``.

    Raises:
        BuildError: the source files cannot be fetched, or are not what they were.
    """
    makers = {"digits": _digits, "diabetes": _diabetes}
    paths = []
    for name, make in makers.items():
        path = folder / f"{name}.npz"
        if not path.exists():
            arrays = make()
            folder.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".partial")
            _write_npz(partial, arrays)
            partial.replace(path)
        paths.append(path)
    return paths


def _digits() -> dict[str, bytes]:
    rows = [[int(float(cell)) for cell in row] for row in _rows("digits.csv.gz", ",")]
    _check("digits", rows, 1797, 65)
    images = bytes(pixel for row in rows for pixel in row[:64])
    return {"images": _npy("|u1", (1797, 8, 8), images), "labels": _npy("|u1", (1797,), bytes(row[64] for row in rows))}


def _diabetes() -> dict[str, bytes]:
    rows = [[float(cell) for cell in row] for row in _rows("diabetes_data_raw.csv.gz", None)]
    target = [[float(cell) for cell in row] for row in _rows("diabetes_target.csv.gz", None)]
    _check("diabetes", rows, 442, 10)
    _check("diabetes' target", target, 442, 1)
    return {"features": _npy("<f8", (442, 10), _doubles(rows)), "target": _npy("<f8", (442,), _doubles(target))}


def _rows(name: str, separator: str | None) -> list[list[str]]:
    packed = fetch.from_wheel("scikit-learn", _SCIKIT_LEARN, f"sklearn/datasets/data/{name}", _SHA256[name])
    return [line.split(separator) for line in gzip.decompress(packed).decode().splitlines() if line.strip()]


def _check(what: str, rows: list, count: int, width: int) -> None:
    if len(rows) != count or any(len(row) != width for row in rows):
        raise BuildError(f"datasets: expected {count} rows of {width} values for {what}, got {len(rows)}")


def _doubles(rows: list[list[float]]) -> bytes:
    values = array.array("d", [value for row in rows for value in row])
    if sys.byteorder == "big":
        values.byteswap()
    return values.tobytes()


def _npy(dtype: str, shape: tuple[int, ...], content: bytes) -> bytes:
    """The bytes of a .npy file, version 1.0: magic, header padded to 64, data in C order."""
    header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + content


def _write_npz(path: Path, arrays: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in arrays.items():
            archive.writestr(
                zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0)), content, zipfile.ZIP_DEFLATED
            )


if __name__ == "__main__":
    for made in ensure():
        print(f"{made.name}: {made.stat().st_size} bytes")
