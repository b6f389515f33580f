"""Where the package `halide` computes something else than what was proved, whatever is written."""

from __future__ import annotations

from codegen.plan import plan_path, used_functions
from codegen.portable_math import base_of, is_missing
from codegen.printed import printed_body, printed_definition, printed_result
from halide_core.ir.expr import Call, CallType, Expr
from halide_core.ir.structural import post_order
from lifter.summary import Summary

_OWN = {"exp_f32", "log_f32", "pow_f32"}
"""Functions for which the package has polynomials of its own."""


def differences(summary: Summary) -> list[str]:
    """What differs under the package `halide`, a phrase each; nothing for most functions."""
    missing, own, rounded = set(), set(), set()
    for e in _printed(summary):
        for n in post_order(e):
            if not isinstance(n, Call) or n.call_type is not CallType.PURE_EXTERN:
                continue
            if is_missing(n):
                missing.add(base_of(n))
            elif n.name in _OWN:
                own.add(base_of(n))
    for number in range(len(summary.paths)):
        rounded |= {p.name for p in plan_path(summary, number).parameters if p.type.is_float() and p.type.bits == 64}
    found = [f"there is no {name}, so that it runs under `halide_core` only" for name in sorted(missing)]
    found += [f"{name} differs from the C library's in the last places" for name in sorted(own)]
    return found + [f"`Param.set` rounds {name} to float32" for name in sorted(rounded)]


def _printed(summary: Summary) -> list[Expr]:
    out = [printed_body(f) for f in used_functions(summary)]
    for number, path in enumerate(summary.paths):
        for f in path.funcs:
            for d in f.definitions:
                made = printed_definition(path, f, d)
                out += [made.value, *made.args, *([made.where] if made.where is not None else [])]
        if path.result is not None:
            out.append(printed_result(plan_path(summary, number)))
    return out


