"""Copies of what views show: ``permute_copy`` of ``permute``, and so on."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from tabgrad.autograd.gradients import detach
from tabgrad.names import public
from tabgrad.ops.arithmetic import clone
from tabgrad.ops.movement import another, expand, permute, squeeze, t, transpose, unsqueeze, view
from tabgrad.ops.rare.diagonals import diagonal
from tabgrad.ops.rare.parts import select, split_with_sizes, unbind
from tabgrad.ops.rare.strided import as_strided
from tabgrad.ops.rare.windows import unfold_dim
from tabgrad.ops.slicing import narrow, split
from tabgrad.tensor import Tensor


def _copy_of(name: str, function: Callable[..., Any], *, method: bool = False) -> Callable[..., Any]:
    """``NAME_copy``, declared."""

    @functools.wraps(function)
    def copied(input: Tensor, *args: Any, **kwargs: Any) -> Any:
        found = function(input, *args, **kwargs)
        return tuple(clone(x) for x in found) if isinstance(found, tuple) else clone(found)

    copied.__name__ = f"{name}_copy"
    copied.__module__ = __name__
    copied.__doc__ = f"A copy of what ``{name}`` shows."
    return public(method=method, out=True)(copied)


alias_copy = _copy_of("alias", another)
as_strided_copy = _copy_of("as_strided", as_strided)
detach_copy = _copy_of("detach", detach)
diagonal_copy = _copy_of("diagonal", diagonal)
expand_copy = _copy_of("expand", expand)
narrow_copy = _copy_of("narrow", narrow, method=True)
permute_copy = _copy_of("permute", permute)
select_copy = _copy_of("select", select)
split_copy = _copy_of("split", split)
split_with_sizes_copy = _copy_of("split_with_sizes", split_with_sizes)
squeeze_copy = _copy_of("squeeze", squeeze)
t_copy = _copy_of("t", t)
transpose_copy = _copy_of("transpose", transpose)
unbind_copy = _copy_of("unbind", unbind)
unfold_copy = _copy_of("unfold", unfold_dim)
unsqueeze_copy = _copy_of("unsqueeze", unsqueeze)
view_copy = _copy_of("view", view)
