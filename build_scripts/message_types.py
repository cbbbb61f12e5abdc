"""Write the page's types of tabgrad's messages: ``build/venv-test/bin/python build_scripts/message_types.py``.

They are made of the declarations in :mod:`tabgrad.messages`: a class becomes an interface, a named type keeps its name,
and docstrings, of classes and below fields, become comments.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import types
from collections.abc import Iterator
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from paths import ROOT, WEB

sys.path.insert(0, str(ROOT / "py_core"))

from tabgrad.messages import Record, control_types, event_types

TARGET = WEB / "src" / "messages.ts"
_MODULES = (event_types, control_types)
_WRITTEN = "// Written by build_scripts/message_types.py from py_core/tabgrad/messages.\n"
_PLAIN = {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null", Any: "unknown"}
_WIDTH = 120


def message_types() -> str:
    """The file's text."""
    parts = [part for module in _MODULES for part in (f"// {_first_line(module)}\n", *_declarations(module))]
    return "\n".join([_WRITTEN, *parts])


def _declarations(module: types.ModuleType) -> Iterator[str]:
    """A module's named types and messages, in its order."""
    for statement in ast.parse(inspect.getsource(module)).body:
        if isinstance(statement, ast.ClassDef):
            kind = getattr(module, statement.name)
            if kind.__annotations__:  # a base has no fields
                yield _interface(kind, statement)
        elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            name = statement.targets[0].id
            value = getattr(module, name)
            if get_origin(value) is Literal:
                yield _alias(name, [_literal(member) for member in get_args(value)])
            elif isinstance(value, types.UnionType):  # of names, some of which are unions themselves
                yield _alias(name, ast.unparse(statement.value).split(" | "))


def _alias(name: str, members: list[str]) -> str:
    line = f"export type {name} = {' | '.join(members)};\n"
    if len(line) <= _WIDTH:
        return line
    return f"export type {name} =\n" + "".join(f"  | {member}\n" for member in members)[:-1] + ";\n"


def _interface(kind: type[Record], statement: ast.ClassDef) -> str:
    documented = dict(_field_docs(statement))
    hints = get_type_hints(kind)
    fields = []
    for name in kind.__annotations__:
        if name == kind.inlined:
            continue
        optional = name in vars(kind) and getattr(kind, name) is None
        text = _type(hints[name])
        if optional:
            text = text.removesuffix(" | null")
        if name in documented:
            fields.append(_comment(documented[name], "  "))
        fields.append(f"  {name}{'?' if optional else ''}: {text};\n")
    head, tail = f"export interface {kind.__name__} {{\n", "}\n"
    if kind.inlined:  # an interface would want all its fields to be such values
        head, tail = f"export type {kind.__name__} = {{\n", f"}} & {_type(hints[kind.inlined])};\n"
        fields.append(f"  // {kind.inlined}: {documented[kind.inlined]}\n")
    return f"{_comment(kind.__doc__ or '')}{head}{''.join(fields)}{tail}"


def _field_docs(statement: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """The texts below fields."""
    for field, text in zip(statement.body, statement.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
        ):
            yield field.target.id, str(text.value.value)


def _comment(text: str, indent: str = "") -> str:
    lines = textwrap.wrap(inspect.cleandoc(text), _WIDTH - len(indent) - 7)
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    return f"{indent}/**\n" + "".join(f"{indent} * {line}\n" for line in lines) + f"{indent} */\n"


def _type(hint: Any) -> str:
    """A field's type in TypeScript.

    Raises:
        TypeError: it has none here.
    """
    for module in _MODULES:
        for name, value in vars(module).items():
            if value == hint and get_origin(value) in (Literal, types.UnionType):
                return name
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint.__name__
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " | ".join(map(_literal, parts))
    if origin in (types.UnionType, Union):
        return " | ".join(dict.fromkeys(map(_type, parts)))
    if origin is tuple:
        return f"[{', '.join(map(_type, parts))}]"
    if origin is list:
        inner = _type(parts[0])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if origin is dict and parts[0] is str:
        return f"Record<string, {_type(parts[1])}>"
    raise TypeError(f"message_types: expected a type that has a form in TypeScript, got {hint}")


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


def _first_line(module: types.ModuleType) -> str:
    return (module.__doc__ or "").partition("\n")[0]


if __name__ == "__main__":
    TARGET.write_text(message_types(), encoding="utf-8")
    print(TARGET.relative_to(ROOT))
