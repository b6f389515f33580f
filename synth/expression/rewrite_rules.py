"""Cheaper forms of one node: narrower arithmetic and the instructions that SIMD machines have.

These only propose.  Each proposal that is cheaper becomes a lemma `old == new` that the verifier proves for all values
of the terminals; a proposal that is not proved is dropped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from halide_core.ir import expr as E
from halide_core.ir.constant_intervals import Range
from halide_core.ir.expr import Call, Cast, Expr, Select, const, const_value, intrinsic
from halide_core.ir.structural import key, same
from halide_core.ir.types import Int, Type, UInt

RangeOf = Callable[[Expr], Range]


def smallest_type(r: Range, at_least: int = 8) -> Type | None:
    """The narrowest type that holds an interval, unsigned where it can be."""
    for bits in (8, 16, 32, 64):
        if bits < at_least:
            continue
        for t in (UInt(bits), Int(bits)):
            if t.min() <= r[0] and r[1] <= t.max():
                return t
    return None


def resize(e: Expr, t: Type) -> Expr:
    """`e` converted to `t`, through the casts it already bears where that changes nothing."""
    value = const_value(e)
    if value is not None:
        return const(value, t)
    while isinstance(e, Cast) and e.value.type.is_int_or_uint() and not e.value.type.is_bool():
        inner = e.value.type
        if (
            e.type.can_represent(inner)
            or (e.type.bits >= t.bits and inner.bits >= t.bits)
            or (t.bits <= e.type.bits and t.bits <= inner.bits)
        ):
            e = e.value
        else:
            break
    return e if e.type == t else Cast(t, e)


def proposals(n: Expr, range_of: RangeOf) -> Iterator[Expr]:
    """Equivalents of `n` worth pricing."""
    if n.type.is_float():
        return
    yield from _idioms(n, range_of)
    yield from _narrow(n, range_of)


# Narrowing.


def _narrow(n: Expr, range_of: RangeOf) -> Iterator[Expr]:
    if isinstance(n, Cast) and n.type.is_int_or_uint() and not n.type.is_bool():
        yield from _narrow_cast(n)
    comparison = isinstance(n, E.LT | E.LE | E.GT | E.GE | E.EQ | E.NE)
    if comparison and n.a.type.is_int_or_uint() and not n.a.type.is_bool():  # type: ignore[attr-defined]
        a, b = E.children(n)
        t = _common([range_of(a), range_of(b)], 8)
        if t is not None and t.bits <= a.type.bits:
            yield type(n)(n.type, resize(a, t), resize(b, t))  # type: ignore[call-arg]
    if not n.type.is_int_or_uint() or n.type.bits <= 8:
        return
    whole = range_of(n)
    if isinstance(n, E.Add | E.Sub | E.Mul):
        least = 16 if isinstance(n, E.Mul) else 8
        for t in _types_for(whole, least, n.type):
            yield Cast(n.type, type(n)(t, resize(n.a, t), resize(n.b, t)))
        if isinstance(n, E.Add) and n.type.bits == 32 and whole[0] >= 0 and 0xFFFF < whole[1] < 1 << 18:
            # a*m + b*(255 - m): the operands are not independent, and the sum may fit after all
            t = UInt(16)
            yield Cast(n.type, E.Add(t, resize(n.a, t), resize(n.b, t)))
    elif isinstance(n, E.Min | E.Max):
        t = _common([range_of(n.a), range_of(n.b)], 8)
        if t is not None and t.bits < n.type.bits:
            yield Cast(n.type, type(n)(t, resize(n.a, t), resize(n.b, t)))
    elif isinstance(n, E.Div | E.Mod):
        divisor = int(const_value(n.b) or 0)
        t = _common([range_of(n.a), range_of(n.b)], 8 if divisor and not divisor & (divisor - 1) else 16)
        if t is not None and t.bits <= n.type.bits and t != n.type:
            yield Cast(n.type, type(n)(t, resize(n.a, t), resize(n.b, t)))
    elif isinstance(n, Select):
        t = smallest_type(whole)
        if t is not None and t.bits < n.type.bits:
            yield Cast(n.type, Select(t, n.condition, resize(n.true_value, t), resize(n.false_value, t)))
    elif isinstance(n, Call) and n.name in E.INTRINSICS:
        yield from _narrow_intrinsic(n, range_of)


def _types_for(r: Range, least: int, now: Type) -> Iterator[Type]:
    t = smallest_type(r, least)
    if t is not None and t.bits < now.bits:
        yield t


def _common(rs: list[Range], least: int) -> Type | None:
    return smallest_type((min(r[0] for r in rs), max(r[1] for r in rs)), least)


def _narrow_cast(n: Cast) -> Iterator[Expr]:
    inner = n.value
    if isinstance(inner, Cast) and inner.value.type.is_int_or_uint() and not inner.value.type.is_bool():
        direct = resize(inner, n.type)
        if not same(direct, n):
            yield direct
    if inner.type.bits <= n.type.bits or not inner.type.is_int_or_uint():
        return
    if isinstance(inner, E.Add | E.Sub) or (isinstance(inner, E.Mul) and n.type.bits >= 16):
        yield type(inner)(n.type, resize(inner.a, n.type), resize(inner.b, n.type))
    elif isinstance(inner, Select):
        yield Select(n.type, inner.condition, resize(inner.true_value, n.type), resize(inner.false_value, n.type))
    elif isinstance(inner, Call) and inner.name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"):
        yield intrinsic(inner.name, n.type, *(resize(a, n.type) for a in inner.args))


def _narrow_intrinsic(n: Call, range_of: RangeOf) -> Iterator[Expr]:
    if n.name in ("div_round_to_zero", "mod_round_to_zero"):
        above, below = range_of(n.args[0]), range_of(n.args[1])
        if above[0] >= 0 and below[0] >= 0:  # zero divisors give zero in both
            kind = E.Div if n.name == "div_round_to_zero" else E.Mod
            t = _common([above, below], 16)
            if t is not None:
                yield resize(kind(t, resize(n.args[0], t), resize(n.args[1], t)), n.type)
        else:
            t = _common([above, below], 16)
            if t is not None and t.bits < n.type.bits:
                yield Cast(n.type, intrinsic(n.name, t, resize(n.args[0], t), resize(n.args[1], t)))
    elif n.name == "shift_right":
        t = _common([range_of(n.args[0]), range_of(n.args[1])], 16)
        if t is not None and t.bits <= n.type.bits and t != n.type:
            yield Cast(n.type, intrinsic(n.name, t, resize(n.args[0], t), resize(n.args[1], t)))
    elif n.name == "shift_left":
        t = _common([range_of(n), range_of(n.args[1])], 16)
        if t is not None and t.bits < n.type.bits:
            yield Cast(n.type, intrinsic(n.name, t, resize(n.args[0], t), resize(n.args[1], t)))
    elif n.name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        t = _common([range_of(a) for a in n.args], 8)
        if t is not None and t.bits < n.type.bits:
            yield Cast(n.type, intrinsic(n.name, t, *(resize(a, t) for a in n.args)))
    elif n.name == "abs":
        a = n.args[0]
        t = smallest_type((min(range_of(a)[0], -1), range_of(a)[1]), 8)
        if t is not None and t.bits < a.type.bits:
            yield Cast(n.type, intrinsic("abs", UInt(t.bits), resize(a, t)))


# Idioms.


def _idioms(n: Expr, range_of: RangeOf) -> Iterator[Expr]:
    if isinstance(n, Select):
        yield from _select_idioms(n)
    if isinstance(n, Call) and n.name == "abs" and isinstance(n.args[0], E.Sub):
        yield from _difference(n, range_of)
    if isinstance(n, Cast):
        yield from _cast_idioms(n, range_of)
    if isinstance(n, Call) and n.name == "saturating_cast":
        low, high = range_of(n.args[0])
        if n.type.min() <= low and high <= n.type.max():
            e = n.args[0]
            while isinstance(e, Cast) and e.value.type.is_int_or_uint() and e.value.type.bits == e.type.bits:
                e = e.value
            yield Cast(n.type, e)
    if isinstance(n, Call) and n.name == "bitwise_or":
        yield from _distance(*n.args)
    if isinstance(n, Call) and n.name == "bitwise_and":
        yield from _sign_masked(*n.args)
        yield from _sign_masked(*n.args[::-1])
    if isinstance(n, E.Sub):
        yield from _spread(n)
    if isinstance(n, E.Add | E.Sub) and n.type.is_int_or_uint():
        yield from _chosen_by_difference(n)
    if isinstance(n, Call) and n.name == "shift_right":
        yield from _shift_idioms(n, range_of)
    if isinstance(n, E.Div | E.Mul | E.Add) and n.type.is_int_or_uint():
        yield from _halving(n, range_of)
    if isinstance(n, E.Add | E.Sub) and n.type.is_int_or_uint():
        yield from _average_by_bits(n, range_of)
    if isinstance(n, E.Max | E.Min):
        yield from _saturating(n, range_of)


def _select_idioms(n: Select) -> Iterator[Expr]:
    c, a, b = n.condition, n.true_value, n.false_value
    if isinstance(c, E.LT | E.LE | E.GT | E.GE) and c.a.type.is_int_or_uint():
        left, right = (c.a, c.b) if isinstance(c, E.LT | E.LE) else (c.b, c.a)
        for small, large in ((left, right), (resize(left, n.type), resize(right, n.type))):
            if small.type != n.type:
                continue
            if _matches(a, small) and _matches(b, large):
                yield E.Min(n.type, small, large)
            if _matches(a, large) and _matches(b, small):
                yield E.Max(n.type, small, large)
        zero = const_value(right) == 0 or const_value(left) == 0
        x = left if const_value(right) == 0 else right
        if zero and x.type.is_int():
            magnitude = resize(intrinsic("abs", UInt(x.type.bits), x), n.type)
            yield magnitude
        # a limit one off: x > 255 ? 255 : x  and  x >= 256 ? 255 : x
        for x, limit in ((left, const_value(right)), (right, const_value(left))):
            if limit is None:
                continue
            for arm in (a, b):
                value = const_value(arm)
                if value is not None and abs(int(value) - int(limit)) <= 1:
                    y = resize(x, n.type)
                    yield E.Min(n.type, y, const(value, n.type))
                    yield E.Max(n.type, y, const(value, n.type))


def _matches(a: Expr, b: Expr) -> bool:
    return key(a) == key(b) or (const_value(a) is not None and const_value(a) == const_value(b) and a.type == b.type)


def _distance(a: Expr, b: Expr) -> Iterator[Expr]:
    """sat(x - y) | sat(y - x) of unsigned values."""
    if not isinstance(a, Call) or not isinstance(b, Call) or not a.name == b.name == "saturating_sub":
        return
    if a.type.is_uint() and key(a.args[0]) == key(b.args[1]) and key(a.args[1]) == key(b.args[0]):
        yield intrinsic("absd", a.type, *a.args)


def _sign_masked(x: Expr, mask: Expr) -> Iterator[Expr]:
    """x & (d >> c) and x & ~(d >> c), where the shift leaves the sign of d alone, which is x or -x."""
    mask = _bare(mask)
    kept = isinstance(mask, Call) and mask.name == "bitwise_not"
    shift = _bare(mask.args[0]) if kept and isinstance(mask, Call) else mask
    if not isinstance(shift, Call) or shift.name != "shift_right" or not x.type.is_int():
        return
    zero = const(0, x.type)
    opposite = isinstance(x, E.Sub) and const_value(x.a) == 0 and key(_bare(x.b)) == key(_bare(shift.args[0]))
    d = _bare(shift.args[0])
    if opposite and isinstance(d, E.Sub):
        x = E.Sub(x.type, resize(d.b, x.type), resize(d.a, x.type))
    if opposite or key(_bare(x)) == key(_bare(shift.args[0])):
        yield (E.Max if kept != opposite else E.Min)(x.type, x, zero)


def _chosen_by_difference(n: E.Add | E.Sub) -> Iterator[Expr]:
    """y + max(x - y, 0), which is the larger of the two, and x - max(x - y, 0), the smaller one."""
    pairs = ((n.a, n.b), (n.b, n.a)) if isinstance(n, E.Add) else ((n.a, n.b),)
    for other, positive in pairs:
        d = _bare(positive)
        if isinstance(d, E.Max) and const_value(d.b) == 0 and isinstance(_bare(d.a), E.Sub):
            x, y = E.children(_bare(d.a))
        elif isinstance(d, Call) and d.name == "saturating_sub" and d.type.is_uint():
            x, y = d.args
        else:
            continue
        if key(_bare(other)) == key(_bare(y if isinstance(n, E.Add) else x)):
            t = x.type if x.type == y.type else n.type
            kind = E.Max if isinstance(n, E.Add) else E.Min
            yield resize(kind(t, resize(x, t), resize(y, t)), n.type)


def _bare(e: Expr) -> Expr:
    """`e` without the conversions around it to wider integers."""
    while isinstance(e, Cast) and e.type.is_int_or_uint() and e.type.can_represent(e.value.type):
        e = e.value
    return e


def _spread(n: E.Sub) -> Iterator[Expr]:
    """max(x, y) - min(x, y), at any signedness."""
    a, b = (e.value if isinstance(e, Cast) and e.value.type.bits == e.type.bits else e for e in (n.a, n.b))
    if not isinstance(a, E.Max) or not isinstance(b, E.Min) or a.type != b.type or not a.type.is_uint():
        return
    if {key(a.a), key(a.b)} == {key(b.a), key(b.b)}:
        d = intrinsic("absd", a.type, a.a, a.b)
        yield d if d.type == n.type else Cast(n.type, d)


def _difference(n: Call, range_of: RangeOf) -> Iterator[Expr]:
    """|a - b| of unsigned values."""
    s = n.args[0]
    assert isinstance(s, E.Sub)
    t = _common([range_of(s.a), range_of(s.b)], 8)
    if t is not None and t.is_uint() and t.bits <= s.type.bits:
        yield resize(intrinsic("absd", t, resize(s.a, t), resize(s.b, t)), n.type)


def _cast_idioms(n: Cast, range_of: RangeOf) -> Iterator[Expr]:
    """u8(clamp(x, 0, 255)), u8(min(a + b, 255)), u8(max(a - b, 0))."""
    inner = n.value
    t = n.type
    if not t.is_int_or_uint() or t.is_bool() or t.bits > 16 or not inner.type.is_int_or_uint():
        return
    if isinstance(inner, E.Min | E.Max):
        x, limits = _strip_limits(inner)
        if x is not None and all(t.min() <= v <= t.max() for v in limits):
            if isinstance(x, E.Add | E.Sub):
                fits = all(t.min() <= r[0] and r[1] <= t.max() for r in (range_of(x.a), range_of(x.b)))
                if fits:
                    name = "saturating_add" if isinstance(x, E.Add) else "saturating_sub"
                    yield intrinsic(name, t, resize(x.a, t), resize(x.b, t))
            yield intrinsic("saturating_cast", t, x)
            source = smallest_type(range_of(x), 16)
            if source is not None and source.bits <= x.type.bits:
                # x86 packs signed words; an unsigned source wants a signed type of the same width
                signed = Int(source.bits) if range_of(x)[1] <= Int(source.bits).max() else source
                yield intrinsic("saturating_cast", t, resize(x, signed))
    if isinstance(inner, Select):
        yield from _cast_select(n, inner)


def _cast_select(n: Cast, inner: Select) -> Iterator[Expr]:
    """Branchless clamps written as selects, nested either way."""
    found = [inner.true_value, inner.false_value]
    for arm in list(found):
        if isinstance(arm, Select):
            found += [arm.true_value, arm.false_value]
    for x in found:
        if const_value(x) is None and not isinstance(x, Select):
            yield intrinsic("saturating_cast", n.type, x)


def _strip_limits(e: Expr) -> tuple[Expr | None, list[int]]:
    limits: list[int] = []
    while isinstance(e, E.Min | E.Max):
        a, b = const_value(e.a), const_value(e.b)
        if b is not None:
            limits.append(int(b))
            e = e.a
        elif a is not None:
            limits.append(int(a))
            e = e.b
        else:
            return None, []
    return e, limits


def _sum_of(e: Expr, c: int) -> tuple[Expr, Expr] | None:
    """(a, b) where `e` is a + b + c in some order."""
    terms: list[Expr] = []
    stack = [e]
    total = 0
    while stack:
        n = stack.pop()
        value = const_value(n)
        if isinstance(n, E.Add):
            stack += [n.b, n.a]
        elif isinstance(n, Cast) and isinstance(n.value, E.Add) and n.type.bits > n.value.type.bits:
            stack.append(n.value)
        elif value is not None:
            total += int(value)
        else:
            terms.append(n)
    return (terms[0], terms[1]) if len(terms) == 2 and total == c else None


def _halving(n: Expr, range_of: RangeOf) -> Iterator[Expr]:
    if isinstance(n, E.Div) and const_value(n.b) == 2:
        yield from _averages(n.a, n.type, range_of)


def _shift_idioms(n: Call, range_of: RangeOf) -> Iterator[Expr]:
    amount = const_value(n.args[1])
    if amount == 1:
        yield from _averages(n.args[0], n.type, range_of)
    if amount == 8:
        yield from _div255(n, range_of)


def _averages(total: Expr, out: Type, range_of: RangeOf) -> Iterator[Expr]:
    for rounding, name in ((0, "halving_add"), (1, "rounding_halving_add")):
        pair = _sum_of(total, rounding)
        if pair is not None:
            t = _common([range_of(pair[0]), range_of(pair[1])], 8)
            if t is not None and t.bits < 32:
                yield resize(intrinsic(name, t, resize(pair[0], t), resize(pair[1], t)), out)


def _average_by_bits(n: E.Add | E.Sub, range_of: RangeOf) -> Iterator[Expr]:
    """(a & b) + ((a ^ b) >> 1), and with the half rounded up (a | b) - ((a ^ b) >> 1)."""
    common, name = ("bitwise_and", "halving_add") if isinstance(n, E.Add) else ("bitwise_or", "rounding_halving_add")
    for both, shifted in ((n.a, n.b), (n.b, n.a)) if isinstance(n, E.Add) else ((n.a, n.b),):
        half = _halved(_uncast(shifted, range_of), range_of)
        if not isinstance(both, Call) or both.name != common or not isinstance(half, Call):
            continue
        if half.name != "bitwise_xor" or {key(e) for e in half.args} != {key(e) for e in both.args}:
            continue
        a, b = both.args
        t = _common([range_of(a), range_of(b)], 8)
        if t is not None and t.is_uint() and t.bits < 32:
            yield resize(intrinsic(name, t, resize(a, t), resize(b, t)), n.type)


def _halved(e: Expr, range_of: RangeOf) -> Expr | None:
    """x of x >> 1 or x / 2."""
    if isinstance(e, Call) and e.name == "shift_right" and const_value(e.args[1]) == 1:
        return _uncast(e.args[0], range_of)
    return _uncast(e.a, range_of) if isinstance(e, E.Div) and const_value(e.b) == 2 else None


def _uncast(e: Expr, range_of: RangeOf) -> Expr:
    """`e` without casts that do not change its value."""
    while isinstance(e, Cast) and e.type.is_int_or_uint() and e.value.type.is_int_or_uint():
        low, high = range_of(e.value)
        if low < e.type.min() or high > e.type.max():
            break
        e = e.value
    return e


def _div255(n: Call, range_of: RangeOf) -> Iterator[Expr]:
    """(v + (v >> 8)) >> 8, the multiply-free division by 255 of v - 128 rounded, or of v - 1 truncated."""
    total = n.args[0]
    if isinstance(total, Cast):
        total = total.value
    if not isinstance(total, E.Add):
        return
    for v, other in ((total.a, total.b), (total.b, total.a)):
        plain = resize(v, n.type)
        quotient = const(255, UInt(16))
        low, high = range_of(v)
        if low < 1 or high > 65535 + 128 or not _has_shift(other):
            continue
        for bias in (1, 128):
            shifted = E.Sub(n.type, plain, const(bias, n.type)) if bias == 128 else plain
            if bias == 128 and isinstance(plain, E.Add) and const_value(plain.b) is not None:
                shifted = E.Add(n.type, plain.a, const(int(const_value(plain.b) or 0) - 1, n.type))
            elif bias == 128:
                shifted = E.Sub(n.type, plain, const(1, n.type))
            yield resize(E.Div(UInt(16), resize(shifted, UInt(16)), quotient), n.type)


def _has_shift(e: Expr) -> bool:
    while isinstance(e, Cast):
        e = e.value
    return (isinstance(e, Call) and e.name == "shift_right" and const_value(e.args[1]) == 8) or (
        isinstance(e, E.Div) and const_value(e.b) in (255, 256)
    )


def _saturating(n: E.Max | E.Min, range_of: RangeOf) -> Iterator[Expr]:
    """max(a - b, 0) and min(a + b, limit) at the width of the operands."""
    x, limits = _strip_limits(n)
    if x is None or not isinstance(x, E.Add | E.Sub) or len(limits) != 1:
        return
    t = _common([range_of(x.a), range_of(x.b)], 8)
    if t is None or t.bits >= n.type.bits:
        return
    name = "saturating_add" if isinstance(x, E.Add) else "saturating_sub"
    yield Cast(n.type, intrinsic(name, t, resize(x.a, t), resize(x.b, t)))
