"""PyTorch's samples for its functions (``op_db``), and what tabgrad makes of each.

    python tests/parity/functions.py nn.functional.conv2d tan      one line for each variant, with the first difference
    python tests/parity/functions.py --missing                     names that are not there


Variants are the function, the method and the method in place; gradients are compared, too, and second ones of the first
samples. Inputs with errors must raise PyTorch's class of error.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import random
import sys
import types
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "py_core")]

import numpy as np
import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

from torch.testing._internal import common_utils

import tabgrad as tg
import tabgrad.nn.functional
from parity.freedom import UP_TO_SIGNS, result_difference
from parity.gradients import gradient_difference
from parity.values import Converter, Function, Unsupported, difference, dtype_of, tensors_in


def _seed(seed: int | None = None) -> None:
    """Before each sample; PyTorch's own way also notes a stack trace for each kind of GPU that is not there."""
    seed = common_utils.SEED if seed is None else seed
    torch.default_generator.manual_seed(seed)
    random.seed(seed)
    np.random.seed(seed)


common_utils.set_rng_seed = _seed
common_utils.extract_test_fn = lambda: None  # it would look for a test of unittest's in each frame

OUT_OF_SCOPE = (
    "fft.", "sparse.", "masked.", "signal.", "jiterator_", "torch.ops.", "torch._", "_", "chalf", "cfloat", "cdouble",
    "complex", "polar", "view_as_complex", "view_as_real", "real", "imag", "resolve_", "conj", "stft", "istft",
    "to_sparse", "hash_tensor", "angle", "sparse_sampled", "geqrf", "ormqr", "linalg.householder", "linalg.ldl",
    "linalg.eig", "linalg.lu_factor_ex", "nn.functional.scaled_dot_product_attention_math",
    "max_pool2d_with_indices_backward", "native_", "nn.functional.linear_cross_entropy",
)  # fmt: skip
IN_SCOPE = ("linalg.eigh", "linalg.eigvalsh")
RANDOM = {
    "bernoulli", "cauchy", "exponential", "geometric", "log_normal", "multinomial", "normal", "rand_like", "randint",
    "randint_like", "randn", "randn_like", "uniform", "empty", "empty_like", "empty_strided", "empty_permuted",
    "new_empty", "new_empty_strided", "nn.functional.dropout", "nn.functional.dropout2d", "nn.functional.dropout3d",
    "nn.functional.alpha_dropout", "nn.functional.feature_alpha_dropout", "nn.functional.rrelu", "svd_lowrank",
    "nn.functional.fractional_max_pool2d", "nn.functional.fractional_max_pool3d", "pca_lowrank",
    "nn.functional.multi_head_attention_forward",
}  # fmt: skip
"""Of these shapes and dtypes are compared, and no values."""

Outcome = str
WORKS, REFUSED, WRONG, CRASHED, LEFT_OUT = "works", "refused", "wrong", "crashed", "left out"
ACCEPTED = "accepted"  # input with an error
SECOND = 2  # samples of a function whose second gradients are compared


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


def _title(op: Any) -> str:
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def in_scope(op: Any) -> bool:
    """Whether an entry is about what tabgrad has: not complex, sparse, FFT or C++ internals."""
    return op.name.startswith(IN_SCOPE) or not op.name.startswith(OUT_OF_SCOPE)


def found(name: str) -> Function | None:
    """tabgrad's function of that name, in the same module."""
    space: Any = tg
    *modules, last = name.split(".")
    for module in modules:
        space = getattr(space, module, None)
    function = getattr(space, last, None)
    return function if callable(function) and not isinstance(function, tg.DType) else None


def is_of_tests(theirs: Any) -> bool:
    """Whether a function is one of PyTorch's tests, which calls PyTorch's."""
    return isinstance(theirs, types.FunctionType) and ".testing." in theirs.__module__


def _written_with(theirs: Function) -> Function | None:
    """A function of PyTorch's tests, which calls PyTorch's, as one that calls tabgrad's; None of another function."""
    if not is_of_tests(theirs):
        return None
    closure = theirs.__closure__ and tuple(types.CellType(_ours(cell.cell_contents)) for cell in theirs.__closure__)
    made = types.FunctionType(
        theirs.__code__, {**theirs.__globals__, "torch": tg}, theirs.__name__, theirs.__defaults__, closure
    )
    made.__kwdefaults__ = theirs.__kwdefaults__
    return made


def _ours(value: Any) -> Any:
    """What a function of PyTorch's tests holds: functions become tabgrad's."""
    if is_of_tests(value):
        return _written_with(value)
    name = getattr(value, "__name__", "")
    known = [getattr(space, name, None) for space in (tg.nn.functional, tg, tg.linalg)]
    return next((k for k in known if k is not None), value) if callable(value) else value


def variants(op: Any) -> dict[str, tuple[Function, Function]]:
    """PyTorch's and tabgrad's forms of a function, by the variant's name; empty if it is not there."""
    result: dict[str, tuple[Function, Function]] = {}
    method = getattr(op.method_variant, "__name__", None)  # partial functions have none
    theirs = op.op
    known, written = found(op.name), _written_with(theirs)
    is_method = hasattr(tg.Tensor, op.name)
    if known is None and not is_method and not (written is not None and (method is None or hasattr(tg.Tensor, method))):
        return {}
    ours = written or known
    if ours is None:
        ours, theirs = getattr(tg.Tensor, op.name), getattr(torch.Tensor, op.name)
    result["function"] = (theirs, ours)
    for kind, form in (("method", op.method_variant), ("in place", op.inplace_variant)):
        if (
            form is not None
            and hasattr(torch.Tensor, getattr(form, "__name__", "_"))
            and not form.__name__.startswith("__")
        ):
            result[kind] = (form, getattr(tg.Tensor, form.__name__, _missing(form.__name__)))
    return result


def _missing(name: str) -> Function:
    def call(*_: Any, **__: Any) -> None:
        raise tg.MissingNameError(f"Tensor has no attribute {name!r}")

    return call


def reports(op: Any, dtype: torch.dtype, *, gradients: bool, limit: int | None, seed: int = 0) -> Iterator[Report]:
    """One for each variant.

    Args:
        limit: how many samples, chosen by the seed; all by default.
    """
    forms = variants(op)
    wants_grad = gradients and op.supports_autograd and dtype.is_floating_point
    for variant, (theirs, ours) in forms.items():
        report = Report(_title(op), variant, str(dtype)[6:])
        torch.default_generator.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            samples = list(enumerate(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=False), 2000)))
        if limit is not None and len(samples) > limit:
            samples = random.Random(seed).sample(samples, limit)
        for n, sample in samples:
            if variant == "in place" and (sample.broadcasts_input or not isinstance(sample.input, torch.Tensor)):
                continue
            again = n < SECOND and variant == "function" and op.supports_gradgrad
            report.add(*outcome(op, theirs, ours, sample, variant, wants_grad, again))
        if report.counts:
            yield report


def errors(op: Any) -> Report | None:
    """What becomes of inputs with errors; None where PyTorch names none."""
    report = Report(_title(op), "errors", "any")
    forms = variants(op)
    if op.error_inputs_func is None or not forms:
        return None
    theirs, ours = forms["function"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for error in itertools.islice(op.error_inputs("cpu"), 200):
            report.add(*_error_outcome(theirs, ours, error))
    return report if report.counts else None


def _error_outcome(theirs: Function, ours: Function, error: Any) -> tuple[str, str]:
    sample, kind = error.sample_input, error.error_type
    convert = Converter()
    try:
        given, keywords = convert([sample.input, *sample.args]), convert(sample.kwargs)
    except (Unsupported, RuntimeError, TypeError, ValueError) as reason:
        return LEFT_OUT, str(reason)
    told = f"{sample.summary()[:300]}"
    try:
        theirs(sample.input, *sample.args, **sample.kwargs)
    except Exception as expected:  # noqa: BLE001 - whatever it is, it is PyTorch's
        words = str(expected)[:120]
    else:
        return LEFT_OUT, "PyTorch raises nothing"
    try:
        ours(*given, **keywords)
    except (tg.TabgradError, NotImplementedError, TypeError, IndexError, ValueError, RuntimeError) as got:
        if isinstance(got, kind):
            return WORKS, ""
        return REFUSED, f"expected {kind.__name__}, got {type(got).__name__}: {str(got)[:200]}; {told}"
    except Exception as got:  # noqa: BLE001 - likewise
        return CRASHED, f"{type(got).__name__}: {str(got)[:200]}; {told}"
    return ACCEPTED, f"PyTorch: {kind.__name__}: {words}; {told}"


def outcome(
    op: Any, theirs: Function, ours: Function, sample: Any, variant: str, wants_grad: bool, again: bool
) -> tuple[str, str]:
    """What became of one sample, and why.

    Args:
        again: whether second gradients are compared.
    """
    told = f"{sample.summary()[:300]}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = (sample.input, *sample.args)
        leaves = list(tensors_in([*values, *sample.kwargs.values()], torch.Tensor))
        if wants_grad and variant != "in place":
            for t in leaves:
                t.requires_grad_(t.is_floating_point())
        convert = Converter(parts=op.name.startswith("as_strided") and variant != "in place")
        try:
            given, keywords = convert(list(values)), convert(sample.kwargs)
        except Unsupported as error:
            return LEFT_OUT, str(error)
        if variant == "in place":
            values = (sample.input.detach().clone(), *values[1:])
        try:
            torch.default_generator.manual_seed(0)
            expected = theirs(*values, **sample.kwargs)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            return LEFT_OUT, f"PyTorch raises {error}"
        if any(t.is_complex() or t.layout is not torch.strided for t in tensors_in(expected, torch.Tensor)):
            return LEFT_OUT, "complex or sparse results"
        try:
            got = ours(*given, **keywords)
            is_random = op.name in RANDOM or bool(sample.kwargs.get("dropout_p"))
            if is_random:
                different = difference(expected, got, only_shape=True)
            else:
                different = result_difference(op.name, values, sample.kwargs, expected, got)
            if different:
                return WRONG, f"{different}; {told}"
            if wants_grad and variant != "in place" and not is_random:
                if op.name in UP_TO_SIGNS:
                    derived = sample.output_process_fn_grad
                    expected, got = derived(expected), (_written_with(derived) or derived)(got)
                call = (theirs, values, sample.kwargs)
                different = gradient_difference(op.name, call, expected, got, leaves, convert, again)
                if different:
                    return WRONG, f"{different}; {told}"
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            kind = REFUSED if isinstance(error, tg.TabgradError | NotImplementedError) else CRASHED
            return kind, f"{type(error).__name__}: {str(error)[:300]}; {told}"
    return WORKS, ""


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of op_db; a trailing * stands for any ending")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--dtypes", default="float32,int64,bool")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--device", default="reference")
    parser.add_argument("--all", action="store_true", help="print what works, too")
    options = parser.parse_args()
    tg.set_default_device(options.device)
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

    def show(report: Report) -> None:
        total.update(report.counts)
        if options.all or set(report.counts) - {WORKS, LEFT_OUT}:
            print(report, flush=True)

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
                show(report)
        if (report := errors(op)) is not None:
            show(report)
    print(dict(total))


if __name__ == "__main__":
    _main()
