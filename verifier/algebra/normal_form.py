"""A normal form for the integer arithmetic inside values, so that equal coordinates are equal terms."""

from __future__ import annotations

from dataclasses import replace

from halide_core.ir.expr import Add, Expr, Load, Mul, Sub, Variable
from halide_core.ir.structural import contains, transform
from lifter.algebra.polynomial import Poly, from_poly


def normal_form(e: Expr) -> Expr:
    """`e` with sums and products of 32- and 64-bit integers over counters and coordinates in polynomial normal form,
    and all of those in addresses that are made of data.

    Exact for wrapping arithmetic: only operations of one type are regrouped, modulo 2**bits."""

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, Load) and contains(n.index, Load):
            return replace(n, index=transform(n.index, regrouped))
        return n if _has_load(n) else regrouped(n)

    def regrouped(n: Expr) -> Expr:
        whole = isinstance(n, Add | Sub | Mul) and n.type.is_int_or_uint() and n.type.bits >= 32
        return from_poly(_polynomial(n), n.type) if whole else n

    return transform(e, rewrite)


def _polynomial(e: Expr) -> Poly:
    if isinstance(e, Add):
        return _polynomial(e.a) + _polynomial(e.b)
    if isinstance(e, Sub):
        return _polynomial(e.a) - _polynomial(e.b)
    if isinstance(e, Mul):
        return _polynomial(e.a) * _polynomial(e.b)
    from halide_core.ir.expr import const_value

    value = const_value(e)
    if value is not None:
        return Poly.constant(int(value))
    return Poly.atom(e)


def _has_load(e: Expr) -> bool:
    return contains(e, Load) or not contains(e, Variable)
