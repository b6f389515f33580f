"""Reductions inside expressions: sum, product, minimum, maximum over an RDom."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from halide_core.dsl.func import Func
from halide_core.dsl.functions import max as expr_max
from halide_core.dsl.functions import min as expr_min
from halide_core.dsl.variables import DOMAINS, Var
from halide_core.ir.expr import Expr, FloatImm, Variable, const
from halide_core.ir.operators import as_expr
from halide_core.ir.structural import post_order
from halide_core.ir.types import Type

_COUNTER = itertools.count()


def _reduce(name: str, value: Any, initial: Callable[[Type], Expr], step: Callable[[Expr, Expr], Expr]) -> Expr:
    e = as_expr(value)
    free: list[str] = []
    for n in post_order(e):
        if isinstance(n, Variable) and n.name not in DOMAINS and n.name not in free and _is_var(n):
            free.append(n.name)
    f = Func(f"{name}${next(_COUNTER)}")
    args = tuple(Var(n) for n in free)
    f[args] = initial(e.type)
    f[args] = step(f[args]._as_expr(), e)
    f.compute_root()
    return f[args]._as_expr()


def _is_var(n: Variable) -> bool:
    from halide_core.dsl.variables import PARAMS

    return n.name not in PARAMS and "." not in n.name


def _least(t: Type) -> Expr:
    return FloatImm(t, float("-inf")) if t.is_float() else const(t.min(), t)


def _greatest(t: Type) -> Expr:
    return FloatImm(t, float("inf")) if t.is_float() else const(t.max(), t)


def sum(value: Any, name: str = "sum") -> Expr:
    """The sum over the RDom of `value`, in its type."""
    return _reduce(name, value, lambda t: const(0, t), lambda a, b: a + b)


def product(value: Any, name: str = "product") -> Expr:
    return _reduce(name, value, lambda t: const(1, t), lambda a, b: a * b)


def minimum(value: Any, name: str = "minimum") -> Expr:
    return _reduce(name, value, _greatest, expr_min)


def maximum(value: Any, name: str = "maximum") -> Expr:
    return _reduce(name, value, _least, expr_max)
