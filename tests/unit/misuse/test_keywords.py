"""PyTorch's keywords: each is taken, or an error names it."""

from __future__ import annotations

import ast
import importlib
import inspect
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import tabgrad as tg
from tabgrad import late_names
from tabgrad.keywords import OTHER_NAMES
from tabgrad.names import PUBLIC

STUBS = Path(torch.__file__).parent / "_C"
ACCEPTED_LATER = {"names", "self"}  # of named tensors, which PyTorch itself does not finish
NOT_TAKEN = {
    "addmm": {"out_dtype"}, "baddbmm": {"out_dtype"}, "bmm": {"out_dtype"}, "mm": {"out_dtype"},
    "alias_copy": {"input"}, "split_copy": {"input"}, "embedding_renorm_": {"input"}, "from_numpy": {"ndarray"},
    "batch_norm": {"cudnn_enabled"}, "group_norm": {"cudnn_enabled"}, "instance_norm": {"cudnn_enabled"},
    "layer_norm": {"cudnn_enable"}, "embedding": {"indices"}, "embedding_bag": {"indices"},
    "gru": {"batch_sizes", "data"}, "lstm": {"batch_sizes", "data"}, "rnn_relu": {"batch_sizes", "data"},
    "rnn_tanh": {"batch_sizes", "data"}, "nonzero": {"out"}, "nonzero_static": {"out"}, "cholesky_solve": {"input2"},
    "tensor_split": {"tensor_indices_or_sections"}, "triangular_solve": {"input", "out"},
    "tril_indices": {"requires_grad"}, "triu_indices": {"requires_grad"}, "map_": {"other"}, "to": {"other"},
    "new": {"cls", "device", "other", "size", "storage"}, "set_": {"size", "storage_offset", "stride"},
}  # fmt: skip
"""Keywords that raise by name; a new one of PyTorch's is taken, or joins them."""


def theirs(path: Path, holder: str = "") -> dict[str, set[str]]:
    """Names of the arguments of PyTorch's functions, of all their forms."""
    body: list[Any] = ast.parse(path.read_text(encoding="utf-8")).body
    if holder:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == holder)
    found: dict[str, set[str]] = defaultdict(set)
    for n in body:
        if isinstance(n, ast.FunctionDef):
            found[n.name] |= {a.arg for a in (*n.args.posonlyargs, *n.args.args, *n.args.kwonlyargs)}
    return found


def ours(function: Callable[..., Any], keywords: tuple[inspect.Parameter, ...] = ()) -> set[str]:
    """Names of the arguments of one of ours, their further names included."""
    names = {p.name for p in (*inspect.signature(function).parameters.values(), *keywords)}
    return names | {other for other, name in OTHER_NAMES.items() if name in names}


@pytest.mark.parametrize(("file", "holder"), [("_VariableFunctions.pyi", ""), ("__init__.pyi", "TensorBase")])
def test_keywords_of_functions_and_methods(file: str, holder: str) -> None:
    for module in late_names.FUNCTIONS:
        importlib.import_module(module)
    known, missing = theirs(STUBS / file, holder), {}
    for entry in list(PUBLIC.values()):
        for name in entry.methods if holder else (entry.name,) * (entry.top and not entry.namespace):
            if name in known and not name.startswith("__") and "named" not in ours(entry.function):
                left = known[name] - ours(entry.function, entry.keywords) - ACCEPTED_LATER - NOT_TAKEN.get(name, set())
                missing.update({name: left} if left else {})
    assert not missing


@pytest.mark.parametrize("space", ["nn", "optim", "optim.lr_scheduler"])
def test_keywords_of_classes(space: str) -> None:
    here, there = (importlib.import_module(f"{t}.{space}") for t in ("tabgrad", "torch"))
    missing = {}
    for name in dir(there):
        kind = getattr(there, name)
        if inspect.isclass(kind) and name[0].isupper() and hasattr(here, name):
            made = inspect.signature(getattr(here, name).__init__).parameters
            if not any(p.kind is p.VAR_KEYWORD for p in made.values()):
                left = set(inspect.signature(kind.__init__).parameters) - set(made) - {"args", "kwargs"}
                missing.update({name: left} if left else {})
    former = {"Hardtanh": {"min_value", "max_value"}} if space == "nn" else {}
    assert missing == former  # names that PyTorch itself has given up


def test_an_unknown_keyword_is_named_with_those_that_there_are() -> None:
    for call, message in (
        (lambda: tg.zeros(2, dtpye=tg.float32), "zeros: unexpected keyword argument 'dtpye'; expected some of size, "),
        (lambda: tg.mm(tg.eye(2), tg.eye(2), out_dtype=tg.float32), "mm: unexpected keyword argument 'out_dtype'"),
        (lambda: tg.nn.Linear(2, 2, biass=True), "Linear: unexpected keyword argument 'biass'; expected some of in_f"),
    ):
        with pytest.raises(TypeError, match=message) as raised:
            call()
        assert isinstance(raised.value, NotImplementedError)


def test_further_names_of_arguments() -> None:
    x = tg.ones(2, 3)
    assert x.sum(axis=1).tolist() == [3, 3]
    assert [part.shape for part in tg.vsplit(x, sections=2)] == [(1, 3)] * 2
    assert tg.dropout(x, 0.5, train=False).tolist() == x.tolist()
    assert tg.zeros(2, 3).copy_(x, non_blocking=True).numpy(force=True).tolist() == x.tolist()
