"""PyTorch's samples for its functions (``op_db``), and what tabgrad makes of each.

    python tests/parity/functions.py nn.functional.conv2d tan      one line for each variant, with the first difference
    python tests/parity/functions.py --missing                     names that are not there

Variants are the function, the method, the operators and the method in place; gradients are compared, too.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import random
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "py_core")]

import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

import tabgrad as tg
import tabgrad.nn.functional
from parity.values import Converter, Function, Unsupported, difference, dtype_of, tensors_in

OUT_OF_SCOPE = (
    "fft.", "sparse.", "masked.", "signal.", "jiterator_", "torch.ops.", "torch._", "_", "chalf", "cfloat", "cdouble",
    "complex", "polar", "view_as_complex", "view_as_real", "real", "imag", "resolve_", "conj", "stft", "istft",
    "to_sparse", "hash_tensor", "angle", "sparse_sampled", "geqrf", "ormqr", "linalg.householder", "linalg.ldl",
    "linalg.eig", "linalg.lu_factor_ex", "nn.functional.scaled_dot_product_attention_math",
)  # fmt: skip
IN_SCOPE = ("linalg.eigh", "linalg.eigvalsh")
RANDOM = {
    "bernoulli", "cauchy", "exponential", "geometric", "log_normal", "multinomial", "normal", "rand_like", "randint",
    "randint_like", "randn", "randn_like", "uniform", "empty", "empty_like", "empty_strided", "empty_permuted",
    "new_empty", "new_empty_strided", "nn.functional.dropout", "nn.functional.dropout2d", "nn.functional.dropout3d",
    "nn.functional.alpha_dropout", "nn.functional.feature_alpha_dropout", "nn.functional.rrelu", "svd_lowrank",
    "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d", "pca_lowrank",
}  # fmt: skip
"""Of these shapes and dtypes are compared, and no values."""

Outcome = str
WORKS, REFUSED, WRONG, CRASHED, LEFT_OUT = "works", "refused", "wrong", "crashed", "left out"


@dataclass
class Report:
    """What became of the samples of one function, in one variant and dtype."""

    name: str
    variant: str
    dtype: str
    counts: collections.Counter[str] = field(default_factory=collections.Counter)
    first: dict[str, str] = field(default_factory=dict)

    def add(self, outcome: Outcome, why: str) -> None:
        """Count one sample."""
        self.counts[outcome] += 1
        self.first.setdefault(outcome, why)

    def __str__(self) -> str:
        counts = ", ".join(f"{n} {outcome}" for outcome, n in self.counts.items())
        why = "".join(f"\n      {o}: {w}" for o, w in self.first.items() if o not in (WORKS, LEFT_OUT))
        return f"{self.name} {self.variant} {self.dtype}: {counts}{why}"


def in_scope(op: Any) -> bool:
    """Whether an entry is about what tabgrad has: not complex, sparse, FFT or C++ internals."""
    return op.name.startswith(IN_SCOPE) or not op.name.startswith(OUT_OF_SCOPE)


def found(name: str) -> Function | None:
    """tabgrad's function of that name, in the same module."""
    space: Any = tg
    *modules, last = name.split(".")
    for module in modules:
        space = getattr(space, module, None)
    return getattr(space, last, None)


def variants(op: Any) -> dict[str, tuple[Function, Function]]:
    """PyTorch's and tabgrad's forms of a function, by the variant's name; empty if it is not there."""
    result: dict[str, tuple[Function, Function]] = {}
    method = op.method_variant.__name__ if op.method_variant is not None else None
    ours = found(op.name)
    theirs = op.op
    if ours is None and type(theirs).__name__ == "function" and "common_methods" in theirs.__module__:
        ours = theirs if method is None or hasattr(tg.Tensor, method) else None  # written in methods
    if ours is None and method is not None and hasattr(tg.Tensor, op.name):
        ours, theirs = getattr(tg.Tensor, op.name), getattr(torch.Tensor, op.name)
    if ours is None:
        return {}
    result["function"] = (theirs, ours)
    for kind, form in (("method", op.method_variant), ("in place", op.inplace_variant)):
        if form is not None and not hasattr(form, "__name__"):
            continue  # a partial function, which has no method of its own
        if form is not None and hasattr(torch.Tensor, form.__name__) and not form.__name__.startswith("__"):
            result[kind] = (form, getattr(tg.Tensor, form.__name__, _missing(form.__name__)))
    return result


def _missing(name: str) -> Function:
    def call(*_: Any, **__: Any) -> None:
        raise AttributeError(f"Tensor has no attribute {name!r}")

    return call


def reports(op: Any, dtype: torch.dtype, *, gradients: bool, limit: int | None, seed: int = 0) -> Iterator[Report]:
    """One for each variant.

    Args:
        limit: how many samples, chosen by the seed; all by default.
    """
    forms = variants(op)
    wants_grad = gradients and op.supports_autograd and dtype.is_floating_point
    for variant, (theirs, ours) in forms.items():
        report = Report(op.name + (f".{op.variant_test_name}" if op.variant_test_name else ""), variant, str(dtype)[6:])
        torch.manual_seed(0)
        samples = list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=False), 2000))
        if limit is not None and len(samples) > limit:
            samples = random.Random(seed).sample(samples, limit)
        for sample in samples:
            if variant == "in place" and (sample.broadcasts_input or not isinstance(sample.input, torch.Tensor)):
                continue
            report.add(*outcome(op, theirs, ours, sample, variant, wants_grad))
        if report.counts:
            yield report


def outcome(op: Any, theirs: Function, ours: Function, sample: Any, variant: str, wants_grad: bool) -> tuple[str, str]:
    """What became of one sample, and why."""
    told = f"{sample.summary()[:300]}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = (sample.input, *sample.args)
        leaves = list(tensors_in([*values, *sample.kwargs.values()], torch.Tensor))
        if wants_grad and variant != "in place":
            for t in leaves:
                t.requires_grad_(t.is_floating_point())
        convert = Converter()
        try:
            given, keywords = convert(list(values)), convert(sample.kwargs)
        except Unsupported as error:
            return LEFT_OUT, str(error)
        if variant == "in place":
            values = (sample.input.detach().clone(), *values[1:])
        try:
            torch.manual_seed(0)
            expected = theirs(*values, **sample.kwargs)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            return LEFT_OUT, f"PyTorch raises {error}"
        if any(t.is_complex() or t.layout is not torch.strided for t in tensors_in(expected, torch.Tensor)):
            return LEFT_OUT, "complex or sparse results"
        try:
            got = ours(*given, **keywords)
            different = difference(expected, got, op.name in RANDOM)
            if different:
                return WRONG, f"{different}; {told}"
            if wants_grad and variant != "in place" and op.name not in RANDOM:
                different = _gradient_difference(expected, got, leaves, convert)
                if different:
                    return WRONG, f"{different}; {told}"
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            kind = REFUSED if isinstance(error, tg.TabgradError | NotImplementedError) else CRASHED
            return kind, f"{type(error).__name__}: {str(error)[:300]}; {told}"
    return WORKS, ""


def _gradient_difference(expected: Any, got: Any, leaves: list[torch.Tensor], convert: Converter) -> str | None:
    outs = [t for t in tensors_in(expected, torch.Tensor) if t.requires_grad]
    mine = [
        t
        for e, t in zip(tensors_in(expected, torch.Tensor), tensors_in(got, tg.Tensor), strict=True)
        if e.requires_grad
    ]
    wanted = [t for t in leaves if t.requires_grad]
    if not outs or not wanted:
        return None
    wanted = list({id(t): t for t in wanted}.values())
    if [t for t in mine if not t.requires_grad]:
        return "gradient: expected a result that requires grad, got one that does not"
    torch.manual_seed(1)
    seeds = [torch.randn(t.shape).to(t.dtype) for t in outs]
    theirs = torch.autograd.grad(outs, wanted, seeds, allow_unused=True)
    ours = tg.autograd.grad(mine, [convert(t) for t in wanted], [convert(s) for s in seeds], allow_unused=True)
    for n, (e, g) in enumerate(zip(theirs, ours, strict=True)):
        if e is None or g is None:
            filled = e if g is None else g
            if filled is None or not bool((filled != 0).any()):
                continue
            return f"gradient {n}: expected {'None' if e is None else 'a tensor'}, got {'None' if g is None else 'one'}"
        if different := difference(e, g, where=f"gradient {n}"):
            return different
    return None


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of op_db; a trailing * stands for any ending")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--dtypes", default="float32,int64,bool")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--all", action="store_true", help="print what works, too")
    options = parser.parse_args()
    tg.set_default_device("reference")
    ops = [op for op in op_db if in_scope(op)]
    if options.names:
        ops = [
            op
            for op in op_db
            if any(op.name == n or (n.endswith("*") and op.name.startswith(n[:-1])) for n in options.names)
        ]
    if options.missing:
        print(" ".join(sorted({op.name for op in ops if not variants(op)})))
        return
    total: collections.Counter[str] = collections.Counter()
    for op in ops:
        if not variants(op):
            print(f"{op.name}: not there")
        for name in options.dtypes.split(","):
            dtype = getattr(torch, name)
            if dtype not in op.supported_dtypes("cpu"):
                continue
            try:
                dtype_of(dtype)
            except Unsupported:
                continue
            for report in reports(op, dtype, gradients=True, limit=options.limit):
                total += report.counts
                if options.all or set(report.counts) - {WORKS, LEFT_OUT}:
                    print(report, flush=True)
    print(dict(total))


if __name__ == "__main__":
    _main()
