"""Remainders that are never negative, as C++ writes them: `((i % n) + n) % n`, and `i % n` with n added where it is
less than zero.  Both are Halide's `i % n`, for an n that is positive."""

from __future__ import annotations

from halide_core.ir.expr import GE, I32, LT, Add, Call, Expr, Mod, Select, const_value
from halide_core.ir.structural import key


def euclidean(e: Expr) -> tuple[Expr, Expr] | None:
    """(i % n, n) of an expression that is such a remainder wherever n is positive; None for any other."""
    if e.type != I32:
        return None
    outer = _remainder(e)
    if outer is not None:
        return _moved_up(outer[0], outer[1])
    if isinstance(e, Select) and isinstance(e.condition, LT | GE) and const_value(e.condition.b) == 0:
        yes, no = (e.true_value, e.false_value) if isinstance(e.condition, LT) else (e.false_value, e.true_value)
        plain = _remainder(no)
        if plain is not None and key(e.condition.a) == key(no):
            return _moved_up(yes, plain[1])
    return None


def _moved_up(e: Expr, n: Expr) -> tuple[Expr, Expr] | None:
    """Of `i % n + n`."""
    for a, b in ((e.a, e.b), (e.b, e.a)) if isinstance(e, Add) else ():
        inner = _remainder(a)
        if inner is not None and key(inner[1]) == key(b) == key(n):
            return Mod(I32, inner[0], n), n
    return None


def _remainder(e: Expr) -> tuple[Expr, Expr] | None:
    if isinstance(e, Call) and e.name == "mod_round_to_zero" and e.type == I32 and const_value(e.args[1]) is None:
        return e.args[0], e.args[1]
    return None


__all__ = ["euclidean"]
