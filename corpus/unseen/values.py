"""Text of expressions with their types and the intervals that hold their values, so that no integer overflows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

INTEGERS = {
    "u8": (0, 255), "i16": (-32768, 32767), "u16": (0, 65535), "i32": (-(1 << 31), (1 << 31) - 1),
}
BITS = {"u8": 8, "i16": 16, "u16": 16, "i32": 32, "f32": 32}
HALIDE = {"u8": "hl.UInt(8)", "i16": "hl.Int(16)", "u16": "hl.UInt(16)", "i32": "hl.Int(32)", "f32": "hl.Float(32)"}
NUMPY = {"u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32", "f32": "float32"}
# What a stage may store: sums and products of a few such values still fit 32 bits.
_STORED = 1 << 20
# Beyond which a working value is scaled down before anything more is done to it.
_LARGE = 1 << 29


@dataclass(frozen=True, slots=True)
class Value:
    """An expression: its text, its type, and ends that its values do not leave."""

    text: str
    type: str
    low: float
    high: float

    @property
    def is_float(self) -> bool:
        return self.type == "f32"

    def magnitude(self) -> float:
        """The largest absolute value."""
        return max(abs(self.low), abs(self.high))


def fits(low: float, high: float, type_: str) -> bool:
    """Whether a type holds all values of an interval."""
    return type_ == "f32" or (INTEGERS[type_][0] <= low and high <= INTEGERS[type_][1])


def cast(v: Value, type_: str) -> Value:
    """`v` as one of a type that holds its values."""
    return v if v.type == type_ else Value(f"hl.{type_}({v.text})", type_, v.low, v.high)


def literal(number: float, type_: str) -> str:
    """A number as text of a type."""
    return f"hl.f32({round(number, 5)!r})" if type_ == "f32" else str(int(number))


def working_type(rng: random.Random, low: float, high: float, floats: bool) -> str:
    """A type to compute values of an interval in: narrow ones as well as int32, as experts have it."""
    if floats:
        return "f32"
    narrow = [t for t in ("u16", "i16") if fits(low, high, t)]
    return rng.choice(narrow) if narrow and rng.random() < 0.6 else "i32"


def weighted(rng: random.Random, taps: Sequence[Value], weights: Sequence[float]) -> Value:
    """A sum of products with constants."""
    low = sum(min(w * v.low, w * v.high) for v, w in zip(taps, weights, strict=True))
    high = sum(max(w * v.low, w * v.high) for v, w in zip(taps, weights, strict=True))
    # Partial sums stay within the sum of what each side adds up to.
    least = sum(min(0, w * v.low, w * v.high) for v, w in zip(taps, weights, strict=True))
    most = sum(max(0, w * v.low, w * v.high) for v, w in zip(taps, weights, strict=True))
    floats = any(v.is_float for v in taps) or any(isinstance(w, float) for w in weights)
    if least < 0 or any(w < 0 for w in weights):
        least = min(least, -1)
    t = working_type(rng, least, most, floats)
    text = ""
    for v, w in zip(taps, weights, strict=True):
        term = cast(v, t).text
        term = term if abs(w) == 1 else f"{term} * {literal(abs(w), t)}"
        text = f"{text} {'-' if w < 0 else '+'} {term}" if text else (term if w > 0 else f"0 - {term}")
    return Value(f"({text})", t, low, high)


def scaled_down(rng: random.Random, v: Value, by: int) -> Value:
    """An integer over a positive number, as a division or, where it is a power of two, often a shift."""
    if by <= 1:
        return v
    low, high = v.low // by, v.high // by
    if by & (by - 1) == 0 and rng.random() < 0.6:
        return Value(f"({v.text} >> {by.bit_length() - 1})", v.type, low, high)
    return Value(f"({v.text} / {by})", v.type, low, high)


def within(rng: random.Random, v: Value, size: float) -> Value:
    """`v` brought to absolute values of at most `size`."""
    if v.magnitude() <= size:
        return v
    if v.is_float:
        factor = size / v.magnitude()
        return Value(f"({v.text} * {literal(factor, 'f32')})", "f32", v.low * factor, v.high * factor)
    shift = 0
    while v.magnitude() / (1 << shift) > size:
        shift += 1
    return scaled_down(rng, v, 1 << shift)


def product(rng: random.Random, a: Value, b: Value) -> Value:
    """A product, of factors scaled down as far as it takes."""
    if a.is_float or b.is_float:
        a, b = (within(rng, cast(v, "f32"), 64.0) for v in (a, b))
    else:
        a, b = (within(rng, cast(v, "i32"), 1 << 13) for v in (a, b))
    ends = [p * q for p in (a.low, a.high) for q in (b.low, b.high)]
    return Value(f"({a.text} * {b.text})", a.type, min(ends), max(ends))


def stored(rng: random.Random, v: Value, total: int = 1) -> Value:
    """What a stage stores of a working value: over `total`, narrowed or clamped to a type."""
    if v.is_float:
        return within(rng, v, 1e3)
    if total > 1 and (v.magnitude() > _LARGE or rng.random() < 0.9):
        v = scaled_down(rng, v, total)
    v = within(rng, v, _STORED)
    if rng.random() < 0.15 and not fits(v.low, v.high, "u8"):
        return Value(f"hl.u8(hl.clamp({v.text}, 0, 255))", "u8", 0, 255) if rng.random() < 0.5 else Value(
            f"hl.u8_sat({v.text})", "u8", 0, 255
        )
    holding = [t for t in ("u8", "i16", "u16", "i32") if fits(v.low, v.high, t)]
    return cast(v, holding[0] if rng.random() < 0.7 else rng.choice(holding))
