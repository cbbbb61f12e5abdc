"""PyTorch's samples for its modules (``module_db``), and what tabgrad makes of each.

    python tests/parity/modules.py nn.LSTM nn.Conv*      one line for each class and mode, with the first difference
    python tests/parity/modules.py --missing             classes that are not there

Each is made with the same arguments and the same state; output, gradients of inputs and parameters, and buffers are
compared, in training and in evaluation. So are the names, shapes and dtypes of all parameters and buffers: as made, of
a copy, and in other dtypes; and the text of ``repr``. Inputs with errors must raise PyTorch's class of error.
"""

from __future__ import annotations

import argparse
import collections
import copy
import fnmatch
import itertools
import random
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[1]), str(Path(__file__).resolve().parents[2] / "py_core")]

import torch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_modules import ModuleErrorEnum, module_db

import tabgrad as tg
from parity.functions import ACCEPTED, CRASHED, LEFT_OUT, REFUSED, WORKS, WRONG, Report
from parity.values import Converter, Unsupported, difference, dtype_of, tensors_in

OUT_OF_SCOPE = ("nn.quantized", "torch.ao")
MOST = 500  # samples of a class and mode
RANDOM = ("Dropout", "RReLU", "FractionalMaxPool")
"""Of these, in training, shapes alone are compared."""


def found(name: str) -> Any:
    """tabgrad's class of that name, such as ``nn.Linear``."""
    return getattr(tg.nn, name.rpartition(".")[2], None)


def outcome(name: str, theirs_class: Any, ours_class: Any, sample: Any, train: bool) -> tuple[str, str]:
    """What became of one sample, and why."""
    made, given = sample.constructor_input, sample.forward_input
    told = f"{made.args} {made.kwargs} of {_shapes(given.args)}"[:300]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        convert = Converter()
        try:
            torch.manual_seed(0)
            theirs = theirs_class(*made.args, **made.kwargs).train(train)
            arguments, keywords = convert(list(made.args)), convert(dict(made.kwargs))
            inputs = convert(list(given.args))
            options = convert(dict(given.kwargs))
        except Unsupported as error:
            return LEFT_OUT, str(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            return LEFT_OUT, f"PyTorch raises {error}"
        try:
            arguments = [_ours(v) for v in arguments]
            keywords = {k: _ours(v) for k, v in keywords.items()}
            ours = ours_class(*arguments, **keywords).train(train)
            if different := _layout_difference(theirs, ours):
                return WRONG, f"{different}; {told}"
            if any(map(_is_unknown, [*theirs.parameters(), *theirs.buffers()])):
                theirs(*given.args, **given.kwargs)
                ours(*inputs, **options)
            state = {n: convert(t) for n, t in theirs.state_dict().items()}
            ours.load_state_dict(state)
            try:
                torch.manual_seed(0)
                expected = theirs(*given.args, **given.kwargs)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
                return LEFT_OUT, f"PyTorch raises {error}"
            got = ours(*inputs, **options)
            only_shape = train and any(word in name for word in RANDOM)
            different = difference(expected, got, only_shape)
            if not different and not only_shape:
                different = _state_difference(theirs, ours) or _gradients(theirs, ours, expected, got, given, convert)
            return (WRONG, f"{different}; {told}") if different else (WORKS, "")
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            kind = REFUSED if isinstance(error, tg.TabgradError | NotImplementedError) else CRASHED
            return kind, f"{type(error).__name__}: {str(error)[:300]}; {told}"


def _shapes(values: Any) -> list[Any]:
    return [tuple(t.shape) for t in tensors_in(list(values), torch.Tensor)]


def _ours(value: Any) -> Any:
    """Functions and layers among the arguments, as tabgrad's."""
    if isinstance(value, torch.nn.TransformerEncoderLayer | torch.nn.TransformerDecoderLayer):
        attention = value.self_attn
        return getattr(tg.nn, type(value).__name__)(
            attention.embed_dim, attention.num_heads, value.linear1.out_features, attention.dropout,
            _ours(value.activation), value.norm1.eps, attention.batch_first, value.norm_first,
            value.linear1.bias is not None,
        )  # fmt: skip
    if isinstance(value, torch.nn.Module):
        return getattr(tg.nn, type(value).__name__)()
    of_torch = getattr(value, "__module__", None) in ("torch.nn.functional", "torch._C._nn", "torch")
    return getattr(tg.nn.functional, value.__name__, value) if callable(value) and of_torch else value


def _layout(module: Any) -> list[Any]:
    """Names of all that a module has, with shapes and dtypes; int64 is int32 here."""

    def of(tensors: Any) -> list[Any]:
        return [
            (n, None if _is_unknown(t) else tuple(t.shape), str(t.dtype).rpartition(".")[2].replace("int64", "int32"))
            for n, t in tensors
        ]

    shown = [of(module.named_parameters()), of(module.named_buffers()), [n for n, _ in module.named_modules()]]
    return [*shown, *module.state_dict()]


def _is_unknown(tensor: Any) -> bool:
    """Whether a lazy layer's first input gives it its shape."""
    return "Uninitialized" in type(tensor).__name__


def _layout_difference(theirs: Any, ours: Any) -> str | None:
    """In ``repr``, and in the names, shapes and dtypes: as made, of a copy, and of other dtypes."""
    if repr(theirs) != repr(ours):
        return f"repr: expected {theirs!r}, got {ours!r}"
    forms: list[tuple[str, Any]] = [("made", lambda m: m), ("a copy", copy.deepcopy)]
    for kind in (torch.float16, torch.float64):
        try:
            mine = dtype_of(kind)
        except Unsupported:
            continue
        forms.append((str(kind), lambda m, t=kind, o=mine: copy.deepcopy(m).to(t if m is theirs else o)))
    for name, form in forms:
        expected, got = _layout(form(theirs)), _layout(form(ours))
        if expected != got:
            pairs = itertools.zip_longest(expected, got)
            return f"names, shapes and dtypes ({name}): " + str(next((e, g) for e, g in pairs if e != g))
    return None


def _state_difference(theirs: Any, ours: Any) -> str | None:
    mine = ours.state_dict()
    for n, value in theirs.state_dict().items():
        if different := difference(value, mine[n], where=n):
            return different
    return None


def _gradients(theirs: Any, ours: Any, expected: Any, got: Any, given: Any, convert: Converter) -> str | None:
    outs = [(e, g) for e, g in zip(_flat(expected, torch.Tensor), _flat(got, tg.Tensor), strict=True)]
    outs = [(e, g) for e, g in outs if e.requires_grad]
    leaves = [t for t in _flat([*given.args, *given.kwargs.values()], torch.Tensor) if t.requires_grad]
    mine = dict(ours.named_parameters())
    pairs = [(f"gradient of input {n}", t, convert(t)) for n, t in enumerate(leaves)]
    pairs += [(f"gradient of {n}", p, mine[n]) for n, p in theirs.named_parameters()]
    if not outs or not pairs:
        return None
    if any(not g.requires_grad for _, g in outs):
        return "gradient: expected a result that requires grad, got one that does not"
    torch.manual_seed(1)
    seeds = [torch.randn(e.shape).to(e.dtype) for e, _ in outs]
    wanted = torch.autograd.grad([e for e, _ in outs], [t for _, t, _ in pairs], seeds, allow_unused=True)
    found = tg.autograd.grad(
        [g for _, g in outs], [t for _, _, t in pairs], [convert(s) for s in seeds], allow_unused=True
    )
    for (name, _, _), e, g in zip(pairs, wanted, found, strict=True):
        if e is None or g is None:
            filled = e if g is None else g
            if filled is None or not bool((filled != 0).any()):
                continue
            return f"{name}: expected {'None' if e is None else 'a tensor'}, got {'None' if g is None else 'one'}"
        if different := difference(e, g, where=name):
            return different
    return None


def _flat(value: Any, kind: type) -> list[Any]:
    values = [*value.values()] if isinstance(value, dict) else value
    return list(tensors_in(list(values) if isinstance(values, tuple | list) else values, kind))


def error_outcome(theirs_class: Any, ours_class: Any, error: Any) -> tuple[str, str]:
    """What became of one input with an error."""
    sample, kind = error.module_error_input, error.error_type
    made, given = sample.constructor_input, sample.forward_input
    calls = error.error_on is ModuleErrorEnum.FORWARD_ERROR
    told = f"{made.args} {made.kwargs} of {_shapes(given.args) if calls else []}"[:300]
    convert = Converter()
    try:
        arguments = convert([list(made.args), dict(made.kwargs)])
        inputs = convert([list(given.args), given.kwargs]) if calls else []
    except Unsupported as reason:
        return LEFT_OUT, str(reason)
    try:
        module = ours_class(*map(_ours, arguments[0]), **{k: _ours(v) for k, v in arguments[1].items()})
        if calls:
            module(*inputs[0], **inputs[1])
    except (tg.TabgradError, NotImplementedError, TypeError, IndexError, ValueError, RuntimeError) as got:
        if isinstance(got, kind):
            return WORKS, ""
        return REFUSED, f"expected {kind.__name__}, got {type(got).__name__}: {str(got)[:200]}; {told}"
    except Exception as got:  # noqa: BLE001 - whatever it is, it is counted
        return CRASHED, f"{type(got).__name__}: {str(got)[:200]}; {told}"
    return ACCEPTED, f"PyTorch: {kind.__name__}: {error.error_regex}; {told}"


def in_scope() -> list[Any]:
    """Entries of ``module_db`` that are not quantized."""
    return [info for info in module_db if not info.name.startswith(OUT_OF_SCOPE)]


def reports(info: Any, *, limit: int | None = None, seed: int = 0) -> Iterator[Report]:
    """One for each mode, and one for inputs with errors; none for a class that is not there.

    Args:
        limit: how many samples, chosen by the seed; the first ``MOST`` by default.
    """
    ours = found(info.name)
    if ours is None:
        return
    keywords = {"device": "cpu", "dtype": torch.float32, "requires_grad": True}
    for train in (True, False) if info.train_and_eval_differ else (True,):
        torch.manual_seed(0)
        samples = list(itertools.islice(info.module_inputs_func(info, training=train, **keywords), MOST))
        if limit is not None and len(samples) > limit:
            samples = random.Random(seed).sample(samples, limit)
        report = Report(info.name, "training" if train else "evaluation", "float32")
        for sample in samples:
            report.add(*outcome(info.name, info.module_cls, ours, sample, train))
        yield report
    if info.module_error_inputs_func is not None:
        report = Report(info.name, "errors", "float32")
        for error in info.module_error_inputs_func(info, training=True, **keywords):
            report.add(*error_outcome(info.module_cls, ours, error))
        yield report


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of module_db; a trailing * stands for any ending")
    parser.add_argument("--missing", action="store_true")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--device", default="reference")
    parser.add_argument("--all", action="store_true", help="print what works, too")
    options = parser.parse_args()
    tg.set_default_device(options.device)
    names = options.names or ["*"]
    infos = [info for info in in_scope() if any(fnmatch.fnmatch(info.name, n) for n in names)]
    if options.missing:
        print(" ".join(sorted({info.name for info in infos if found(info.name) is None})))
        return
    total: collections.Counter[str] = collections.Counter()
    for info in infos:
        if found(info.name) is None:
            print(f"{info.name}: not there")
        for report in reports(info, limit=options.limit):
            total += report.counts
            if report.counts and (options.all or set(report.counts) - {WORKS, LEFT_OUT}):
                print(report, flush=True)
    print(dict(total))


if __name__ == "__main__":
    _main()
