"""Values and promotion as in PyTorch, on the reference device and on this machine's adapter; in and out of arrays."""

import itertools

import numpy as np
import torch

import tabgrad as tg
from device.op_cases import BY_NAME
from device.oracle import check_op
from tabgrad.errors import DeviceError

check_op(BY_NAME["narrow int16"], "reference")
with tg.Session("native") as session:
    try:
        adapter = session.device.info.name
    except DeviceError as error:
        print(f"not run on a GPU's kernel: {error}")
    else:
        check_op(BY_NAME["narrow int16"], adapter)
names = ("int8", "uint8", "int16", "int32", "float16", "bfloat16", "float32")
for one, other in itertools.product(names, repeat=2):
    expected = torch.promote_types(getattr(torch, one), getattr(torch, other))
    assert str(tg.dtypes.promote(getattr(tg, one), getattr(tg, other))) == str(expected).replace("torch", "tabgrad")
array = np.array([-(2**15), 0, 2**15 - 1], np.int16)
assert tg.tensor(array).dtype is tg.int16
assert tg.tensor(array).numpy().dtype == np.int16
np.testing.assert_array_equal(tg.tensor(array).numpy(), array)
assert tg.tensor(array).nbytes == 6
