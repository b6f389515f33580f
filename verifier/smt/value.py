"""Values as bit-vectors of their exact widths; floating point uninterpreted (DESIGN section 4).

The third of the three meanings of the expression IR, beside the interpreter and the LLVM back end.
A bool is a Z3 Bool; an intN or uintN a bit-vector of N bits; a float the bit-vector of its bits, operated on by
uninterpreted functions, so that two float expressions are equal only where they are the same operations in the
same order.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import z3

from halide_core.ir import expr as E
from halide_core.ir.expr import Call, CallType, Cast, Expr, Load, Select, Variable
from halide_core.ir.structural import key, post_order
from halide_core.ir.types import Type, TypeCode

_COMPARES = (E.EQ, E.NE, E.LT, E.LE, E.GT, E.GE)


class ValueEncoder:
    """Encodes scalar expressions.  `inline` gives the body of a pure function call (or None to leave it
    uninterpreted); `leaf` names a Load or Func call so that equal reads get equal names."""

    def __init__(
        self, inline: Callable[[Call], Expr | None] | None = None, leaf: Callable[[Expr], str] | None = None
    ) -> None:
        self._inline = inline
        self._leaf = leaf or (lambda e: f"read!{key(e)}")
        self._memo: dict[int, Any] = {}
        self._keep: list[Expr] = []

    def encode(self, e: Expr) -> Any:
        """The Z3 term of `e`."""
        for n in post_order(e):
            if id(n) not in self._memo:
                self._memo[id(n)] = self._node(n)
                self._keep.append(n)  # ids stay valid while the node lives
        return self._memo[id(e)]

    def equal(self, a: Expr, b: Expr) -> Any:
        """The formula a = b, bit for bit."""
        return self.encode(a) == self.encode(b)

    def both(self, a: Any, b: Any) -> Any:
        """Conjunction of two encoded conditions."""
        return z3.And(a, b)

    def _get(self, e: Expr) -> Any:
        return self._memo[id(e)]

    def _constant(self, name: str, t: Type) -> Any:
        return z3.Bool(name) if t.is_bool() else z3.BitVec(name, t.bits)

    def _node(self, e: Expr) -> Any:
        t = e.type
        assert t.lanes == 1, "vectors are not verified"
        if isinstance(e, E.IntImm | E.UIntImm):
            return z3.BoolVal(bool(e.value)) if t.is_bool() else z3.BitVecVal(e.value, t.bits)
        if isinstance(e, E.FloatImm):
            return z3.BitVecVal(_float_bits(e.value, t.bits), t.bits)
        if isinstance(e, Variable):
            return self._constant(e.name, t)
        if isinstance(e, Load):
            return self._constant(self._leaf(e), t)
        if isinstance(e, Cast):
            return self._cast(self._get(e.value), e.value.type, t)
        if isinstance(e, E.Reinterpret):
            return self._get(e.value)
        if isinstance(e, Select):
            return z3.If(self._get(e.condition), self._get(e.true_value), self._get(e.false_value))
        if isinstance(e, E.Not):
            return z3.Not(self._get(e.a))
        if isinstance(e, E.And):
            return z3.And(self._get(e.a), self._get(e.b))
        if isinstance(e, E.Or):
            return z3.Or(self._get(e.a), self._get(e.b))
        if isinstance(e, _COMPARES):
            return self._compare(e)
        if isinstance(e, E.Add | E.Sub | E.Mul | E.Div | E.Mod | E.Min | E.Max):
            return self._arithmetic(e)
        if isinstance(e, Call):
            return self._call(e)
        raise AssertionError(f"no encoding of {type(e).__name__}")

    # Arithmetic.

    def _function(self, name: str, t: Type, *args: Any) -> Any:
        range_ = z3.BoolSort() if t.is_bool() else z3.BitVecSort(t.bits)
        if not args:
            return z3.Const(name, range_)
        return z3.Function(name, *[a.sort() for a in args], range_)(*args)

    def _compare(self, e: Any) -> Any:
        a, b, t = self._get(e.a), self._get(e.b), e.a.type
        if t.is_float():
            return self._float_compare(type(e), a, b, t)
        if isinstance(e, E.EQ):
            return a == b
        if isinstance(e, E.NE):
            return a != b
        if t.is_bool():
            a, b = z3.If(a, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)), z3.If(b, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))
        if isinstance(e, E.GT | E.GE):
            a, b = b, a
        strict = isinstance(e, E.LT | E.GT)
        if t.is_int():
            return a < b if strict else a <= b
        return z3.ULT(a, b) if strict else z3.ULE(a, b)

    def _float_compare(self, kind: type, a: Any, b: Any, t: Type) -> Any:
        boolean = Type(TypeCode.UINT, 1)
        if kind in (E.GT, E.GE):
            a, b = b, a
        if kind is E.NE:
            return z3.Not(self._function(f"feq{t.bits}", boolean, a, b))
        name = "feq" if kind is E.EQ else "flt" if kind in (E.LT, E.GT) else "fle"
        return self._function(f"{name}{t.bits}", boolean, a, b)

    def _arithmetic(self, e: Any) -> Any:
        a, b, t = self._get(e.a), self._get(e.b), e.type
        if t.is_bool():
            if isinstance(e, E.Min | E.Max):
                return z3.And(a, b) if isinstance(e, E.Min) else z3.Or(a, b)
            raise AssertionError("arithmetic on bools")
        if t.is_float():
            if isinstance(e, E.Min):
                return z3.If(self._float_compare(E.LT, a, b, t), a, b)
            if isinstance(e, E.Max):
                return z3.If(self._float_compare(E.GT, a, b, t), a, b)
            return self._function(f"f{type(e).__name__.lower()}{t.bits}", t, a, b)
        if isinstance(e, E.Add):
            return a + b
        if isinstance(e, E.Sub):
            return a - b
        if isinstance(e, E.Mul):
            return a * b
        if isinstance(e, E.Min | E.Max):
            less = a < b if t.is_int() else z3.ULT(a, b)
            return z3.If(less, a, b) if isinstance(e, E.Min) else z3.If(less, b, a)
        quotient, remainder = _euclid(a, b, t)
        return quotient if isinstance(e, E.Div) else remainder

    def _cast(self, v: Any, source: Type, target: Type) -> Any:
        if source.is_float() or target.is_float():
            if source == target:
                return v
            if source.is_bool():
                v = z3.If(v, z3.BitVecVal(1, 8), z3.BitVecVal(0, 8))
                source = Type(TypeCode.UINT, 8)
            if target.is_bool():
                zero = z3.BitVecVal(0, source.bits)
                return z3.Not(self._function(f"feq{source.bits}", target, v, zero))
            return self._function(f"cast_{source}_{target}", target, v)
        if source.is_bool():
            if target.is_bool():
                return v
            return z3.If(v, z3.BitVecVal(1, target.bits), z3.BitVecVal(0, target.bits))
        if target.is_bool():
            return v != 0
        return resize(v, source, target)

    # Calls.

    def _call(self, e: Call) -> Any:
        if e.call_type is CallType.FUNCTION and self._inline is not None:
            body = self._inline(e)
            if body is not None:
                return self.encode(body)
        args = [self._get(a) for a in e.args]
        if e.call_type in (CallType.HALIDE, CallType.IMAGE):
            return self._constant(self._leaf(e), e.type)
        if e.call_type is not CallType.INTRINSIC:
            return self._function(f"{e.name}_{e.type}", e.type, *args)
        if any(a.type.is_float() for a in e.args):
            if e.name in ("strict_float", "likely"):
                return args[0]
            return self._function(f"{e.name}_{e.type}", e.type, *args)
        return _intrinsic(e, args)


def _float_bits(value: float, bits: int) -> int:
    code = {16: "<e", 32: "<f", 64: "<d"}[bits]
    return int.from_bytes(struct.pack(code, value), "little")


def resize(v: Any, source: Type, target: Type) -> Any:
    """An integer bit-vector converted from one type to another, wrapping."""
    if target.bits == source.bits:
        return v
    if target.bits < source.bits:
        return z3.Extract(target.bits - 1, 0, v)
    extra = target.bits - source.bits
    return z3.SignExt(extra, v) if source.is_int() else z3.ZeroExt(extra, v)


def _euclid(a: Any, b: Any, t: Type) -> tuple[Any, Any]:
    zero = z3.BitVecVal(0, t.bits)
    if t.is_uint():
        return z3.If(b == 0, zero, z3.UDiv(a, b)), z3.If(b == 0, zero, z3.URem(a, b))
    q, r = a / b, z3.SRem(a, b)
    one = z3.BitVecVal(1, t.bits)
    adjusted = z3.If(r < 0, z3.If(b > 0, q - one, q + one), q)
    positive = z3.If(r < 0, z3.If(b > 0, r + b, r - b), r)
    return z3.If(b == 0, zero, adjusted), z3.If(b == 0, zero, positive)


def _wide(v: Any, t: Type, bits: int) -> Any:
    return z3.SignExt(bits - t.bits, v) if t.is_int() else z3.ZeroExt(bits - t.bits, v)


def _clamp_to(v: Any, t: Type, bits: int, signed: bool = True) -> Any:
    """A `bits`-bit vector clamped to the range of `t` and cut to its width."""
    low, high = z3.BitVecVal(t.min(), bits), z3.BitVecVal(t.max(), bits)
    clamped = z3.If(v < low, low, z3.If(v > high, high, v)) if signed else z3.If(z3.UGT(v, high), high, v)
    return z3.Extract(t.bits - 1, 0, clamped) if bits > t.bits else clamped


def _shift(a: Any, b: Any, ta: Type, tb: Type, left: bool) -> Any:
    n = ta.bits
    amount = resize(b, tb, ta) if tb.bits <= n else b
    if tb.bits > n:
        a_wide = _wide(a, ta, tb.bits)
        return z3.Extract(n - 1, 0, _shift_same(a_wide, amount, ta.is_int(), tb.is_int(), left, n))
    return _shift_same(a, amount, ta.is_int(), tb.is_int(), left, n)


def _shift_same(a: Any, b: Any, signed: bool, amount_signed: bool, left: bool, n: int) -> Any:
    def shl(v: Any, s: Any) -> Any:
        return z3.If(z3.ULT(s, n), v << s, z3.BitVecVal(0, v.size()))

    def shr(v: Any, s: Any) -> Any:
        # z3's >> and LShR already fill with the sign or zeros for amounts past the width
        return v >> s if signed else z3.LShR(v, s)

    forward, backward = (shl, shr) if left else (shr, shl)
    if not amount_signed:
        return forward(a, b)
    return z3.If(b >= 0, forward(a, b), backward(a, -b))


def _intrinsic(e: Call, args: list[Any]) -> Any:
    t, name = e.type, e.name
    source = e.args[0].type if e.args else t
    if name in ("likely", "strict_float"):
        return args[0]
    if name == "bitwise_not":
        return z3.Not(args[0]) if t.is_bool() else ~args[0]
    if name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        a, b = args
        if t.is_bool():
            return {"bitwise_and": z3.And, "bitwise_or": z3.Or, "bitwise_xor": z3.Xor}[name](a, b)
        return a & b if name == "bitwise_and" else a | b if name == "bitwise_or" else a ^ b
    if name in ("shift_left", "shift_right"):
        return _shift(args[0], args[1], source, e.args[1].type, name == "shift_left")
    if name == "abs":
        return z3.If(args[0] < 0, -args[0], args[0]) if source.is_int() else args[0]
    if name == "absd":
        a, b = args
        less = a < b if source.is_int() else z3.ULT(a, b)
        return z3.If(less, b - a, a - b)
    if name in ("div_round_to_zero", "mod_round_to_zero"):
        a, b = args
        zero = z3.BitVecVal(0, t.bits)
        if name == "div_round_to_zero":
            return z3.If(b == 0, zero, a / b if t.is_int() else z3.UDiv(a, b))
        return z3.If(b == 0, zero, z3.SRem(a, b) if t.is_int() else z3.URem(a, b))
    return _wide_intrinsic(e, args, t, source, name)


def _wide_intrinsic(e: Call, args: list[Any], t: Type, source: Type, name: str) -> Any:
    """Intrinsics defined by exact arithmetic at a width where nothing overflows."""
    if name == "saturating_cast":
        bits = max(source.bits, t.bits) + 2
        return _clamp_to(_wide(args[0], source, bits), t, bits)
    bits = 2 * source.bits + 2
    a = _wide(args[0], source, bits)
    b = _wide(args[1], e.args[1].type, bits) if len(args) > 1 else None
    cut = t.bits - 1
    if name in ("widening_add", "widening_sub", "widening_mul"):
        value = a + b if name == "widening_add" else a - b if name == "widening_sub" else a * b
        return z3.Extract(cut, 0, value)
    if name in ("saturating_add", "saturating_sub"):
        return _clamp_to(a + b if name == "saturating_add" else a - b, t, bits)
    if name == "halving_add":
        return z3.Extract(cut, 0, (a + b) >> 1)
    if name == "halving_sub":
        return z3.Extract(cut, 0, (a - b) >> 1)
    if name == "rounding_halving_add":
        return z3.Extract(cut, 0, (a + b + 1) >> 1)
    if name == "rounding_shift_right" and b is not None:
        one = z3.BitVecVal(1, bits)
        # From n + 1 on the result is 0, and 2**(b - 1) would not fit.
        positive = z3.If(b > source.bits, z3.BitVecVal(0, bits), (a + (one << (b - one))) >> b)
        rounded = z3.If(b > 0, positive, a << (-b))
        return z3.Extract(cut, 0, rounded)
    if name == "mul_shift_right":
        c = z3.ZeroExt(bits - args[2].size(), args[2]) if args[2].size() < bits else z3.Extract(bits - 1, 0, args[2])
        return _clamp_to((a * b) >> c, t, bits)
    if name == "popcount":
        total = z3.BitVecVal(0, t.bits)
        for i in range(source.bits):
            total = total + z3.ZeroExt(t.bits - 1, z3.Extract(i, i, args[0]))
        return total
    if name == "count_leading_zeros":
        result: Any = z3.BitVecVal(source.bits, t.bits)
        for i in range(source.bits):
            result = z3.If(z3.Extract(i, i, args[0]) == 1, z3.BitVecVal(source.bits - 1 - i, t.bits), result)
        return result
    raise AssertionError(f"no encoding of the intrinsic {name}")
