"""Pseudo-random numbers: fixed functions of a seed, the call's number, the coordinates and the definition's number.

The permutation polynomial and the order in which it takes its arguments are Halide's (Random.cpp), so that a program
gets the same numbers from both, provided that it makes its Funcs in the same order."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from halide_core.errors import HalideError
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, Call, CallType, Expr, const
from halide_core.ir.operators import as_expr, cast_to
from halide_core.ir.structural import post_order, transform
from halide_core.ir.types import Float, Int, UInt

_CALLS = itertools.count()
_DEFINITIONS = itertools.count()
_NAME = "random"
_U32 = UInt(32)


def next_tag() -> int:
    """The number of a new definition."""
    return next(_DEFINITIONS)


def _random(seed: Any, what: str, allowed: Sequence[Any]) -> Call:
    args: list[Expr] = []
    number = next(_CALLS)
    if seed is not None:
        e = as_expr(seed)
        if e.type not in allowed:
            raise HalideError(f"The seed passed to {what} must have type int32, but {e} has type {e.type}")
        args.append(e)
    return Call(Float(32) if what == "random_float" else _U32, _NAME, (*args, const(number, I32)), CallType.EXTERN)


def random_float(seed: Any = None) -> Expr:
    """A number in [0, 1) for every point of the Func that it stands in."""
    return _random(seed, "random_float", [Int(32)])


def random_uint(seed: Any = None) -> Expr:
    """A uint32 for every point of the Func that it stands in."""
    return _random(seed, "random_uint", [Int(32), _U32])


def random_int(seed: Any = None) -> Expr:
    """An int32 for every point of the Func that it stands in."""
    return ir.Reinterpret(Int(32), _random(seed, "random_int", [Int(32), _U32]))


def lower_random(e: Expr, variables: Sequence[Expr], tag: int) -> Expr:
    """`e`, part of definition number `tag` over `variables`, with its random numbers as arithmetic."""
    if not any(isinstance(n, Call) and n.name == _NAME and n.call_type is CallType.EXTERN for n in post_order(e)):
        return e
    extra = [const(tag, I32), *reversed(variables)]

    def rewrite(n: Expr) -> Expr:
        if not (isinstance(n, Call) and n.name == _NAME and n.call_type is CallType.EXTERN):
            return n
        bits = _mix([*n.args, *extra])
        if n.type == _U32:
            return bits
        # The mantissa of a number in [1, 2).
        fraction = ir.Reinterpret(Float(32), const(127 << 23, _U32) | (bits >> 9)) - 1.0
        return ir.Max(
            fraction.type, ir.Min(fraction.type, fraction, const(1.0, fraction.type)), const(0.0, fraction.type)
        )

    return transform(e, rewrite)


def _permute(x: Expr) -> Expr:
    return (const(1040796640, _U32) * x + const(1121052041, _U32)) * x + const(576942909, _U32)


def _mix(args: Sequence[Expr]) -> Expr:
    out = _permute(cast_to(_U32, args[0]))
    for a in args[1:]:
        out = _permute(out + cast_to(_U32, a))
    return out ^ (out >> 16)
