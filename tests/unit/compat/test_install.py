"""``import torch`` that means tabgrad, each in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import tabgrad

ROOT = Path(tabgrad.__file__).parents[1]


def run(source: str) -> str:
    """What a program prints that begins with :func:`install_as_torch`."""
    begin = "from tabgrad.compat import install_as_torch\ninstall_as_torch()\n"
    done = subprocess.run(
        [sys.executable, "-c", begin + textwrap.dedent(source)],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_imports_of_programs_resolve_to_tabgrad() -> None:
    run(
        """
        import importlib.util
        import sys
        import torch
        import torch.nn as nn
        import torch.nn.functional as F
        import torch.optim as optim
        import torch.utils.data
        import torch.utils.data as data
        import torch.backends.cudnn as cudnn
        from torch import Tensor, nn as layers
        from torch.nn import Module, init
        from torch.nn.parameter import Parameter
        from torch.nn.modules import Linear
        from torch.nn.modules.batchnorm import BatchNorm2d
        from torch.nn.utils import clip_grad_norm_
        from torch.optim.lr_scheduler import StepLR
        from torch.utils.data import DataLoader, Dataset
        from torch.utils.data.dataset import random_split
        import tabgrad

        assert torch is tabgrad and nn is layers is tabgrad.nn and F is tabgrad.nn.functional and optim is tabgrad.optim
        assert data is torch.utils.data is tabgrad.utils.data and DataLoader is tabgrad.data.DataLoader
        assert Tensor is tabgrad.Tensor and Module is nn.Module and Linear is nn.Linear
        assert BatchNorm2d is nn.BatchNorm2d
        assert Parameter is nn.Parameter and nn.modules.linear.Linear is Linear
        assert importlib.util.find_spec("torch").name == "tabgrad" and tabgrad.nn.__spec__.name == "tabgrad.nn"
        assert sys.modules["torch.nn"] is nn and sys.modules["torch.utils.data"] is data
        cudnn.benchmark = True
        assert torch.backends.cudnn.benchmark
        """
    )


def test_what_is_missing_is_named_with_the_nearest_thing() -> None:
    told = run(
        """
        import torch

        for statement in (
            "torch.sotfmax", "torch.nn.Linaer", "torch.nn.functional.sotfmax", "torch.ReLU", "torch.fx",
            "from torch import relux", "from torch.optim import Adamm", "import torch.distributed as dist",
            "from torch.utils.tensorboard import SummaryWriter", "import torchvision", "import torch.nn.nothing",
        ):
            try:
                exec(statement)
            except (AttributeError, ImportError) as error:
                print(type(error).__name__, error)
        print(hasattr(torch, "nothing"), getattr(torch.nn, "nothing", None))
        """
    ).splitlines()
    assert [line.split()[0] for line in told[:-1]] == [
        *["AttributeError"] * 4, "MissingNameError", *["ImportError"] * 2, *["ModuleNotFoundError"] * 4,
    ]  # fmt: skip
    ends = (
        "the nearest name is tabgrad.softmax", "the nearest name is tabgrad.nn.Linear",
        "the nearest name is tabgrad.nn.functional.softmax", "tabgrad.nn.ReLU is",
        "tabgrad.explain(step) shows a step's program",
        "the nearest name is tabgrad.relu", "the nearest name is tabgrad.optim.Adam",
        "leave process groups and DistributedDataParallel out",
    )  # fmt: skip
    for line, end in zip(told, ends, strict=False):
        assert line.endswith(end)
        assert "is not in tabgrad yet; " in line
    assert "torch.utils.tensorboard is not in tabgrad yet; print the values" in told[8]
    assert "torchvision needs PyTorch itself; with tabgrad, " in told[9]
    assert "torch.nn.nothing is not in tabgrad yet" in told[10]
    assert told[-1] == "False None"


def test_a_real_pytorch_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "torch.py").write_text("__version__ = '9.9'")
    run(
        f"""
        import sys
        import tabgrad
        from tabgrad.compat import remove_as_torch

        remove_as_torch()
        assert "torch" not in sys.modules
        sys.path.insert(0, {str(tmp_path)!r})
        import torch
        assert torch is not tabgrad
        try:
            install_as_torch()
        except tabgrad.TabgradError as error:
            assert "expected a process that has not imported torch, got one with PyTorch 9.9" in str(error)
        else:
            raise AssertionError
        """
    )


def test_nothing_of_it_is_imported_before_it_is_used() -> None:
    source = """
        import sys
        import tabgrad
        late = ("amp", "backends", "cuda", "distributions", "missing", "testing", "utils", "compat")
        print([name for name in late if f"tabgrad.{name}" in sys.modules])
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(source)],
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert done.stdout == "[]\n"
