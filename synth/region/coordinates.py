"""Coordinates of elements in a layout, and coordinates as people write them."""

from __future__ import annotations

from halide_core.ir.expr import I32, Add, Div, Expr, Mod, Mul, const, const_value
from lifter.algebra.polynomial import Poly, atom_of, from_poly, to_poly
from lifter.ir.summary import Layout


def coordinate(p: Poly) -> Expr:
    """The polynomial as an int32 expression with remainders written as such: `a % 64`, whose range is plain to see, for
    `a - a/64*64`."""
    for m, c in p.terms.items():
        for number in m:
            e = atom_of(number)
            divisor = const_value(e.b) if isinstance(e, Div) else None
            if not isinstance(e, Div) or divisor is None or divisor <= 0 or c >= 0 or c % int(divisor):
                continue
            others = Poly({tuple(a for i, a in enumerate(m) if i != m.index(number)): -c // int(divisor)})
            whole = to_poly(e.a) * others
            if all(p.terms.get(k) == v for k, v in whole.terms.items()):
                rest = p - whole - Poly({m: c})
                found: Expr = Mod(I32, from_poly(to_poly(e.a), I32), const(int(divisor), I32))
                found = found if others == Poly.constant(1) else Mul(I32, found, from_poly(others, I32))
                return found if rest.is_zero() else Add(I32, coordinate(rest), found)
    return from_poly(p, I32)


class NoMapping(Exception):
    """A terminal has no place in the dimensions; the text says which."""


def coordinates(index: Poly, layout: Layout, private: tuple[Poly, ...]) -> tuple[Poly, ...]:
    """Coordinates of an element in a layout, by division by the strides.  Raises NoMapping."""
    rest = index - layout.offset
    out: list[Poly] = []
    hidden = list(private)
    for d in reversed(layout.dims):
        if d.stride is None:
            out.append(hidden.pop(0))
            continue
        if d.stride == Poly.constant(1):
            q, rest = rest, Poly()
        else:
            q, rest = rest.divide_by(d.stride)
        out.append(q)
    if not rest.is_zero():
        raise NoMapping(f"element {index} is no point of {layout.array}")
    return tuple(reversed(out))
