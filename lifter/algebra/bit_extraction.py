"""Bits taken out of words: `uint8((uint32(a) | uint32(b) << 8) >> 8)` is `b`.

What code that packs and unpacks pixels in words computes, channel by channel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from halide_core.ir.expr import Add, Call, CallType, Cast, Expr, Sub, const, const_value, intrinsic
from halide_core.ir.structural import key, post_order, transform
from halide_core.ir.types import Type, UInt

Inline = Callable[[Call], Expr | None]
_LIMIT = 64
"""Depth of operators looked through."""


def take_bits(e: Expr, inline: Inline = lambda _call: None) -> Expr:
    """`e` with conversions to narrower integers, and masks of low bits, as the bits they take; equal to `e`.

    `inline` gives the body of a pure function that makes a word."""
    words = _Words(inline)
    return transform(e, lambda n: _taken(n, words))


def take_bits_node(n: Expr, inline: Inline = lambda _call: None) -> Expr:
    """`take_bits` of one node whose children are done."""
    return _taken(n, _Words(inline))


@dataclass(frozen=True, slots=True)
class _Words:
    """What is known of words' bits.  Parts are shared: of a network that sorts by sums each of many."""

    inline: Inline
    bits: dict[tuple[int, int, int], Expr | None] = field(default_factory=dict)
    ones: dict[int, int] = field(default_factory=dict)


def _taken(n: Expr, words: _Words) -> Expr:
    if isinstance(n, Cast) and _is_word(n.type) and _is_word(n.value.type) and n.type.bits < n.value.type.bits:
        found = _bits(n.value, 0, n.type.bits, _LIMIT, words)
        return n if found is None else _as(found, n.type)
    if isinstance(n, Call) and n.name == "bitwise_and" and _is_word(n.type):
        mask = const_value(n.args[1])
        width = _low_ones(int(mask)) if mask is not None else 0
        if width in (8, 16, 32) and width < n.type.bits:
            found = _bits(n.args[0], 0, width, _LIMIT, words)
            return n if found is None else _as(_as(found, UInt(width)), n.type)
        if mask is not None:
            return _masked(n, int(mask) & ((1 << n.type.bits) - 1))
    return n


def _masked(n: Call, mask: int) -> Expr:
    """`n`, something under a mask, without operands that only have bits which the mask leaves out, and without the mask
    where nothing else is left to leave out: of `(a >> 1 | b << 7) & 127` that is `a >> 1`."""
    e = n.args[0]
    while isinstance(e, Call) and e.name in ("bitwise_or", "bitwise_xor"):
        kept = [x for x in e.args if _ones(x) & mask]
        if len(kept) == len(e.args):
            break
        e = kept[0] if kept else const(0, e.type)
    if not _ones(e) & ~mask:
        return e
    return n if e is n.args[0] else intrinsic("bitwise_and", n.type, e, n.args[1])


def _ones(e: Expr, known: dict[int, int] | None = None) -> int:
    """The bits of an integer that may be ones."""
    found = known if known is not None else {}  # parts are shared, as those of a word whose bits are reversed
    if key(e) not in found:
        for n in post_order(e):
            if key(n) not in found:
                found[key(n)] = _own_ones(n, found)
    return found[key(e)]


def _own_ones(e: Expr, found: dict[int, int]) -> int:
    if not _is_word(e.type):
        return 0
    every = (1 << e.type.bits) - 1
    value = const_value(e)
    if value is not None:
        return int(value) & every
    if isinstance(e, Cast) and _is_word(e.value.type) and e.value.type.is_uint():
        return found[key(e.value)] & every
    if not isinstance(e, Call) or e.call_type is not CallType.INTRINSIC or len(e.args) != 2:
        return every
    amount = const_value(e.args[1])
    if e.name == "bitwise_and":
        return found[key(e.args[0])] & found[key(e.args[1])]
    if e.name in ("bitwise_or", "bitwise_xor"):
        return found[key(e.args[0])] | found[key(e.args[1])]
    if e.name == "shift_left" and amount is not None and 0 <= amount < e.type.bits:
        return found[key(e.args[0])] << int(amount) & every
    if e.name == "shift_right" and amount is not None and 0 <= amount < e.type.bits and e.type.is_uint():
        return found[key(e.args[0])] >> int(amount)
    return every


def _ones_without(e: Sub) -> int | None:
    """The ones from which `e` takes some away, where it does nothing else: 65535 - x, with an x of 16 bits."""
    if not _is_word(e.type) or (value := const_value(e.a)) is None:
        return None
    ones = int(value) & ((1 << e.type.bits) - 1)
    return ones if _low_ones(ones) and not _ones(e.b) & ~ones else None


def _is_word(t: Type) -> bool:
    return t.is_int_or_uint() and not t.is_bool()


def _low_ones(mask: int) -> int:
    return mask.bit_length() if mask > 0 and mask & (mask + 1) == 0 else 0


def _as(e: Expr, t: Type) -> Expr:
    if e.type == t:
        return e
    value = const_value(e)
    return const(int(value), t) if value is not None else Cast(t, e)


def _bits(e: Expr, low: int, width: int, depth: int, words: _Words) -> Expr | None:
    """Bits low .. low + width - 1 of `e` as an unsigned integer of `width` bits; None where that is no simpler."""
    if depth == 0:
        return None
    asked = key(e), low, width
    if asked not in words.bits:
        words.bits[asked] = _own_bits(e, low, width, depth, words)
    return words.bits[asked]


def _own_bits(e: Expr, low: int, width: int, depth: int, words: _Words) -> Expr | None:
    value = const_value(e)
    if value is not None:
        return const((int(value) >> low) & ((1 << width) - 1), UInt(width))
    if low == 0 and e.type.bits == width:
        return _as(e, UInt(width))
    if isinstance(e, Cast) and _is_word(e.value.type):
        return _bits_of_cast(e, low, width, depth, words)
    if isinstance(e, Call) and e.call_type is CallType.FUNCTION:
        body = words.inline(e)
        return None if body is None else _bits(body, low, width, depth - 1, words)
    if isinstance(e, Sub) and _ones_without(e) is not None:
        # Nothing is borrowed: each bit is the other one.
        a, b = (_bits(x, low, width, depth - 1, words) for x in (e.a, e.b))
        if a is not None and b is not None and const_value(a) == (1 << width) - 1:
            return Sub(UInt(width), a, b)
        return _combined("bitwise_xor", a, b, width)
    if isinstance(e, Add | Sub) and _is_word(e.type) and low + width <= e.type.bits:
        return _bits_of_sum(e, low, width, depth, words)
    if not isinstance(e, Call) or e.call_type is not CallType.INTRINSIC:
        return None
    if e.name in ("shift_left", "shift_right"):
        amount = const_value(e.args[1])
        if amount is None or not 0 <= amount < e.type.bits:
            return None
        start = low - int(amount) if e.name == "shift_left" else low + int(amount)
        if e.name == "shift_left" and start + width <= 0:
            return const(0, UInt(width))
        if start < 0:
            moved = _bits(e.args[0], 0, width, depth - 1, words)
            return None if moved is None else intrinsic("shift_left", UInt(width), moved, const(-start, UInt(width)))
        if start + width > e.type.bits:
            # Zeros come in from above; of a signed word its sign does.
            return const(0, UInt(width)) if e.type.is_uint() and start >= e.type.bits else None
        return _bits(e.args[0], start, width, depth - 1, words)
    if e.name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        a, b = (_bits(x, low, width, depth - 1, words) for x in e.args)
        return _combined(e.name, a, b, width)
    return None


def _bits_of_sum(e: Add | Sub, low: int, width: int, depth: int, words: _Words) -> Expr | None:
    """Of words that are added lane by lane: `(a & 0x7f7f) + (b & 0x7f7f)`, `(a | 0x8080) - (b & 0x7f7f)`. What lies
    below carries and borrows nothing."""
    below = (1 << low) - 1
    if isinstance(e, Add):
        apart = not below or (_ones(e.a, words.ones) & below) + (_ones(e.b, words.ones) & below) <= below
    else:
        apart = not below or _sure_ones(e.a) & below >= _ones(e.b, words.ones) & below
    a = _bits(e.a, low, width, depth - 1, words) if apart else None
    b = _bits(e.b, low, width, depth - 1, words) if a is not None else None
    return None if a is None or b is None else type(e)(UInt(width), a, b)


def _sure_ones(e: Expr) -> int:
    """Bits of an integer that are ones for sure."""
    value = const_value(e)
    if value is not None and _is_word(e.type):
        return int(value) & ((1 << e.type.bits) - 1)
    if isinstance(e, Call) and e.call_type is CallType.INTRINSIC and e.name == "bitwise_or":
        return _sure_ones(e.args[0]) | _sure_ones(e.args[1])
    return 0


def _bits_of_cast(e: Cast, low: int, width: int, depth: int, words: _Words) -> Expr | None:
    inner = e.value
    bits = inner.type.bits
    if low + width <= bits:
        return _bits(inner, low, width, depth - 1, words)
    if inner.type.is_uint() and low >= bits:
        return const(0, UInt(width))
    # Above the operand lie zeros or its sign, as a conversion gives them too.
    if low == 0:
        return Cast(UInt(width), inner) if bits < width else None
    if not inner.type.is_uint():
        return None
    whole = _bits(inner, 0, bits, depth - 1, words)
    return None if whole is None else _as(_shifted_right(whole, low), UInt(width))


def _shifted_right(e: Expr, amount: int) -> Expr:
    """e >> amount of an unsigned integer; shifts after one another are one."""
    if isinstance(e, Call) and e.name == "shift_right":
        before = const_value(e.args[1])
        if before is not None and 0 <= before < e.type.bits:
            return _shifted_right(e.args[0], amount + int(before))
    if amount >= e.type.bits:
        return const(0, e.type)
    return intrinsic("shift_right", e.type, e, const(amount, e.type))


def _combined(name: str, a: Expr | None, b: Expr | None, width: int) -> Expr | None:
    ones = (1 << width) - 1
    for one, other in ((a, b), (b, a)):
        value = const_value(one) if one is not None else None
        if name == "bitwise_and" and value == 0:
            return one
        if other is None or value is None:
            continue
        if name == "bitwise_and" and value == ones:
            return other
        if name != "bitwise_and" and value == 0:
            return other
    return None if a is None or b is None else intrinsic(name, UInt(width), a, b)
