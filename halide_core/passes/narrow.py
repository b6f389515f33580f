"""Integer arithmetic moved to the narrowest type in which it is exact.

    uint8(max(min(2*int32(a) - (int32(b) + int32(c))/9, 255), 0))   with a, b, c of uint8

runs in int16: every intermediate value fits, so nothing wraps in either type and the result is the same.  C's
promotions to int cost vectors two thirds of their lanes otherwise."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir.constant_intervals import Range, asked, full, inside, joined
from halide_core.ir.expr import Call, CallType, Expr, const, const_value, intrinsic
from halide_core.ir.operators import cast_to
from halide_core.ir.structural import cached, transform
from halide_core.ir.types import Int, Type, UInt
from halide_core.passes.low_bits import LowBits, has_data

_CANDIDATES = (UInt(8), Int(8), UInt(16), Int(16))
_ASKED = frozenset({
    "abs", "absd", "saturating_cast", "shift_left", "shift_right", "bitwise_and", "bitwise_or", "bitwise_xor",
    "div_round_to_zero", "widening_add", "widening_sub", "widening_mul",
})  # fmt: skip
_COMPARISONS = (ir.EQ, ir.NE, ir.LT, ir.LE, ir.GT, ir.GE)


def narrow(e: Expr) -> Expr:
    """An expression of the same type and value as the scalar `e`."""
    narrower = _Narrower()
    e = transform(e, narrower.boundary)
    if _is_operation(e) and e.type.bits >= 32:
        found = narrower.smallest(e)
        return ir.Cast(e.type, found) if found is not None else narrower.inside(e)
    return e


def _is_truth(e: Expr) -> bool:
    """Whether `e` is 1 where a condition holds, else 0, which every integer holds."""
    return isinstance(e, ir.Cast) and e.value.type.is_bool() and e.type.is_int_or_uint()


def _is_operation(e: Expr) -> bool:
    return e.type.is_int_or_uint() and not e.type.is_bool() and isinstance(e, ir._Binary | ir.Select | Call)


def value_range(e: Expr) -> Range | None:
    """Inclusive bounds of an integer's value, by interval arithmetic; None when unknown."""
    return cached(_RANGES, e, _range_of)


_RANGES: dict[int, Range | None] = {}


def _own(t: Type) -> Range | None:
    return full(t) if t.is_int_or_uint() and t.bits <= 16 else None


def _range_of(e: Expr, parts: list[Range | None]) -> Range | None:
    t = e.type
    if not t.is_int_or_uint() or not t.is_scalar():
        return None
    if isinstance(e, ir.IntImm | ir.UIntImm):
        return e.value, e.value
    if isinstance(e, ir.Load) or (isinstance(e, Call) and e.call_type is not CallType.INTRINSIC):
        return _own(t)
    found = _exact_range(e, parts)
    return found if found is not None and inside(found, t) else _own(t)


def cannot_wrap(e: Expr) -> bool:
    """Whether the operation `e` gives its exact mathematical value, so that a wider or narrower type may compute it.

    A byte's sum is in the byte's range because it wraps; that range says nothing of the sum's exact value."""
    found = _exact_range(e, [value_range(c) for c in ir.children(e)])
    return found is not None and inside(found, e.type)


def _exact_range(e: Expr, parts: list[Range | None]) -> Range | None:
    """Where the exact value of `e` lies, before it wraps."""
    spans = [r for r in (parts[1:] if isinstance(e, ir.Select) else parts) if r is not None]
    if isinstance(e, ir.Select):
        return joined(*spans) if len(spans) == 2 else None
    if not spans or len(spans) < len(parts):
        return None
    if isinstance(e, ir.Cast):
        return None if e.type.is_bool() else spans[0]
    return asked(e, spans, _ASKED)


class _Narrower:
    def __init__(self) -> None:
        self.built: dict[tuple[int, Type], tuple[Expr, Expr | None]] = {}
        self.done: dict[int, tuple[Expr, Expr]] = {}
        """What `inside` has made of expressions, which may be shared many times over."""

    def boundary(self, e: Expr) -> Expr:
        """Narrows the operands of a node whose own value is narrow or not an integer."""
        if not e.type.is_scalar():
            return e
        if isinstance(e, ir.Cast) and _is_truth(e.value) and e.type.is_int_or_uint() and not e.type.is_bool():
            return cast_to(e.type, ir.children(e.value)[0])
        if isinstance(e, ir.Cast) and _is_operation(e.value) and not e.type.is_bool():
            if e.type.is_float() or e.type.bits <= e.value.type.bits:
                found = self.smallest(e.value)
                if found is None:
                    found = self.kept(e.value, e.type)
                if found is not None:
                    return cast_to(e.type, found)
                return ir.with_children(e, (self.inside(e.value),))
        elif isinstance(e, Call) and e.name == "saturating_cast" and _is_operation(e.args[0]):
            found = self.smallest(e.args[0])
            if found is not None:
                return found if found.type == e.type else ir.with_children(e, (found,))
            return ir.with_children(e, (self.inside(e.args[0]),))
        elif isinstance(e, _COMPARISONS) and e.a.type.is_int_or_uint() and e.a.type.bits >= 16:
            for t in _CANDIDATES:
                if t.bits < e.a.type.bits:
                    a, b = self.build(e.a, t), self.build(e.b, t)
                    if a is not None and b is not None:
                        return type(e)(e.type, a, b)
        return e

    def smallest(self, e: Expr) -> Expr | None:
        """`e` in the first candidate type narrower than its own that holds every intermediate value."""
        for t in _CANDIDATES:
            if t.bits < e.type.bits:
                found = self.build(e, t)
                if found is not None:
                    return found
        return None

    def kept(self, e: Expr, t: Type) -> Expr | None:
        """`e` in a type narrower than its own that has the bits which a cast to `t` keeps."""
        if not t.is_int_or_uint() or not has_data(e):
            return None
        for bits in (16, 32):
            if not t.bits <= bits < e.type.bits:
                continue
            found = LowBits(UInt(bits), self.in_sixteen).of(e, t.bits)
            if found is not None:
                return found
        return None

    def in_sixteen(self, e: Expr) -> Expr | None:
        """The value of `e`, of a wider type, in one of 16 bits; None where it might not fit."""
        types = (Int(16), UInt(16)) if e.type.bits > 16 else ()
        return next((found for t in types if (found := self.build(e, t)) is not None), None)

    def inside(self, e: Expr) -> Expr:
        """`e`, too wide itself, with the largest operands that are not so narrowed."""
        if not isinstance(e, ir._Binary | ir.Select) or e.type.bits < 32:
            return e
        if id(e) not in self.done:
            self.done[id(e)] = (e, ir.with_children(e, tuple(self._operand(c, e.type) for c in ir.children(e))))
        return self.done[id(e)][1]

    def _operand(self, e: Expr, t: Type) -> Expr:
        if e.type != t or not _is_operation(e):
            return e
        found = self.smallest(e)
        return self.inside(e) if found is None else ir.Cast(e.type, found)

    def build(self, e: Expr, t: Type) -> Expr | None:
        """`e` computed in type `t`, or None where a value might not fit."""
        number = (id(e), t)
        if number not in self.built:
            self.built[number] = (e, self._build(e, t))
        return self.built[number][1]

    def _fits(self, e: Expr, t: Type) -> bool:
        r = value_range(e)
        return r is not None and inside(r, t)

    def _build(self, e: Expr, t: Type) -> Expr | None:
        if not self._fits(e, t):
            return None
        value = const_value(e)
        if value is not None:
            return const(value, t)
        if isinstance(e, ir.Cast) and e.value.type.is_int_or_uint() and not e.value.type.is_bool():
            inner = value_range(e.value)
            if inner is not None and inside(inner, e.type):
                return self.build(e.value, t)
        found = self._operation(e, t) if cannot_wrap(e) else None
        if found is None and e.type.bits <= 16:
            return cast_to(t, e)
        return found

    def _operation(self, e: Expr, t: Type) -> Expr | None:
        if isinstance(e, ir.Select):
            yes, no = self.build(e.true_value, t), self.build(e.false_value, t)
            return None if yes is None or no is None else ir.Select(t, e.condition, yes, no)
        if isinstance(e, Call):
            return self._call(e, t)
        # Vectors of bytes have no multiply, and divide by way of one.
        if t.bits == 8 and isinstance(e, ir.Mul | ir.Div | ir.Mod):
            return None
        if isinstance(e, ir.Div | ir.Mod):
            divisor = const_value(e.b)
            if divisor is None or divisor <= 0:
                return None
        if isinstance(e, ir.Add | ir.Sub | ir.Mul | ir.Min | ir.Max | ir.Div | ir.Mod):
            a, b = self.build(e.a, t), self.build(e.b, t)
            return None if a is None or b is None else type(e)(t, a, b)
        return None

    def _call(self, e: Call, t: Type) -> Expr | None:
        if e.call_type is not CallType.INTRINSIC:
            return None
        if e.name == "abs" and e.args[0].type.is_int():
            difference = e.args[0]
            if isinstance(difference, ir.Sub) and cannot_wrap(difference):
                # The difference does not wrap, so its absolute value is that of the narrow operands.
                x, y = self.build(difference.a, UInt(t.bits)), self.build(difference.b, UInt(t.bits))
                if x is not None and y is not None:
                    return cast_to(t, intrinsic("absd", UInt(t.bits), x, y))
            inner = self.build(e.args[0], Int(t.bits))
            return None if inner is None else cast_to(t, intrinsic("abs", UInt(t.bits), inner))
        if e.name == "absd":
            for s in (UInt(t.bits), Int(t.bits)):
                a, b = self.build(e.args[0], s), self.build(e.args[1], s)
                if a is not None and b is not None:
                    return cast_to(t, intrinsic("absd", UInt(t.bits), a, b))
            return None
        if e.name in ("shift_left", "shift_right", "div_round_to_zero"):
            amount = const_value(e.args[1])
            shifts = e.name != "div_round_to_zero"
            if t.bits == 8 or amount is None or not (0 <= amount < t.bits if shifts else 0 < amount <= t.max()):
                return None
            a = self.build(e.args[0], t)
            if a is None:
                return None
            return intrinsic(e.name, t, a, const(int(amount), UInt(t.bits) if shifts else t))
        if e.name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
            ranges = [value_range(a) for a in e.args]
            if any(r is None or r[0] < 0 for r in ranges):
                return None
            a, b = self.build(e.args[0], t), self.build(e.args[1], t)
            return None if a is None or b is None else intrinsic(e.name, t, a, b)
        return None
