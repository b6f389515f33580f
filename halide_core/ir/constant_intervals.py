"""The arithmetic of intervals of integers: where the value of an operation lies when its operands lie in intervals.

    a in [0, 255], b in [1, 16]    a - b in [-16, 254]    a >> b in [0, 127]    a & b in [0, 16]

Values are mathematical integers: what an operation gives before it wraps.  Where an interval reaches beyond the type
of the operation, nothing is known of what is left after wrapping but the type: whoever asks must look (`inside`).
Operations whose definition clamps, as `saturating_add`, stay in their type.  The analyses that walk expressions
(`passes/narrow.py`, `passes/corner_bounds.py`, `ir/identities.py`, `lifter/algebra/value_ranges.py`) differ in what
they know of variables and loads; what operators do is here alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from halide_core.ir import expr as ir
from halide_core.ir.expr import Call, CallType, Expr
from halide_core.ir.structural import key
from halide_core.ir.types import Type

Range = tuple[int, int]
"""The least and the greatest value, both inclusive."""
Ends = tuple[int | None, int | None]
"""As a Range; None where an end is not known."""


def full(t: Type) -> Range:
    """Every value of a type."""
    return t.min(), t.max()


def inside(r: Range, t: Type) -> bool:
    """Whether a type holds every value of an interval, so that nothing wraps."""
    return bool(t.min() <= r[0] and r[1] <= t.max())


def joined(a: Range, b: Range) -> Range:
    """The smallest interval around both."""
    return min(a[0], b[0]), max(a[1], b[1])


def clamped(r: Range, t: Type) -> Range:
    """What is left of an interval when its values are clamped to a type."""
    return max(min(r[0], t.max()), t.min()), max(min(r[1], t.max()), t.min())


def product(a: Range, b: Range) -> Range:
    """Products of the values of two intervals."""
    return _corners(a, b, lambda x, y: x * y)


def absolute(a: Range) -> Range:
    """Absolute values."""
    low, high = abs(a[0]), abs(a[1])
    return 0 if a[0] <= 0 <= a[1] else min(low, high), max(low, high)


def arithmetic(e: Expr, parts: Sequence[Range]) -> Range | None:
    """Where the operation `e`, of integers, lies with its operands in `parts`; None where nothing is known.

    Conversions, choices, variables and reads are no operations: what they say is up to the analysis."""
    if isinstance(e, Call):
        return _intrinsic(e, parts) if e.call_type is CallType.INTRINSIC and parts else None
    if len(parts) != 2:
        return None
    a, b = parts
    match e:
        case ir.Add():
            return a[0] + b[0], a[1] + b[1]
        case ir.Sub():
            return a[0] - b[1], a[1] - b[0]
        case ir.Mul() if key(e.a) == key(e.b):
            roots = absolute(a)
            return roots[0] * roots[0], roots[1] * roots[1]
        case ir.Mul():
            return product(a, b)
        case ir.Min():
            return min(a[0], b[0]), min(a[1], b[1])
        case ir.Max():
            return max(a[0], b[0]), max(a[1], b[1])
        case ir.Div() if b[0] == b[1] > 0:
            return a[0] // b[0], a[1] // b[0]
        case ir.Mod() if b[0] == b[1] > 0:
            return 0, b[0] - 1
    return None


def asked(e: Expr, parts: Sequence[Range], names: frozenset[str], any_sign: bool = False) -> Range | None:
    """As `arithmetic`, for an analysis that asks about the intrinsics `names` only: of shifts about those by one
    number, of `bitwise_and`, unless of `any_sign`, about numbers that are not negative.

    What an analysis knows decides which types code is narrowed to: one that asks for more is to be measured."""
    if isinstance(e, Call):
        if e.name not in names or (e.name in ("shift_left", "shift_right") and parts[1][0] != parts[1][1]):
            return None
        if e.name == "bitwise_and" and not any_sign and any(low < 0 for low, _ in parts):
            return None
    return arithmetic(e, parts)


def half_open(e: ir.Add | ir.Min | ir.Max, a: Ends, b: Ends) -> Ends:
    """As `arithmetic`, where ends of the operands need not be known."""
    lows, highs = (a[0], b[0]), (a[1], b[1])
    if isinstance(e, ir.Add):
        return _of_all(sum, lows), _of_all(sum, highs)
    if isinstance(e, ir.Min):
        return _of_all(min, lows), _of_known(min, highs)
    return _of_known(max, lows), _of_all(max, highs)


def _of_all(combine: Callable[[Iterable[int]], int], values: Sequence[int | None]) -> int | None:
    known = [v for v in values if v is not None]
    return combine(known) if len(known) == len(values) else None


def _of_known(combine: Callable[[Iterable[int]], int], values: Sequence[int | None]) -> int | None:
    known = [v for v in values if v is not None]
    return combine(known) if known else None


def _corners(a: Range, b: Range, at: Callable[[int, int], int]) -> Range:
    """Of an operation that rises or falls with each operand while the other stands still."""
    found = [at(x, y) for x in a for y in b]
    return min(found), max(found)


# Operations of two operands whose extremes are at the corners, before they are clamped to the type or wrap.
_MONOTONIC: dict[str, Callable[[int, int], int]] = {
    "widening_add": lambda a, b: a + b,
    "widening_sub": lambda a, b: a - b,
    "widening_mul": lambda a, b: a * b,
    "saturating_add": lambda a, b: a + b,
    "saturating_sub": lambda a, b: a - b,
    "halving_add": lambda a, b: (a + b) >> 1,
    "halving_sub": lambda a, b: (a - b) >> 1,
    "rounding_halving_add": lambda a, b: (a + b + 1) >> 1,
}


def _intrinsic(e: Call, parts: Sequence[Range]) -> Range | None:
    a = parts[0]
    match e.name:
        case "abs":
            return absolute(a)
        case "likely" | "strict_float":
            return a
        case "saturating_cast":
            return clamped(a, e.type)
        case "popcount" | "count_leading_zeros":
            return 0, e.args[0].type.bits
    return _of_two(e, a, parts[1]) if len(parts) == 2 else None


def _of_two(e: Call, a: Range, b: Range) -> Range | None:
    if e.name in _MONOTONIC:
        found = _corners(a, b, _MONOTONIC[e.name])
        return clamped(found, e.type) if e.name.startswith("saturating") else found
    match e.name:
        case "absd":
            return absolute((a[0] - b[1], a[1] - b[0]))
        case "div_round_to_zero" if b[0] == b[1] > 0:
            return _toward_zero(a[0], b[0]), _toward_zero(a[1], b[0])
        case "mod_round_to_zero" if b[0] == b[1] > 0:
            most = b[0] - 1
            return (0 if a[0] >= 0 else -most), (most if a[1] >= 0 else 0)
        # A negative count shifts the other way; one that may be anything makes numbers of as many digits.
        case "shift_right" if b[0] >= 0 and b[1] < e.type.bits:
            return _corners(a, b, lambda x, y: x >> y)
        case "shift_left" if b[0] >= 0 and b[1] < e.type.bits:
            return _corners(a, b, lambda x, y: x << y)
        # Of two's complement, where a number that is not negative leaves none of the other's upper bits.
        case "bitwise_and" if a[0] >= 0 or b[0] >= 0:
            return 0, min(x[1] for x in (a, b) if x[0] >= 0)
        case "bitwise_or" | "bitwise_xor" if a[0] >= 0 and b[0] >= 0:
            return 0, (1 << max(a[1], b[1]).bit_length()) - 1
    return None


def _toward_zero(a: int, b: int) -> int:
    return a // b if a >= 0 else -(-a // b)
