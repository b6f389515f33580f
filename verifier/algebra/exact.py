"""Integer expressions of up to 32 bits as polynomials over the mathematical integers, so that one value computed in 16
bits and in 32, by a saturating pack and by a clamp, is one term.

Every node is congruent to its polynomial modulo 2**bits; where the polynomial's interval, moved by a multiple of that,
lies in the range of the type, the two are equal.  Intervals are exact for multilinear polynomials, whose extremes are
at the corners."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from functools import reduce

from halide_core.ir import expr as E
from halide_core.ir.constant_intervals import Range, arithmetic, joined, product
from halide_core.ir.expr import (
    BOOL,
    EQ,
    GE,
    GT,
    I64,
    LE,
    LT,
    NE,
    And,
    Call,
    CallType,
    Cast,
    Div,
    Expr,
    Max,
    Min,
    Reinterpret,
    Select,
    Variable,
    const,
    const_value,
)  # fmt: skip
from halide_core.ir.structural import key, post_order
from halide_core.ir.types import Type
from lifter.algebra.fold import negate
from lifter.algebra.polynomial import Poly, atom_of, from_poly

_LARGEST = 1 << 60
_MOST_CORNERS = 8
_MOST_TERMS = 48
_COMPARISONS = (EQ, NE, LT, LE, GT, GE)


def exact_form(e: Expr, known: Mapping[str, Range] | None = None) -> Expr:
    """`e` in normal form; equal to `e` wherever the variables in `known` lie within their intervals."""
    return _Exact(known or {}).form(e)


def intervals(facts: Sequence[Expr]) -> dict[str, Range]:
    """The intervals of variables that conditions state by comparing them with constants."""
    out: dict[str, Range] = {}
    stack = list(facts)
    while stack:
        fact = stack.pop()
        if isinstance(fact, E.Not) and isinstance(fact.a, E.Or):
            stack += [negate(fact.a.a), negate(fact.a.b)]
        elif isinstance(fact, And):
            stack += [fact.a, fact.b]
        elif isinstance(fact, LT | LE | GT | GE):
            a, b, strict = fact.a, fact.b, isinstance(fact, LT | GT)
            if isinstance(fact, GT | GE):
                a, b = b, a
            # a < b or a <= b
            low, high = const_value(a), const_value(b)
            if isinstance(b, Variable) and low is not None and b.type.is_int_or_uint():
                least, most = out.get(b.name, (b.type.min(), b.type.max()))
                out[b.name] = max(least, int(low) + strict), most
            elif isinstance(a, Variable) and high is not None and a.type.is_int_or_uint():
                least, most = out.get(a.name, (a.type.min(), a.type.max()))
                out[a.name] = least, min(most, int(high) - strict)
    return {name: r for name, r in out.items() if r[0] <= r[1]}


def _is_integer(t: Type) -> bool:
    return t.is_int_or_uint() and not t.is_bool()


class _TooLarge(Exception):
    """A value whose interval is not known, or does not fit 64 bits."""


class _Exact:
    def __init__(self, known: Mapping[str, Range]) -> None:
        self.known = known
        self.forms: dict[int, Expr] = {}
        self.polys: dict[int, Poly] = {}
        self.spans: dict[Poly, Range | None] = {}

    # Forms: expressions in normal form, of the type of what they stand for.

    def form(self, e: Expr) -> Expr:
        for n in post_order(e):
            number = key(n)
            if number not in self.forms:
                if _is_integer(n.type):
                    self.polys[number] = self.congruent(n)
                    self.forms[number] = self.typed(self.exact(n), n.type)
                else:
                    self.forms[number] = self.other(n)
        return self.forms[key(e)]

    def typed(self, p: Poly, t: Type) -> Expr:
        value = p.constant_value()
        if value is not None:
            return const(value, t)
        if list(p.terms.values()) == [1]:
            (m,) = p.terms
            e = atom_of(m[0])
            if len(m) == 1 and e.type == t:
                return e.value if isinstance(e, Reinterpret) and e.value.type == t else e
        whole = from_poly(p)
        return whole if t == I64 else Cast(t, whole)

    def other(self, n: Expr) -> Expr:
        """A node that is no integer: its operands in normal form; comparisons of integers as comparisons with 0."""
        if isinstance(n, _COMPARISONS) and _is_integer(n.a.type):
            return self.comparison(n)
        if isinstance(n, Cast) and n.type.is_float() and _is_integer(n.value.type) and n.value.type.bits <= 32:
            # Conversions to floats round the number, whatever the width that holds it.
            return Cast(n.type, from_poly(self.exact(n.value)))
        return E.with_children(n, tuple(self.forms[key(c)] for c in E.children(n)))

    def comparison(self, n: Expr) -> Expr:
        assert isinstance(n, _COMPARISONS)
        d = self.exact(n.a) - self.exact(n.b)
        if isinstance(n, GT | LE):
            d = d.scale(-1)
        span = self.span(d)
        if span is None:
            return E.with_children(n, tuple(self.forms[key(c)] for c in E.children(n)))
        zero = const(0, I64)
        if isinstance(n, EQ | NE):
            if d.terms and min(d.terms.items())[1] < 0:
                d = d.scale(-1)
            if span == (0, 0) or span[0] > 0 or span[1] < 0:
                return E.make_bool((span == (0, 0)) == isinstance(n, EQ))
            return type(n)(BOOL, from_poly(d), zero)
        # a < b is a - b < 0; a >= b is its negation.
        if span[1] < 0 or span[0] >= 0:
            return E.make_bool((span[1] < 0) == isinstance(n, LT | GT))
        less = LT(BOOL, from_poly(d), zero)
        return less if isinstance(n, LT | GT) else E.Not(BOOL, less)

    # Polynomials.

    def exact(self, n: Expr) -> Poly:
        """The value of an integer node; its polynomial where that is seen to lie in the type's range."""
        whole = self.polys[key(n)]
        size = 1 << n.type.bits
        for p in (whole, _reduced(whole, n.type.bits)):
            span = self.span(p)
            if span is not None:
                move = -((span[0] - n.type.min()) // size) * size
                if span[1] + move <= n.type.max():
                    return p + Poly.constant(move)
        p = whole
        if list(p.terms.values()) == [1] and len(next(iter(p.terms))) == 1:
            (m,) = p.terms
            if atom_of(m[0]).type == n.type:
                return p
        return Poly.atom(Cast(n.type, from_poly(_reduced(p, n.type.bits))))

    def congruent(self, n: Expr) -> Poly:
        """A polynomial that the node's value equals modulo 2**bits; operands are done."""
        value = const_value(n)
        if value is not None:
            return Poly.constant(int(value))
        if n.type.bits <= 32 and all(c.type.bits <= 32 for c in E.children(n)):
            try:
                found = self.arithmetic(n)
            except _TooLarge:
                found = None
            coefficients = list(found.terms.values()) if found is not None else []
            if found is not None and len(coefficients) <= _MOST_TERMS and all(abs(c) < _LARGEST for c in coefficients):
                return found
        whole = E.with_children(n, tuple(self.forms[key(c)] for c in E.children(n)))
        # Nodes of int64 made here are over the integers; those of the program wrap, and are set apart.
        return Poly.atom(Reinterpret(I64, whole) if n.type == I64 else whole)

    def arithmetic(self, n: Expr) -> Poly | None:
        if isinstance(n, E.Add | E.Sub | E.Mul):
            a, b = self.polys[key(n.a)], self.polys[key(n.b)]
            if isinstance(n, E.Mul) and len(a.terms) * len(b.terms) > 4 * _MOST_TERMS:
                return None
            return a + b if isinstance(n, E.Add) else a - b if isinstance(n, E.Sub) else a * b
        if isinstance(n, Cast) and _is_integer(n.value.type):
            return self.polys[key(n.value)] if n.type.bits <= n.value.type.bits else self.exact(n.value)
        if isinstance(n, Min | Max):
            return self.extreme(type(n), self.exact(n.a), self.exact(n.b))
        if isinstance(n, Div):
            divisor = const_value(n.b)
            if divisor is not None and divisor > 0:
                return self.floor(self.exact(n.a), int(divisor))
        if isinstance(n, Select):
            a, b = self.exact(n.true_value), self.exact(n.false_value)
            return self.choice(self.forms[key(n.condition)], a, b)
        if isinstance(n, Call) and n.call_type is CallType.INTRINSIC and all(_is_integer(a.type) for a in n.args):
            return self.intrinsic(n)
        return None

    def choice(self, condition: Expr, a: Poly, b: Poly) -> Poly:
        known = const_value(condition)
        if known is not None:
            return a if known else b
        if a == b:
            return a
        for p in (a, b):
            self.known_span(p)
        if isinstance(condition, E.Not):
            condition, a, b = condition.a, b, a
        return Poly.atom(Select(I64, condition, from_poly(a), from_poly(b)))

    def intrinsic(self, n: Call) -> Poly | None:
        name, t = n.name, n.type
        p = [self.exact(a) for a in n.args]
        amount = p[1].constant_value() if len(p) > 1 else None
        if name == "bitwise_not":
            return Poly.constant(-1) - self.polys[key(n.args[0])]
        if name == "shift_left" and amount is not None and 0 <= amount < t.bits:
            return self.polys[key(n.args[0])].scale(1 << amount)
        if name == "shift_right" and amount is not None and 0 <= amount < t.bits:
            return self.floor(p[0], 1 << amount)
        if name == "bitwise_xor":
            for operand, other in ((n.args[0], p[1]), (n.args[1], p[0])):
                if other.constant_value() in (-1, (1 << t.bits) - 1):
                    return Poly.constant(-1) - self.polys[key(operand)]
            return None
        if name == "bitwise_or":
            return self.disjoint(p[0], p[1]) or self.disjoint(p[1], p[0])
        if name == "bitwise_and":
            for value, mask in ((p[0], p[1].constant_value()), (p[1], p[0].constant_value())):
                if mask is not None and mask > 0 and mask & (mask + 1) == 0:
                    return self.low_bits(value, mask + 1)
            return None
        if name == "div_round_to_zero" and amount is not None and amount > 0:
            span = self.span(p[0])
            return self.floor(p[0], amount) if span is not None and span[0] >= 0 else None
        if name == "saturating_cast":
            return self.clamped(p[0], t)
        if name in ("saturating_add", "saturating_sub"):
            return self.clamped(p[0] + p[1] if name == "saturating_add" else p[0] - p[1], t)
        if name in ("widening_add", "widening_sub", "widening_mul"):
            return p[0] + p[1] if name == "widening_add" else p[0] - p[1] if name == "widening_sub" else p[0] * p[1]
        if name in ("halving_add", "halving_sub"):
            return self.floor(p[0] + p[1] if name == "halving_add" else p[0] - p[1], 2)
        if name == "rounding_halving_add":
            return self.floor(p[0] + p[1] + Poly.constant(1), 2)
        if name == "rounding_shift_right" and amount is not None and 0 < amount < t.bits:
            return self.floor(p[0] + Poly.constant(1 << (amount - 1)), 1 << amount)
        if name == "mul_shift_right":
            shift = p[2].constant_value()
            if shift is not None and 0 <= shift < 32:
                return self.clamped(self.floor(p[0] * p[1], 1 << shift), t)
        if name == "absd":
            return self.extreme(Max, p[0] - p[1], p[1] - p[0])
        if name == "abs":
            return self.extreme(Max, p[0], p[0].scale(-1))
        return None

    def floor(self, p: Poly, divisor: int) -> Poly:
        """floor(p / divisor)."""
        if divisor == 1:
            return p
        low, high = self.known_span(p)
        for half in (0, divisor // 2):
            # Multiples of the divisor, where what is left lies between two neighbouring ones.
            whole = Poly({m: (c + half) // divisor for m, c in p.terms.items()})
            span = self.span(p - whole.scale(divisor))
            if span is not None and span[0] // divisor == span[1] // divisor:
                return whole + Poly.constant(span[0] // divisor)
        whole = Poly.constant(p.terms.get((), 0) // divisor)
        rest = p - whole.scale(divisor)
        quotient = whole + Poly.atom(Div(I64, from_poly(rest), const(divisor, I64)))
        self.spans[quotient] = low // divisor, high // divisor
        return quotient

    def disjoint(self, high: Poly, low: Poly) -> Poly | None:
        """Their sum, where one has only bits below those of the other."""
        span = self.known_span(low)
        unit = math.gcd(*high.terms.values()) if high.terms else 0
        return high + low if span[0] >= 0 and (unit == 0 or span[1] < unit & -unit) else None

    def low_bits(self, p: Poly, size: int) -> Poly:
        span = self.span(p)
        if span is not None and span[0] >= 0 and span[1] < size:
            return p
        return p - self.floor(p, size).scale(size)

    def clamped(self, p: Poly, t: Type) -> Poly:
        limited = self.extreme(Min, p, Poly.constant(t.max()))
        return self.extreme(Max, limited, Poly.constant(t.min()))

    def extreme(self, kind: type[Min] | type[Max], a: Poly, b: Poly) -> Poly:
        (low_a, high_a), (low_b, high_b), (low, high) = (self.known_span(p) for p in (a, b, a - b))
        if min(high, high_a - low_b) <= 0:
            return a if kind is Min else b
        if max(low, low_a - high_b) >= 0:
            return b if kind is Min else a
        first, second = sorted((a, b), key=lambda p: sorted(p.terms.items()))
        return Poly.atom(kind(I64, from_poly(first), from_poly(second)))

    # Intervals.

    def span(self, p: Poly) -> Range | None:
        """An interval that the polynomial's values lie in."""
        if p not in self.spans:
            self.spans[p] = self._span(p)
        return self.spans[p]

    def known_span(self, p: Poly) -> Range:
        span = self.span(p)
        if span is None:
            raise _TooLarge
        return span

    def _span(self, p: Poly) -> Range | None:
        atoms = sorted({a for m in p.terms for a in m})
        bounds = {a: self.bounds(atom_of(a)) for a in atoms}
        found = {a: r for a, r in bounds.items() if r is not None}
        if len(found) < len(bounds):
            return None
        if len(atoms) <= _MOST_CORNERS and all(len(set(m)) == len(m) for m in p.terms):
            values = []
            for corner in itertools.product(*(found[a] for a in atoms)):
                at = dict(zip(atoms, corner, strict=True))
                values.append(sum(c * _product([at[a] for a in m]) for m, c in p.terms.items()))
            span = min(values), max(values)
        else:
            ends = [_scaled(c, [found[a] for a in m]) for m, c in p.terms.items()]
            span = sum(r[0] for r in ends), sum(r[1] for r in ends)
        return span if span[0] > -_LARGEST and span[1] < _LARGEST else None

    def bounds(self, e: Expr) -> Range | None:
        """An interval of an atom."""
        if isinstance(e, Variable) and e.name in self.known:
            return self.known[e.name]
        if e.type != I64 or not isinstance(e, Div | Min | Max | Select):
            return e.type.min(), e.type.max()
        inner = [self.span(_read(c)) for c in E.children(e) if not c.type.is_bool()]
        if any(r is None for r in inner):
            return None
        spans = [r for r in inner if r is not None]
        return joined(*spans) if isinstance(e, Select) else arithmetic(e, spans)


def _read(e: Expr) -> Poly:
    """The polynomial that `from_poly` wrote."""
    value = const_value(e)
    if value is not None:
        return Poly.constant(int(value))
    if e.type == I64 and isinstance(e, E.Add | E.Sub | E.Mul):
        a, b = _read(e.a), _read(e.b)
        return a + b if isinstance(e, E.Add) else a - b if isinstance(e, E.Sub) else a * b
    if isinstance(e, Cast) and e.type == I64:
        return Poly.atom(e.value)
    return Poly.atom(e)


def _reduced(p: Poly, bits: int) -> Poly:
    """The polynomial with coefficients modulo 2**bits, nearest to zero."""
    size = 1 << bits
    return Poly({m: (c + size // 2) % size - size // 2 for m, c in p.terms.items()})


def _product(values: Sequence[int]) -> int:
    out = 1
    for v in values:
        out *= v
    return out


def _scaled(factor: int, parts: Sequence[Range]) -> Range:
    return reduce(product, parts, (factor, factor))
