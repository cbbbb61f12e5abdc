"""Saves files, and reads some that ask for much; prints what happened and how far the heap grew."""

import gzip
import json
import os
import stat
import struct
import sys
import zlib

import numpy as np
import pyodide_js

import tabgrad as tg
from tabgrad.data.idx import read_idx

folder = sys.argv[1]
results = {}


def heap():
    return pyodide_js._module.HEAPU8.length


def refusal(action):
    try:
        action()
    except tg.TabgradError as error:
        return str(error)
    return "accepted"


def header(text):
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw + bytes(4)


# Files

os.chdir(folder)
with open("old", "wb") as file:
    file.write(b"old")
os.chmod("old", 0o600)
os.symlink("old", "link")
open(".tabgrad-old.tmp", "w").close()
os.utime(".tabgrad-old.tmp", (0, 0))
tg.save({"a": np.arange(3, dtype=np.float32)}, "link")
results["loaded"] = tg.load("old")["a"].numpy().tolist()
results["mode"] = oct(stat.S_IMODE(os.stat("old").st_mode))
results["names"] = sorted(os.listdir())
results["nowhere"] = refusal(lambda: tg.save({"a": np.zeros(1, np.float32)}, "nowhere/model"))

# Bombs

packer = zlib.compressobj(9, zlib.DEFLATED, 31)
small = struct.pack(">BBBB3I", 0, 0, 8, 3, 10, 28, 28)  # 7,840 bytes
bomb = b"".join([packer.compress(small), *(packer.compress(bytes(1 << 20)) for _ in range(300)), packer.flush()])
before = heap()
results["gzip"] = refusal(lambda: read_idx(bomb))
results["claim"] = refusal(lambda: read_idx(gzip.compress(struct.pack(">BBBB2I", 0, 0, 8, 2, 2**20, 2**20))))
results["shape"] = refusal(lambda: read_idx(struct.pack(">BBBB2I", 0, 0, 8, 2, 0, 2**32 - 1)))
results["deep"] = refusal(lambda: tg.interop.safetensors.load(header('{"a":' + "[" * 1_000_000)))
nested = "[" * 125 + "]" * 125
sound = header('{"a":{"dtype":"F32","shape":[],"data_offsets":[0,4],"x":' + nested + "}}")
results["nested"] = refusal(lambda: tg.interop.safetensors.load(sound))
results["digits"] = refusal(lambda: tg.interop.safetensors.load(header('{"a":{"shape":[' + "9" * 3_000_000 + "]}}")))
results["grown"] = heap() - before
print(json.dumps(results))
