"""Rules that take vector idioms back to what they compute, lane by lane: bytes that were unpacked and packed again,
masks of all ones or zeros, halves joined.  Each rule keeps the value exactly; tests/verifier/test_lane_rules.py proves
them."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

from halide_core.ir.constant_intervals import full
from halide_core.ir.expr import (
    BOOL,
    EQ,
    GE,
    GT,
    LE,
    LT,
    NE,
    Add,
    And,
    Call,
    CallType,
    Cast,
    Expr,
    Max,
    Min,
    Or,
    Reinterpret,
    Select,
    Sub,
    const,
    const_value,
    with_children,
)
from halide_core.ir.structural import key, same
from halide_core.ir.types import Int, Type, UInt
from lifter.algebra.bit_extraction import take_bits_node
from lifter.algebra.fold import fold_node, negate
from lifter.algebra.value_ranges import interval
from lifter.simd.mask_steps import as_step
from lifter.simd.masks import bit_of

_COMPARISONS = (EQ, NE, LT, LE, GT, GE)
_BITWISE = {"bitwise_and", "bitwise_or", "bitwise_xor"}


_MOST_KNOWN = 1 << 18
_SIMPLE: dict[int, Expr] = {}
"""What expressions have become, by their keys."""


def simplify_node(n: Expr) -> Expr:
    """One node whose children are simplified already; an expression equal to it."""
    number = key(n)
    if number not in _SIMPLE:
        if len(_SIMPLE) > _MOST_KNOWN:
            _SIMPLE.clear()
        for _ in range(8):
            found = _once(n)
            if found is n:
                break
            n = found
        _SIMPLE[number] = n
        return n
    return _SIMPLE[number]


def _once(n: Expr) -> Expr:
    n = fold_node(n)
    if isinstance(n, Reinterpret):
        return _reinterpret(n)
    if not _is_integer(n.type) and not n.type.is_bool():
        return n
    pushed = _into_choice(n)
    if pushed is not None:
        return pushed
    bounded = _by_ranges(n)
    if bounded is not None:
        return bounded
    if isinstance(n, EQ | NE):
        return _equality(n)
    if isinstance(n, LT | LE | GT | GE):
        return _order(n)
    if isinstance(n, Cast):
        return _cast(n)
    if isinstance(n, Select):
        return _select(n)
    if isinstance(n, Call) and n.call_type is CallType.INTRINSIC:
        rule = _RULES.get(n.name)
        return rule(n) if rule is not None and _is_integer(n.type) else n
    return n


def _is_integer(t: Type) -> bool:
    return t.is_int_or_uint() and not t.is_bool()


def _ones(t: Type) -> int:
    return -1 if t.is_int() else t.max()


def _choice(e: Expr) -> tuple[Expr, int, int] | None:
    """(condition, a, b) of an integer that is one of two constants."""
    if isinstance(e, Select) and _is_integer(e.type):
        a, b = const_value(e.true_value), const_value(e.false_value)
        if a is not None and b is not None:
            return e.condition, int(a), int(b)
    return None


def _into_choice(n: Expr) -> Expr | None:
    """f(c ? a : b) with constants as c ? f(a) : f(b), where f has but one operand that is not constant; of comparisons
    the condition itself."""
    operands = _operands(n)
    if not operands or isinstance(n, Select):
        return None
    varying = [i for i, e in enumerate(operands) if const_value(e) is None]
    if not varying:
        return None
    choices = [_choice(operands[i]) for i in varying]
    first = choices[0]
    if first is None or any(c is None or not same(c[0], first[0]) for c in choices):
        return None
    arms: list[Expr] = []
    for arm in (1, 2):
        values = list(operands)
        for i, c in zip(varying, choices, strict=True):
            assert c is not None
            values[i] = const(c[1] if arm == 1 else c[2], operands[i].type)
        arms.append(fold_node(with_children(n, tuple(values))))
    if any(const_value(a) is None for a in arms):
        return None
    return fold_node(Select(n.type, first[0], arms[0], arms[1]))


def _operands(n: Expr) -> tuple[Expr, ...]:
    if isinstance(n, Cast):
        return (n.value,) if _is_integer(n.value.type) and not n.type.is_float() else ()
    if isinstance(n, (Add, Sub, *_COMPARISONS)):
        return (n.a, n.b) if _is_integer(n.a.type) else ()
    if isinstance(n, Call) and n.call_type is CallType.INTRINSIC:
        known = n.name in _BITWISE or n.name in ("bitwise_not", "shift_left", "shift_right", "saturating_cast")
        return n.args if known and all(_is_integer(a.type) for a in n.args) else ()
    return ()


def _by_ranges(n: Expr) -> Expr | None:
    """What is left of a node whose operands keep within an interval: no clamp, saturation, mask or bits above."""
    if isinstance(n, Min | Max):
        a, b = interval(n.a), interval(n.b)
        if a is None or b is None:
            return None
        if a[1] <= b[0]:
            return n.a if isinstance(n, Min) else n.b
        if b[1] <= a[0]:
            return n.b if isinstance(n, Min) else n.a
        return None
    if isinstance(n, Cast):
        inner = n.value
        if not isinstance(inner, Cast) or not (_is_integer(n.type) and _is_integer(inner.type)):
            return None
        if not _fits(inner.value, inner.type):
            return None
        return inner.value if inner.value.type == n.type else Cast(n.type, inner.value)
    if not isinstance(n, Call) or n.call_type is not CallType.INTRINSIC or n.name not in _BOUNDED:
        return None
    if n.name == "saturating_cast":
        return Cast(n.type, n.args[0]) if _fits(n.args[0], n.type) else None
    a, b = interval(n.args[0]), interval(n.args[1])
    if a is None or b is None:
        return None
    if n.name == "shift_right":
        gone = a[0] >= 0 and 0 <= b[0] == b[1] < n.type.bits and a[1] >> b[0] == 0
        return const(0, n.type) if gone else None
    if n.name == "bitwise_and":
        for (low, high), (mask, top), kept in ((a, b, n.args[0]), (b, a, n.args[1])):
            if mask == top >= 0 and mask & mask + 1 == 0 and low >= 0 and high <= mask:
                return kept
        return None
    node, low, high = (Add, a[0] + b[0], a[1] + b[1]) if n.name == "saturating_add" else (Sub, a[0] - b[1], a[1] - b[0])
    least, most = full(n.type)
    return node(n.type, *n.args) if least <= low and high <= most else None


_BOUNDED = {"saturating_cast", "shift_right", "bitwise_and", "saturating_add", "saturating_sub"}


def _fits(e: Expr, t: Type) -> bool:
    """Whether a type has every value that an integer can take."""
    found = interval(e)
    return found is not None and t.min() <= found[0] and found[1] <= t.max()


def _reinterpret(n: Reinterpret) -> Expr:
    inner = n.value
    if isinstance(inner, Reinterpret):
        return inner.value if inner.value.type == n.type else Reinterpret(n.type, inner.value)
    source = _strip(inner)
    if isinstance(source, Reinterpret) and source is not inner:
        return source.value if source.value.type == n.type else Reinterpret(n.type, source)
    if isinstance(inner, Select) and n.type.is_float():
        arms = [_bits_of_float(e, n.type) for e in (inner.true_value, inner.false_value)]
        if arms[0] is not None and arms[1] is not None:
            return Select(n.type, inner.condition, arms[0], arms[1])
    return n


def _bits_of_float(e: Expr, t: Type) -> Expr | None:
    """The float whose bits `e` are, where that is seen."""
    value = const_value(e)
    if value is not None:
        code = {32: ("<I", "<f"), 64: ("<Q", "<d")}[t.bits]
        (number,) = struct.unpack(code[1], struct.pack(code[0], int(value) % (1 << t.bits)))
        return const(number, t) if math.isfinite(number) else None
    if isinstance(e, Cast) and _is_integer(e.value.type) and e.value.type.bits == t.bits:
        e = e.value
    if isinstance(e, Reinterpret) and e.value.type == t:
        return e.value
    if isinstance(e, Select):
        a, b = _bits_of_float(e.true_value, t), _bits_of_float(e.false_value, t)
        return None if a is None or b is None else Select(t, e.condition, a, b)
    return None


def _cast(n: Cast) -> Expr:
    inner = n.value
    if isinstance(inner, Cast) and _is_integer(n.type) and _is_integer(inner.type) and _is_integer(inner.value.type):
        source, middle, to = inner.value.type, inner.type, n.type
        if middle.can_represent(source) or to.bits <= middle.bits:
            return inner.value if source == to else Cast(to, inner.value)
    if isinstance(inner, Select) and _is_integer(n.type) and _is_integer(inner.type):
        # A mask applied at one signedness and used at the other.
        arms = [_same_width(e, n.type) for e in (inner.true_value, inner.false_value)]
        if arms[0] is not None and arms[1] is not None:
            return Select(n.type, inner.condition, arms[0], arms[1])
    return take_bits_node(n)


def _equality(n: EQ | NE) -> Expr:
    """Whether two integers are equal does not depend on their signs; whether a mask has one bit may be a condition."""
    bit = _asked_bit(n.a) if const_value(n.b) == 0 else None
    if bit is not None:
        return bit if isinstance(n, NE) else negate(bit)
    if isinstance(n.a, Cast) and isinstance(n.b, Cast):
        a, b = n.a.value, n.b.value
        if a.type == b.type and _is_integer(a.type) and n.a.type.bits >= a.type.bits:
            return type(n)(BOOL, a, b)
    return n


def _asked_bit(e: Expr) -> Expr | None:
    mask = const_value(e.args[1]) if isinstance(e, Call) and e.name == "bitwise_and" else None
    if mask is None or not isinstance(e, Call) or int(mask) <= 0 or int(mask) & (int(mask) - 1):
        return None
    return bit_of(e.args[0], int(mask).bit_length() - 1)


def _order(n: LT | LE | GT | GE) -> Expr:
    """Signed comparisons of integers whose sign bits were flipped are unsigned ones of the integers."""
    if n.a.type.is_int() and (const_value(n.a) is None or const_value(n.b) is None):
        a, b = _unflipped(n.a), _unflipped(n.b)
        if a is not None and b is not None:
            return type(n)(BOOL, a, b)
    return n


def _unflipped(e: Expr) -> Expr | None:
    """The unsigned x with e = signed(x ^ sign bit)."""
    t, sign = UInt(e.type.bits), 1 << (e.type.bits - 1)
    value = const_value(e)
    if value is not None:
        return const(int(value) ^ sign, t)
    if isinstance(e, Cast):
        e = e.value
    if not isinstance(e, Call) or e.name != "bitwise_xor" or e.type.bits != t.bits:
        return None
    for one, other in (e.args, e.args[::-1]):
        value = const_value(other)
        if value is not None and int(value) % (1 << t.bits) == sign:
            if one.type == t:
                return one
            return one.value if isinstance(one, Cast) and one.value.type == t else None
    return None


def _same_width(e: Expr, t: Type) -> Expr | None:
    """`e` as `t` where that takes no operation; None elsewhere."""
    value = const_value(e)
    if value is not None:
        return const(int(value), t)
    return e.value if isinstance(e, Cast) and e.value.type == t and e.type.bits >= t.bits else None


def _select(n: Select) -> Expr:
    for arm, other, first in ((n.true_value, n.false_value, True), (n.false_value, n.true_value, False)):
        # A choice under the same condition inside an arm is decided.
        if isinstance(arm, Select) and same(arm.condition, n.condition):
            kept = arm.true_value if first else arm.false_value
            return fold_node(Select(n.type, n.condition, *((kept, other) if first else (other, kept))))
    return as_step(n)


def _mask(e: Expr) -> Expr | None:
    """The condition of a lane of all ones or all zeros."""
    found = _choice(e)
    if found is None:
        return None
    condition, a, b = found
    ones = _ones(e.type)
    if (a, b) == (ones, 0):
        return condition
    return negate(condition) if (a, b) == (0, ones) else None


def _as_mask(condition: Expr, t: Type) -> Expr:
    return fold_node(Select(t, condition, const(_ones(t), t), const(0, t)))


def _and(n: Call) -> Expr:
    a, b = n.args
    for one, other in ((a, b), (b, a)):
        value = const_value(one)
        if value is not None and int(value) in (0, _ones(n.type)):
            return one if value == 0 else other
        condition, second = _mask(one), _mask(other)
        if condition is not None and second is not None:
            return _as_mask(fold_node(And(BOOL, condition, second)), n.type)
        if condition is not None and isinstance(one, Select):
            nothing = const(0, n.type)
            arms = (other, nothing) if const_value(one.true_value) != 0 else (nothing, other)
            return fold_node(Select(n.type, one.condition, *arms))
    return a if same(a, b) else n


def _or(n: Call) -> Expr:
    a, b = n.args
    for one, other in ((a, b), (b, a)):
        value = const_value(one)
        if value is not None and int(value) in (0, _ones(n.type)):
            return other if value == 0 else one
    first, second = _mask(a), _mask(b)
    if first is not None and second is not None:
        return _as_mask(fold_node(Or(BOOL, first, second)), n.type)
    if isinstance(a, Select) and isinstance(b, Select):
        blended = _blend(n.type, a, b)
        if blended is not None:
            return blended
    for mask, other, condition in ((a, b, first), (b, a, second)):
        if condition is not None and isinstance(mask, Select):
            arms = (mask.true_value, other) if const_value(mask.true_value) != 0 else (other, mask.false_value)
            return fold_node(Select(n.type, mask.condition, *arms))
    if same(a, b):
        return a
    return _join(n)


def _blend(t: Type, a: Select, b: Select) -> Expr | None:
    """(c ? x : 0) | (c ? 0 : y) is c ? x : y."""
    same_condition, opposite = same(a.condition, b.condition), same(a.condition, negate(b.condition))
    if not same_condition and not opposite:
        return None
    other = (b.true_value, b.false_value) if same_condition else (b.false_value, b.true_value)
    arms: list[Expr] = []
    for x, y in ((a.true_value, other[0]), (a.false_value, other[1])):
        if const_value(x) != 0 and const_value(y) != 0:
            return None
        arms.append(y if const_value(x) == 0 else x)
    return fold_node(Select(t, a.condition, arms[0], arms[1]))


def _xor(n: Call) -> Expr:
    a, b = n.args
    for one, other in ((a, b), (b, a)):
        value = const_value(one)
        if value == 0:
            return other
        if value == _ones(n.type):
            return simplify_node(Call(n.type, "bitwise_not", (other,), CallType.INTRINSIC))
        condition = _mask(one)
        if condition is not None:
            flipped = Call(n.type, "bitwise_not", (other,), CallType.INTRINSIC)
            return fold_node(Select(n.type, condition, flipped, other))
    return const(0, n.type) if same(a, b) else n


def _not(n: Call) -> Expr:
    inner = n.args[0]
    return inner.args[0] if isinstance(inner, Call) and inner.name == "bitwise_not" else n


def _shift_left(n: Call) -> Expr:
    amount = const_value(n.args[1])
    return n.args[0] if amount == 0 else n


def _shift_right(n: Call) -> Expr:
    value, amount = n.args[0], const_value(n.args[1])
    if amount == 0:
        return value
    if amount is None or not 0 < amount < n.type.bits:
        return n
    # (x << k) >> k is x with its sign, or with zeros above, where x has just the bits that are left.
    bits = n.type.bits - int(amount)
    inner = _strip(value)
    if isinstance(inner, Call) and inner.name == "shift_left" and const_value(inner.args[1]) == amount:
        source = _strip(inner.args[0])
        if isinstance(source, Cast) and _is_integer(source.value.type) and source.value.type.bits == bits:
            narrow: Expr = source.value
            wanted = Int(bits) if n.type.is_int() else UInt(bits)
            return Cast(n.type, narrow if narrow.type == wanted else Cast(wanted, narrow))
    return n


def _strip(e: Expr) -> Expr:
    """`e` without conversions between integers of one width."""
    while isinstance(e, Cast) and _is_integer(e.value.type) and e.value.type.bits == e.type.bits:
        e = e.value
    return e


def _saturating(n: Call) -> Expr:
    a, b = n.args
    if const_value(b) == 0:
        return a
    return b if n.name == "saturating_add" and const_value(a) == 0 else n


def _saturating_cast(n: Call) -> Expr:
    inner = n.args[0]
    if n.type.can_represent(inner.type):
        return Cast(n.type, inner)
    if isinstance(inner, Cast) and _is_integer(inner.value.type):
        source = inner.value.type
        if inner.type.can_represent(source) and n.type.can_represent(source):
            return inner.value if source == n.type else Cast(n.type, inner.value)
    return n


def _join(n: Call) -> Expr:
    """u16(low) | u16(high) << 8, where the halves belong together."""
    bits = n.type.bits // 2
    for a, b in (n.args, n.args[::-1]):
        low = _half(a, UInt(bits)) if n.type == UInt(2 * bits) else None
        if low is None:
            continue
        whole: Expr | None = None
        if isinstance(b, Call) and b.name == "shift_left" and const_value(b.args[1]) == bits:
            high = _half(b.args[0], UInt(bits))
            whole = None if high is None else _whole(low, high, bits)
        elif isinstance(b, Select) and _choice(b) == (b.condition, _ones(n.type) << bits & _ones(n.type), 0):
            whole = _sign_extended(low, b.condition, bits)
        if whole is not None:
            return whole if whole.type == n.type else Cast(n.type, whole)
    return n


def _half(e: Expr, t: Type) -> Expr | None:
    """`e` as an integer of half its bits, where the upper half is zero."""
    if isinstance(e, Cast) and e.value.type == t:
        return e.value
    return Cast(t, e) if _fits(e, t) and const_value(e) is None else None


def _sign_extended(low: Expr, negative: Expr, bits: int) -> Expr | None:
    """An integer at twice its bits, where the upper half is all ones just if it is negative."""
    if isinstance(negative, LT) and const_value(negative.b) == 0:
        value = negative.a
    elif isinstance(negative, GT) and const_value(negative.a) == 0:
        value = negative.b
    else:
        return None
    return Cast(Int(2 * bits), value) if value.type == Int(bits) and same(_strip(value), _strip(low)) else None


def _whole(low: Expr, high: Expr, bits: int) -> Expr | None:
    """The expression whose neighbouring bits `low` and `high` are."""
    if high.type != UInt(bits):
        return None
    first, second = _slice(low), _slice(high)
    if first[1] + bits != second[1] or not same(first[0], second[0]):
        return None
    source, start = first
    if start == 0:
        return source if source.type.bits == 2 * bits else Cast(UInt(2 * bits), source)
    t = UInt(source.type.bits)
    wide = source if source.type == t else Cast(t, source)
    return Cast(UInt(2 * bits), Call(t, "shift_right", (wide, const(start, t)), CallType.INTRINSIC))


def _slice(e: Expr) -> tuple[Expr, int]:
    """(x, n) such that the integer `e` has the bits of `x` from bit n on."""
    bits, start = e.type.bits, 0
    while True:
        if isinstance(e, Cast) and _is_integer(e.value.type) and start + bits <= e.value.type.bits:
            e = e.value
        elif isinstance(e, Call) and e.name == "shift_right" and e.call_type is CallType.INTRINSIC:
            amount = const_value(e.args[1])
            if amount is None or int(amount) < 0 or start + int(amount) + bits > e.type.bits:
                return e, start
            start += int(amount)
            e = e.args[0]
        else:
            return e, start


_RULES: dict[str, Callable[[Call], Expr]] = {
    "bitwise_and": _and,
    "bitwise_or": _or,
    "bitwise_xor": _xor,
    "bitwise_not": _not,
    "shift_left": _shift_left,
    "shift_right": _shift_right,
    "saturating_add": _saturating,
    "saturating_sub": _saturating,
    "saturating_cast": _saturating_cast,
}
