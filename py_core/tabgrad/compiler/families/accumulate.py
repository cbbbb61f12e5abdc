"""How each kind of reduction accumulates: its state, how it takes in an element, and how partial results combine."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """One reduction in WGSL."""

    state: tuple[tuple[str, str, str], ...]  # (name, type, initial value)
    step: str  # takes in x, the element with reduced index r
    combine: str  # takes in another thread's <name>_b
    result: str
    step_4: str = ""  # takes in x0 to x3 at once, where that saves work

    def named(self, suffix: str) -> Rule:
        """The same with state variables of its own, so that several can share a loop."""
        names = "|".join(name for name, _, _ in self.state)

        def own(text: str) -> str:
            return re.sub(rf"\b({names})(_b)?\b", rf"\g<1>{suffix}\g<2>", text)

        state = tuple((own(name), kind, initial) for name, kind, initial in self.state)
        return Rule(state, own(self.step), own(self.combine), own(self.result), own(self.step_4))


_LOWEST = {"f32": "-inf_f32()", "i32": "(-2147483647i - 1i)", "u32": "0u"}
_HIGHEST = {"f32": "inf_f32()", "i32": "2147483647i", "u32": "4294967295u"}


def _extreme(sign: str, initial: dict[str, str], t: str) -> Rule:
    nan = "isnan_f32({0})" if t == "f32" else "false"
    return Rule(
        (("s", t, initial[t]),),
        f"if (x {sign} s || {nan.format('x')}) {{ s = x; }}",
        f"if (s_b {sign} s || {nan.format('s_b')}) {{ s = s_b; }}",
        "s",
    )


def _arg_extreme(sign: str, t: str) -> Rule:
    # `at` is 0xffffffff while nothing has been seen; equal values keep the lower index, and NaN wins, as in PyTorch
    unset = "4294967295u"
    beats, equals = f"{{0}} {sign} s", "s_b == s"
    if t == "f32":
        beats = f"({beats} || (isnan_f32({{0}}) && !isnan_f32(s)))"
        equals = f"({equals} || (isnan_f32(s_b) && isnan_f32(s)))"
    return Rule(
        (("s", t, f"{t}(0)"), ("at", "u32", unset)),
        f"if (at == {unset} || {beats.format('x')}) {{ s = x; at = r; }}",
        f"if (at_b != {unset} && (at == {unset} || {beats.format('s_b')} || ({equals} && at_b < at))) "
        "{ s = s_b; at = at_b; }",
        "i32(at)",
    )


def rule(kind: str, t: str, blocked: bool) -> Rule:
    """The rule for elements of WGSL type ``t``; ``blocked``: one thread sums thousands of them."""
    if kind == "sum" and t == "f32" and blocked:
        # a long sum in blocks of 512: rounding errors grow with the number of blocks, not of elements
        return Rule(
            (("s", t, "0.0"), ("part", t, "0.0"), ("taken", "u32", "0u")),
            "part += x; taken += 1u; if ((taken & 511u) == 0u) { s += part; part = 0.0; }",
            "s += s_b; part += part_b;",
            "s + part",
        )
    if kind == "sum":
        return Rule((("s", t, f"{t}(0)"),), "s += x;", "s += s_b;", "s")
    if kind == "prod":
        return Rule((("s", t, f"{t}(1)"),), "s *= x;", "s *= s_b;", "s")
    if kind == "max":
        return _extreme(">", _LOWEST, t)
    if kind == "min":
        return _extreme("<", _HIGHEST, t)
    if kind in ("argmax", "argmin"):
        return _arg_extreme(">" if kind == "argmax" else "<", t)
    if kind == "m2":
        # the sum of squared deviations in one pass (Welford 1962; combined as in Chan, Golub & LeVeque 1979)
        return Rule(
            (("count", "f32", "0.0"), ("mean", "f32", "0.0"), ("s", "f32", "0.0")),
            "count += 1.0; let d = x - mean; mean += d / count; s += d * (x - mean);",
            "let n = max(count + count_b, 1.0); let d = mean_b - mean; mean += d * (count_b / n); "
            "s += s_b + d * d * (count * (count_b / n)); count += count_b;",
            "s",
            "let n = count + 4.0; let share = 4.0 / n; let c = ((x0 + x1) + (x2 + x3)) * 0.25; let d = c - mean; "
            "let d0 = x0 - c; let d1 = x1 - c; let d2 = x2 - c; let d3 = x3 - c; mean += d * share; "
            "s += ((d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3)) + d * d * (count * share); count = n;",
        )
    assert kind == "logsumexp", kind

    # s is the sum of exp(x - top): rescaled whenever a larger element comes (Milakov & Gimelshein 2018)
    def share(x: str, top: str) -> str:
        return f"select(exp_f32({x} - {top}), 1.0, {x} == {top})"  # infinity less itself is no number

    shares = " + ".join(share(f"x{k}", "top") for k in range(4))
    return Rule(
        (("top", "f32", "-3.4028234e38"), ("s", "f32", "0.0")),
        f"if (x > top) {{ s = s * exp(top - x) + 1.0; top = x; }} else {{ s += {share('x', 'top')}; }}",
        f"let high = max(top, top_b); s = s * {share('top', 'high')} + s_b * {share('top_b', 'high')}; top = high;",
        "top + log_ieee(s)",
        "let high = max(max(x0, x1), max(x2, x3)); if (high > top) { s *= exp(top - high); top = high; } "
        f"s += {shares};",
    )
