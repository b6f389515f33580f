"""C's mathematical functions under the names that Halide has for them.

A summary names them as C does (`sqrtf`).  Halide rounds halves to even, which is C's `rint`; C's `round`, which rounds
them away from zero, is no call in a summary but spelled out by the front end."""

from __future__ import annotations

from halide_core.ir.expr import Call

_RENAMED = {"rint": "round", "nearbyint": "round"}


def halide_name(call: Call) -> str:
    """The base name, without a width: "sqrt" for a call of `sqrtf`."""
    base = call.name if call.type.bits == 64 else call.name[:-1]
    return _RENAMED.get(base, base)


def extern_name(call: Call) -> str:
    """The name of the expression language: "sqrt_f32" for a call of `sqrtf`."""
    return f"{halide_name(call)}_f{call.type.bits}"
