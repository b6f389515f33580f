"""Choices by the bits of a number as one comparison: the lanes of a mask that is shifted by a variable number of bytes,
eight, four, two and one at a time, as the tails of rows want it.

    n & 8 ? 0 : n & 4 ? 0 : 255   becomes   (n & 15) < 4 ? 255 : 0"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from halide_core.ir.expr import (
    BOOL,
    EQ,
    LT,
    NE,
    Add,
    Call,
    CallType,
    Cast,
    Expr,
    Mul,
    Select,
    Sub,
    const,
    const_value,
)
from halide_core.ir.structural import key, same
from halide_core.ir.types import Type
from lifter.algebra.fold import fold_node

_MOST = 64
_WIDTH = 16
"""Bytes of a register."""


@dataclass(frozen=True, slots=True)
class _Test:
    """A condition on `number` modulo `modulus`, a power of two."""

    number: Expr
    modulus: int
    holds: Callable[[int], bool]


def as_step(n: Select) -> Expr:
    """A choice among constants by the low bits of one 64-bit number as `select(number % 2**k < t, a, b)`, where it is
    one; else `n` itself."""
    tests: dict[int, _Test] = {}
    if not _collect(n, tests):
        return n
    modulus = max(t.modulus for t in tests.values())
    forms = [_linear(t.number, modulus) for t in tests.values()]
    first = forms[0]
    if first is None or not first.factors or modulus > _MOST:
        return n
    if any(f is None or f.terms() != first.terms() for f in forms):
        return n
    values = [_at(n, tests, v) for v in range(modulus)]
    places = [v for v in range(1, modulus) if values[v] != values[v - 1]]
    if not places:
        return const(values[0], n.type)
    if len(places) > 1:
        return n
    # Below a register's width the number stays whole: more of its bits are to come.
    number = next(iter(tests.values())).number
    rest = first.expression(modulus) if modulus >= _WIDTH else _remainder(number, modulus)
    test = LT(BOOL, rest, const(places[0], rest.type))
    found = Select(n.type, test, const(values[0], n.type), const(values[-1], n.type))
    return n if same(found, n) else found


def _collect(e: Expr, tests: dict[int, _Test]) -> bool:
    """Gathers the conditions of nested choices; whether all is as wanted."""
    if const_value(e) is not None:
        return e.type.is_int_or_uint()
    if not isinstance(e, Select) or len(tests) > 8:
        return False
    number = key(e.condition)
    if number not in tests:
        found = _test(e.condition)
        if found is None:
            return False
        tests[number] = found
    return _collect(e.true_value, tests) and _collect(e.false_value, tests)


def _at(e: Expr, tests: dict[int, _Test], v: int) -> int:
    while isinstance(e, Select):
        t = tests[key(e.condition)]
        e = e.true_value if t.holds(v % t.modulus) else e.false_value
    value = const_value(e)
    assert value is not None
    return int(value)


def _test(condition: Expr) -> _Test | None:
    if isinstance(condition, LT):
        low, bound = _masked(condition.a), const_value(condition.b)
        if low is None or bound is None or (low[1] + 1) & low[1]:
            return None
        return _Test(low[0], low[1] + 1, lambda v: v < bound)
    wanted, tested = True, condition
    if isinstance(condition, EQ | NE) and const_value(condition.b) == 0:
        wanted, tested = isinstance(condition, NE), condition.a
    elif isinstance(condition, Cast) and condition.type.is_bool():
        tested = condition.value
    else:
        return None
    found = _masked(tested)
    if found is None:
        return None
    number, mask = found
    return _Test(number, 1 << mask.bit_length(), lambda v: bool(v & mask) == wanted)


def _masked(e: Expr) -> tuple[Expr, int] | None:
    """(x, m) of `x & m`, for a 64-bit number and a small constant."""
    if isinstance(e, Call) and e.call_type is CallType.INTRINSIC and e.name == "bitwise_and" and _wide(e.type):
        for x, m in (e.args, e.args[::-1]):
            mask = const_value(m)
            if mask is not None and 0 < mask < _MOST:
                return x, int(mask)
    return None


def _wide(t: Type) -> bool:
    return t.is_int_or_uint() and t.bits == 64 and t.is_scalar()


@dataclass(frozen=True, slots=True)
class _Linear:
    """A sum of multiples of 64-bit numbers, modulo a power of two: arithmetic that wraps does not change it."""

    factors: dict[int, tuple[Expr, int]]
    start: int

    def terms(self) -> tuple[object, ...]:
        return (self.start, tuple(sorted((k, c) for k, (_, c) in self.factors.items())))

    def expression(self, modulus: int) -> Expr:
        parts = [fold_node(Mul(e.type, e, const(c, e.type))) if c != 1 else e for e, c in self.factors.values()]
        t = parts[0].type
        total = parts[0]
        for p in parts[1:]:
            total = Add(t, total, p if p.type == t else Cast(t, p))
        if self.start:
            total = Add(t, total, const(self.start, t))
        return _remainder(total, modulus)


def _remainder(e: Expr, modulus: int) -> Expr:
    return Call(e.type, "bitwise_and", (e, const(modulus - 1, e.type)), CallType.INTRINSIC)


def _linear(e: Expr, modulus: int) -> _Linear | None:
    value = const_value(e)
    if value is not None:
        return _Linear({}, int(value) % modulus)
    if not _wide(e.type):
        return None
    if isinstance(e, Cast) and _wide(e.value.type):
        return _linear(e.value, modulus)
    if isinstance(e, Add | Sub):
        a, b = _linear(e.a, modulus), _linear(e.b, modulus)
        return None if a is None or b is None else _sum(a, b, 1 if isinstance(e, Add) else -1, modulus)
    if isinstance(e, Mul):
        for x, factor in ((e.a, const_value(e.b)), (e.b, const_value(e.a))):
            inner = _linear(x, modulus) if factor is not None else None
            if inner is not None:
                return _sum(_Linear({}, 0), inner, int(factor or 0), modulus)
    if isinstance(e, Call) and e.call_type is CallType.INTRINSIC and e.name == "bitwise_and":
        for x, m in (e.args, e.args[::-1]):
            mask = const_value(m)
            if mask is not None and int(mask) % modulus in (0, modulus - 1):
                return _linear(x, modulus) if int(mask) % modulus else _Linear({}, 0)
    return _Linear({key(e): (e, 1)}, 0)


def _sum(a: _Linear, b: _Linear, factor: int, modulus: int) -> _Linear:
    factors = dict(a.factors)
    for k, (e, c) in b.factors.items():
        total = (factors.get(k, (e, 0))[1] + factor * c) % modulus
        factors[k] = (e, total)
        if not total:
            del factors[k]
    return _Linear(factors, (a.start + factor * b.start) % modulus)


__all__ = ["as_step"]
