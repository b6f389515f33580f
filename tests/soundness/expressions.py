"""Random C++ integer expressions without undefined behaviour: each carries the interval of its values."""

from __future__ import annotations

import random
from dataclasses import dataclass

INT_MIN, INT_MAX = -(2**31), 2**31 - 1
RANGES = {
    "uint8_t": (0, 255), "int8_t": (-128, 127), "uint16_t": (0, 65535), "int16_t": (-32768, 32767),
    "int32_t": (INT_MIN, INT_MAX), "uint32_t": (0, 2**32 - 1),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Value:
    """An expression of type int, and the least and greatest value that it may have."""

    text: str
    low: int
    high: int

    def fits(self) -> bool:
        return self.low >= INT_MIN and self.high <= INT_MAX


def read(text: str, type_: str) -> Value:
    """An element of an array, promoted to int; of 32 bits, cut to where arithmetic is safe."""
    low, high = RANGES[type_]
    if high > INT_MAX:
        return Value(f"(int)({text} & 0xffff)", 0, 65535)
    return Value(text, low, high)


def combine(rng: random.Random, atoms: list[Value], depth: int, tables: list[str]) -> Value:
    """A random expression over the atoms."""
    if depth == 0 or rng.random() < 0.12:
        return rng.choice(atoms) if rng.random() < 0.85 else _constant(rng)
    for _ in range(20):
        made = _operation(rng, atoms, depth, tables)
        if made is not None and made.fits() and len(made.text) < 400:
            return made
    return rng.choice(atoms)


def _constant(rng: random.Random) -> Value:
    n = rng.choice([0, 1, 2, 3, 5, 7, 8, 16, 77, 127, 128, 255, 256, rng.randint(-300, 300)])
    return Value(str(n) if n >= 0 else f"({n})", n, n)


def _operation(rng: random.Random, atoms: list[Value], depth: int, tables: list[str]) -> Value | None:
    a = combine(rng, atoms, depth - 1, tables)
    kind = rng.choice(["+", "+", "-", "-", "*", "pick", "min", "clamp", "abs", ">>", "<<", "/", "%", "&", "|", "cast",
                       "hash", "table", "average", "blend"])  # fmt: skip
    if kind in ("+", "-", "*", "pick", "min", "|", "average", "blend"):
        return _two(rng, kind, a, combine(rng, atoms, depth - 1, tables), atoms)
    n = rng.randint(1, 9)
    match kind:
        case "clamp":
            low, high = rng.choice([(0, 255), (0, 255), (-128, 127), (0, 65535), (16, 235)])
            text = f"({a.text} < {low} ? {low} : {a.text} > {high} ? {high} : {a.text})"
            return Value(text, max(low, min(a.low, high)), min(high, max(a.high, low)))
        case "abs":
            if a.low == INT_MIN:
                return None
            return Value(f"({a.text} < 0 ? -({a.text}) : {a.text})", 0, max(abs(a.low), abs(a.high)))
        case ">>":
            return Value(f"({a.text} >> {n})", a.low >> n, a.high >> n)
        case "<<":
            return Value(f"({a.text} << {n})", a.low << n, a.high << n) if a.low >= 0 else None
        case "/":
            ends = sorted(int(x / n) for x in (a.low, a.high))
            return Value(f"({a.text} / {n})", ends[0], ends[1])
        case "%":
            return Value(f"({a.text} % {n})", -(n - 1) if a.low < 0 else 0, n - 1)
        case "&":
            mask = rng.choice([1, 3, 15, 127, 240, 255, 0x7FFF])
            return Value(f"({a.text} & {mask})", 0, mask)
        case "cast":
            t = rng.choice(["uint8_t", "int8_t", "uint16_t", "int16_t"])
            low, high = RANGES[t]
            inside = low <= a.low and a.high <= high
            return Value(f"({t})({a.text})", *((a.low, a.high) if inside else (low, high)))
        case "hash":
            factor, shift = rng.choice([3, 257, 40503, 2654435761]), rng.randint(16, 28)
            return Value(f"(int)(((uint32_t)({a.text}) * {factor}u) >> {shift})", 0, (1 << (32 - shift)) - 1)
        case "table":
            if not tables:
                return None
            return Value(f"{rng.choice(tables)}[{a.text} & 15]", 0, 255)
    return None


def _two(rng: random.Random, kind: str, a: Value, b: Value, atoms: list[Value]) -> Value:
    match kind:
        case "+":
            return Value(f"({a.text} + {b.text})", a.low + b.low, a.high + b.high)
        case "-":
            return Value(f"({a.text} - {b.text})", a.low - b.high, a.high - b.low)
        case "*":
            ends = [x * y for x in (a.low, a.high) for y in (b.low, b.high)]
            return Value(f"({a.text} * {b.text})", min(ends), max(ends))
        case "pick":
            c, d = rng.choice(atoms), rng.choice(atoms)
            other = d.text if rng.random() < 0.6 else str(rng.randint(0, 200))
            test = f"{c.text} {rng.choice(['<', '>', '<=', '==', '!='])} {other}"
            return Value(f"({test} ? {a.text} : {b.text})", min(a.low, b.low), max(a.high, b.high))
        case "min":
            sign = rng.choice("<>")
            return Value(f"({a.text} {sign} {b.text} ? {a.text} : {b.text})", min(a.low, b.low), max(a.high, b.high))
        case "average":
            return Value(f"(({a.text} + {b.text} + 1) >> 1)", (a.low + b.low + 1) >> 1, max(a.high, 0) + max(b.high, 0))
        case "blend":
            small_a, small_b = Value(f"(({a.text}) & 255)", 0, 255), Value(f"(({b.text}) & 255)", 0, 255)
            m = rng.choice([1, 7, 64, 128, 255])
            divide = rng.choice(["/ 255", ">> 8", "/ 256"])
            text = f"(({small_a.text} * {m} + {small_b.text} * (255 - {m}) + 127) {divide})"
            return Value(text, 0, 256)
    low = -(1 << 31) if min(a.low, b.low) < 0 else 0
    bits = max(a.high, b.high, 0).bit_length()
    return Value(f"({a.text} | {b.text})", low, (1 << bits) - 1)
