"""Write the stubs that editors and type checkers read: ``build/venv-test/bin/python build_scripts/stubs.py``.

Functions declare where they appear (:mod:`tabgrad.names`), so the modules and methods are made when they are imported;
what was made is written down here.
"""

from __future__ import annotations

import importlib
import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

from paths import ROOT

sys.path.insert(0, str(ROOT / "py_core"))

from tabgrad import names, ops
from tabgrad.methods import TensorMethods
from tabgrad.ops import result_types
from tabgrad.runtime import in_place_forms

PACKAGE = ROOT / "py_core" / "tabgrad"
_WRITTEN = "# Written by build_scripts/stubs.py.\n"
_TYPES = {
    "Any": "typing",
    "Callable": "collections.abc",
    "DType": "tabgrad.dtypes",
    "Dims": "tabgrad.ops.folds",
    "Generator": "tabgrad.random",
    "Layout": "tabgrad.placement",
    "Pair": "tabgrad.ops._window",
    "Sequence": "collections.abc",
    "Shape": "tabgrad.graph.op",
    "Tensor": "tabgrad.tensor",
    **dict.fromkeys(result_types.__all__, "tabgrad.ops.result_types"),
    "np": "",
}
_PROPERTY_TYPES = {"itemsize": "int", "layout": "Layout"} | dict.fromkeys(
    ("is_cuda", "is_cpu", "is_sparse", "is_quantized", "is_meta", "is_mps"), "bool"
)
LATE_FUNCTIONS = ("ops/rare", "host_ops")  # folders whose files are imported when one of their names is used
_OVERRIDES = {"__eq__", "__ne__"}  # which answer for object with a bool


def stubs() -> dict[Path, str]:
    """The stubs' texts, laid out."""
    load_all()
    plain = [f for f in names.PUBLIC.values() if f.module.startswith(("tabgrad.ops.", "tabgrad.host_ops."))]
    spaces = sorted({f.namespace for f in names.PUBLIC.values() if f.namespace})
    return {
        PACKAGE / "late_names.py": _laid_out(_late_names()),
        **{
            PACKAGE / f"{space}.pyi": _laid_out(
                _module((f for f in names.PUBLIC.values() if f.namespace == space), f"PyTorch's ``torch.{space}``.")
            )
            for space in spaces
        },
        PACKAGE / "ops" / "__init__.pyi": _laid_out(_module((f for f in plain if not f.namespace), ops.__doc__)),
        PACKAGE / "nn" / "functional.pyi": _laid_out(
            _module((f for f in names.PUBLIC.values() if f.functional), "PyTorch's ``torch.nn.functional``.")
        ),
        PACKAGE / "methods.pyi": _laid_out(_methods()),
    }


def load_all() -> None:
    """Import the files that are imported late."""
    for folder in LATE_FUNCTIONS:
        for name in _files(folder):
            importlib.import_module(name)
    in_place_forms.add_forms()


def _files(folder: str) -> list[str]:
    """The modules of a folder of the package, such as ``ops/rare``."""
    return [".".join(("tabgrad", *folder.split("/"), p.stem)) for p in sorted((PACKAGE / folder).glob("[!_]*.py"))]


def _late_names() -> str:
    functions = {}
    for folder in LATE_FUNCTIONS:
        for module in _files(folder):
            entries = [e for e in names.PUBLIC.values() if e.module == module and not e.namespace]
            found = dict.fromkeys(n for e in entries for n in (e.name, *e.methods, *e.inplace))
            functions[module] = " ".join(found)
    classes = {
        package: {m: " ".join(importlib.import_module(m).__all__) for m in _files(f"{package}/rare")}
        for package in ("metrics", "nn", "optim")
    }
    doc = '"""What is imported late: names by the file that has them."""'
    return (
        f"{doc}\n\n{_WRITTEN}\nFUNCTIONS: dict[str, str] = {functions!r}\n"
        f"CLASSES: dict[str, dict[str, str]] = {classes!r}\n"
    )


def _module(entries: Iterable[names.PublicFunction], doc: str | None) -> str:
    """Functions with a definition of their own come from where it is; those that a declaration made are spelt out."""
    lines, made = [], []
    for entry in sorted(entries, key=lambda e: (e.module, e.name)):
        if _is_made(entry) or entry.keywords or entry.function.__name__ != entry.name:
            made.append(_signature(entry, entry.name))
        else:
            lines.append(f"from {entry.module} import {entry.function.__name__} as {entry.name}\n")
    return f'"""{doc}"""\n\n{_WRITTEN}\n{_imports(made)}{"".join(lines)}\n' + "\n".join(made)


def _methods() -> str:
    body = []
    for entry in sorted(names.PUBLIC.values(), key=lambda e: e.name):
        for method in entry.methods:
            operator = method.startswith("__") and method != entry.name
            body.append(_operator(entry, method) if operator else _signature(entry, method, "self"))
        body += [_operator(entry, method) for method in entry.reversed]
    properties = "".join(
        f"@property\ndef {name}(self) -> {_PROPERTY_TYPES.get(name, 'Tensor')}: ...\n"
        for name, made in vars(TensorMethods).items()
        if isinstance(made, property)
    )
    text = textwrap.indent("\n".join(body) + "\n" + properties, "    ")
    doc = '"""The methods of :class:`tabgrad.Tensor` that are functions."""'
    return f"{doc}\n\n{_WRITTEN}\n{_imports([*body, properties])}\nclass TensorMethods:\n{text}"


def _is_made(entry: names.PublicFunction) -> bool:
    return "<locals>" in entry.function.__code__.co_qualname


def _operator(entry: names.PublicFunction, name: str) -> str:
    """An operator's stub: it takes no keywords."""
    operands = [p for p in inspect.signature(entry.function).parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    others = "".join(f", {p.name}: Any" for p in operands[1:])
    ignored = "  # type: ignore[override]" if name in _OVERRIDES else ""
    return f"def {name}(self{others}) -> Tensor: ...{ignored}\n"


def _signature(entry: names.PublicFunction, name: str, first: str = "") -> str:
    """A function's stub under a name; ``first`` replaces its first parameter."""
    signature = inspect.signature(entry.function)
    parameters = list(signature.parameters.values())
    rest = [parameters.pop()] if parameters and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD else []
    known = {p.name for p in parameters}
    parameters += [p for p in entry.keywords if p.name not in known and not first] + rest
    if first:
        parameters[0] = inspect.Parameter(first, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    # annotations are text, which inspect would show in quotes
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", str(signature.replace(parameters=parameters)))
    doc = textwrap.indent(f'"""{inspect.getdoc(entry.function)}"""\n', "    ")
    kind = "async def" if inspect.iscoroutinefunction(entry.function) else "def"
    return f"{kind} {name}{text}:\n{doc}"


def _imports(texts: Iterable[str]) -> str:
    """Imports of the types that signatures name."""
    code = re.sub(r'"""[\s\S]*?"""', "", "\n".join(texts))
    used = [name for name in _TYPES if re.search(rf"\b{name}\b", code)]
    return "".join("import numpy as np\n" if n == "np" else f"from {_TYPES[n]} import {n}\n" for n in used)


def _laid_out(text: str) -> str:
    for arguments in (["check", "--select", "I", "--fix", "--quiet", "-"], ["format", "-"]):
        command = [sys.executable, "-m", "ruff", *arguments, "--stdin-filename", "stub.pyi"]
        text = subprocess.run(command, input=text, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return text


if __name__ == "__main__":
    for path, text in stubs().items():
        path.write_text(text, encoding="utf-8")
        print(path.relative_to(ROOT))
