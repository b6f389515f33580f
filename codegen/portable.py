"""Expressions in the part of the language in which the package `halide` means the same for all values.

The language here defines what Halide leaves undefined (docs/language.md).  Each rule replaces an operation by others
that are equal to it in the language, and of which the package makes the same: none is applied where intervals show that
it would change nothing.  What is printed is what these rules leave, node for node (`codegen/reading.py`)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet

from codegen.held import held
from codegen.intervals import Intervals
from codegen.portable_casts import converted, from_float
from codegen.portable_math import called
from halide_core.ir import expr as E
from halide_core.ir.constant_intervals import Range
from halide_core.ir.expr import (
    BOOL,
    Call,
    CallType,
    Cast,
    Expr,
    Select,
    Variable,
    children,
    const,
    const_value,
    intrinsic,
    with_children,
)
from halide_core.ir.operators import cast_to
from halide_core.ir.structural import cached, key
from halide_core.ir.types import Type, UInt
from lifter.ir.summary import Layout

Plain = Callable[[Expr], bool]
"""Whether the arithmetic of an operation is taken not to wrap."""
_SHIFTS = ("shift_left", "shift_right")
_MIRRORED: dict[type[Expr], Callable[[Type, Expr, Expr], Expr]] = {
    E.LT: E.GT, E.LE: E.GE, E.GT: E.LT, E.GE: E.LE, E.EQ: E.EQ, E.NE: E.NE,
}
_QUOTIENTS = ("div_round_to_zero", "mod_round_to_zero")


class Portable:
    """Rewrites what one definition computes; `known` has intervals of its variables, `boxes` what is read."""

    def __init__(
        self, known: Mapping[str, Range] | None = None, boxes: Mapping[str, Layout] | None = None,
        tight: AbstractSet[str] = frozenset(),
    ) -> None:
        self.intervals = Intervals(known or {})
        self.boxes, self.tight = boxes or {}, tight
        self._done: dict[tuple[int, Plain], Expr] = {}

    def value(self, e: Expr) -> Expr:
        """What is stored, or decides what is stored."""
        return self._rewritten(e, _never)

    def coordinate(self, e: Expr) -> Expr:
        """What says where: its arithmetic on coordinates and parameters does not wrap (docs/soundness.md), and Halide
        must see its bounds."""
        return self._rewritten(e, _has_index)

    def condition(self, e: Expr) -> Expr:
        """The condition of a reduction domain, of which Halide takes bounds; what it reads is as any value."""
        return self._rewritten(e, _only_index)

    def _rewritten(self, e: Expr, place: Plain) -> Expr:
        stack = [e]
        while stack:
            n = stack[-1]
            if (key(n), place) in self._done:
                stack.pop()
                continue
            if is_read(n):
                assert isinstance(n, Call)
                new = with_children(n, held(n, tuple(self.coordinate(a) for a in n.args), self.boxes, self.tight))
            else:
                missing = [c for c in children(n) if (key(c), place) not in self._done]
                if missing:
                    stack += missing
                    continue
                inner = tuple(self._done[key(c), place] for c in children(n))
                new = self._one(n, inner, place(n))
            self._done[key(n), place] = new
            stack.pop()
        return self._done[key(e), place]

    def _one(self, n: Expr, inner: tuple[Expr, ...], plain: bool) -> Expr:
        """`n`, whose operands have become `inner`; `plain` where its arithmetic does not wrap."""
        value = const_value(n)
        if value is not None:
            return _constant(n, value)
        if isinstance(n, E.Add | E.Sub | E.Mul) and may_overflow(n.type):
            safe = plain or not self.intervals.wraps(n)
            return with_children(n, inner) if safe else _wrapping(type(n), n.type, *inner)
        if type(n) in _MIRRORED and const_value(inner[0]) is not None and const_value(inner[1]) is None:
            # Python gives the literal's comparison to the other operand.
            return self._one(_MIRRORED[type(n)](BOOL, *reversed(children(n))), inner[::-1], plain)
        if isinstance(n, E.LE | E.GE) and n.a.type.is_float():
            return self._ordered(n, inner)
        if isinstance(n, Cast):
            return self._cast(n, inner[0])
        if isinstance(n, Call) and n.call_type is CallType.INTRINSIC and n.name in _SHIFTS:
            return self._shift(n, inner, plain)
        if isinstance(n, Call) and n.call_type is CallType.INTRINSIC and n.name in _QUOTIENTS:
            return self._quotient(n, inner)
        if isinstance(n, Call) and n.call_type is CallType.INTRINSIC and n.name == "abs" and n.type.is_float():
            return _magnitude(n, inner[0])
        if isinstance(n, Call) and n.call_type in (CallType.PURE_EXTERN, CallType.EXTERN):
            return called(n, inner)
        return with_children(n, inner)

    def _ordered(self, n: E.LE | E.GE, inner: tuple[Expr, ...]) -> Expr:
        """a <= b of floats: the package takes it for !(b < a), which a NaN makes true."""
        if self.intervals.real(n.a) is not None and self.intervals.real(n.b) is not None:
            return with_children(n, inner)
        strictly = E.LT if isinstance(n, E.LE) else E.GT
        return E.Or(BOOL, strictly(BOOL, *inner), E.EQ(BOOL, *inner))

    def _cast(self, n: Cast, inner: Expr) -> Expr:
        if n.type.is_bool() and not n.value.type.is_bool():
            return E.NE(BOOL, inner, const(0, inner.type))  # the package's takes the lowest bit
        if n.type.is_int_or_uint() and n.value.type.is_float():
            low, high = self.intervals.real(n.value) or (-math.inf, math.inf)
            if n.type.min() - 1 < low and high < n.type.max() + 1:
                return with_children(n, (inner,))
            return from_float(n.type, inner, (low, high))
        if not n.type.is_int_or_uint():
            return cast_to(n.type, inner)
        low, high = self.intervals.integer(n.value)
        return cast_to(n.type, inner) if n.type.min() <= low and high <= n.type.max() else converted(n.type, inner)

    def _shift(self, n: Call, inner: tuple[Expr, ...], plain: bool) -> Expr:
        """Shifts by amounts within the width only, to the side that they say."""
        a, b = inner
        left = n.name == "shift_left"
        low, high = self.intervals.integer(n.args[1])
        safe = plain or not self.intervals.wraps(n)
        forwards = _shifted(a, b, left, (low, high), safe) if high >= 0 else None
        if low >= 0:
            assert forwards is not None
            return forwards
        count = Cast(UInt(b.type.bits), b)
        back = _wrapping(E.Sub, count.type, const(0, count.type), count)
        width = 1 << (b.type.bits - 1) if low < -(1 << 62) else -low
        backwards = _shifted(a, back, not left, (max(-high, 0), width), False)
        if const_value(b) is not None:
            backwards = _shifted(a, const(-int(const_value(b) or 0), count.type), not left, (-high, -low), False)
        if forwards is None:
            return backwards
        return Select(n.type, E.LT(BOOL, b, const(0, b.type)), backwards, forwards)

    def _quotient(self, n: Call, inner: tuple[Expr, ...]) -> Expr:
        """Halide traps on zero divisors and on INT_MIN / -1, and evaluates both sides of a select."""
        a, b = inner
        low, high = self.intervals.integer(n.args[1])
        least, minus = n.type.min(), const(-1, n.type)
        overflows = n.type.is_int() and low <= -1 <= high and self.intervals.integer(n.args[0])[0] == least
        unsafe: list[Expr] = []
        if low <= 0 <= high:
            unsafe.append(E.EQ(BOOL, b, const(0, n.type)))
        if overflows:
            unsafe.append(E.And(BOOL, E.EQ(BOOL, b, minus), E.EQ(BOOL, a, const(least, n.type))))
        if not unsafe:
            return with_children(n, inner)
        condition = unsafe[0] if len(unsafe) == 1 else E.Or(BOOL, *unsafe)
        # By one: INT_MIN is its own quotient, and the remainder is 0.
        safe = with_children(n, (a, Select(n.type, condition, const(1, n.type), b)))
        if n.name == "mod_round_to_zero" or not low <= 0 <= high:
            return safe
        return Select(n.type, E.EQ(BOOL, b, const(0, n.type)), const(0, n.type), safe)


def is_read(n: Expr) -> bool:
    """Whether `n` is a value of an image or of a Func."""
    return isinstance(n, Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE)


def may_overflow(t: Type) -> bool:
    """Whether arithmetic of a type is undefined in Halide where its result does not fit."""
    return t.is_int() and t.bits >= 32


_INDEX: dict[int, bool] = {}
_DATA: dict[int, bool] = {}


def _has_index(e: Expr) -> bool:
    """Whether a coordinate or a parameter is among what is computed with, outside of reads."""
    return cached(_INDEX, e, lambda n, inner: isinstance(n, Variable) or (not is_read(n) and any(inner)))


def _only_index(e: Expr) -> bool:
    """Whether nothing but coordinates and parameters is computed with."""
    return not cached(_DATA, e, lambda n, inner: is_read(n) or n.type.is_float() or any(inner))


def _never(e: Expr) -> bool:
    return False


def _constant(n: Expr, value: int | float) -> Expr:
    if not n.type.is_float() or value != 0 or math.copysign(1.0, value) > 0:
        return n
    # The package takes it for 0.0 where both occur.
    bits = UInt(n.type.bits)
    return E.Reinterpret(n.type, const(1 << (n.type.bits - 1), bits))


def _unsigned(e: Expr) -> Expr:
    t = UInt(e.type.bits)
    return e.value if isinstance(e, Cast) and e.value.type == t else converted(t, e)


def _wrapping(node: Callable[[Type, Expr, Expr], Expr], t: Type, a: Expr, b: Expr) -> Expr:
    """The sum, difference or product modulo the range of `t`: unsigned numbers wrap in Halide too."""
    return cast_to(t, node(UInt(t.bits), _unsigned(a), _unsigned(b)))


def _shifted(a: Expr, b: Expr, left: bool, amounts: Range, safe: bool) -> Expr:
    """`a` shifted by `b`, of which amounts beyond the width shift everything out and negative ones do not count."""
    t, bits = a.type, a.type.bits
    name = "shift_left" if left else "shift_right"
    value = const_value(b)
    if value is not None and value >= bits:
        b = const(bits - 1, UInt(bits))
    elif value is not None:
        b = const(int(value), UInt(bits))
    beyond = amounts[1] >= bits
    held = b
    if beyond and value is None:
        held = E.Min(b.type, b, const(bits - 1, b.type))
        if amounts[0] < 0:
            held = E.Max(b.type, held, const(0, b.type))
    elif amounts[0] < 0 and value is None:
        held = E.Max(b.type, b, const(0, b.type))
    if left and may_overflow(t) and not (safe and not beyond):
        shifted = cast_to(t, intrinsic(name, UInt(bits), _unsigned(a), held))
    else:
        shifted = intrinsic(name, t, a, held)
    if not beyond or (t.is_int() and not left):
        return shifted
    none = const(0, t)
    return none if value is not None else Select(t, E.LT(BOOL, b, const(bits, b.type)), shifted, none)


def _magnitude(n: Call, a: Expr) -> Expr:
    """|a|: the package's own for 64 bits, where floats are strict, is x > 0 ? x : -x: wrong signs of zeros and NaNs."""
    if n.type.bits != 64:
        return with_children(n, (a,))
    bits = UInt(64)
    one = const(1, bits)
    shifted = intrinsic("shift_left", bits, E.Reinterpret(bits, a), one)
    return E.Reinterpret(n.type, intrinsic("shift_right", bits, shifted, one))
