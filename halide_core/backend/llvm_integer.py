"""Integer operations as LLVM instructions: wrapping, without traps, without needless extension."""

from __future__ import annotations

from halide_core.backend.llvm_builder import FunctionBuilder
from halide_core.backend.llvm_types import literal, llvm_type
from halide_core.ir.types import Bool, Float, Int, Type, UInt


def select(b: FunctionBuilder, t: Type, condition: str, yes: str, no: str, scalar_condition: bool = False) -> str:
    kind = "i1" if scalar_condition else llvm_type(Bool(t.lanes))
    return b.emit(f"select {kind} {condition}, {llvm_type(t)} {yes}, {llvm_type(t)} {no}")


def binary(b: FunctionBuilder, op: str, t: Type, x: str, y: str) -> str:
    return b.emit(f"{op} {llvm_type(t)} {x}, {y}")


def compare(b: FunctionBuilder, op: str, t: Type, x: str, y: str) -> str:
    return b.emit(f"icmp {op} {llvm_type(t)} {x}, {y}")


def negate(b: FunctionBuilder, t: Type, x: str) -> str:
    return binary(b, "sub", t, literal(0, t), x)


def floor_by_positive(b: FunctionBuilder, t: Type, x: str, magnitude: str) -> str:
    """floor(x / magnitude) of a signed x by an unsigned non-zero magnitude."""
    sign = binary(b, "ashr", t, x, literal(t.bits - 1, t))
    positive = binary(b, "xor", t, x, sign)
    quotient = quotient_to_zero(b, t.with_code(t.code.UINT), positive, magnitude)
    return binary(b, "xor", t, quotient, sign)


def quotient_to_zero(b: FunctionBuilder, t: Type, x: str, y: str) -> str:
    """x / y towards zero, of a non-zero y that is not -1 for signed types.

    Vectors of up to 16 bits divide as floats, which is exact: a quotient q + 1 - k/y below an integer q + 1 is at
    least 1/y away from it, and floats near it are (q + 1) / 2**23 apart at most, less than twice that since
    y * (q + 1) <= x + y < 2**24.  Those of 32 bits divide as doubles, by the same argument: y * (q + 1) < 2**33, and
    doubles are (q + 1) / 2**52 apart.  No constant divisors: those become multiplications."""
    if t.is_scalar() or t.bits > 32 or y.startswith(("<", "splat")):
        return binary(b, "sdiv" if t.is_int() else "udiv", t, x, y)
    if t.bits == 32:
        return _quotient_of_floats(b, t, x, y, "double")
    return resize(b, t.with_bits(32), t, _float_quotient(b, resize_to_int(b, t, x), resize_to_int(b, t, y), t.lanes))


def resize_to_int(b: FunctionBuilder, t: Type, x: str) -> str:
    return resize(b, t, t.with_bits(32), x)


def _float_quotient(b: FunctionBuilder, x: str, y: str, lanes: int) -> str:
    return _quotient_of_floats(b, Int(32, lanes), x, y, "float")


def _quotient_of_floats(b: FunctionBuilder, t: Type, x: str, y: str, kind: str) -> str:
    wide, floats, sign = llvm_type(t), f"<{t.lanes} x {kind}>", "s" if t.is_int() else "u"
    x, y = (b.emit(f"{sign}itofp {wide} {operand} to {floats}") for operand in (x, y))
    ratio = b.emit(f"fdiv {floats} {x}, {y}")
    return b.emit(f"fpto{sign}i {floats} {ratio} to {wide}")


def divide_small(b: FunctionBuilder, t: Type, x: str, y: str) -> str:
    """x / y towards zero, 0 where y is 0, of 32-bit vectors whose values fit 16 bits (as `quotient_to_zero`)."""
    is_zero = compare(b, "eq", t, y, literal(0, t))
    safe = select(b, t, is_zero, literal(1, t), y)
    return select(b, t, is_zero, literal(0, t), _float_quotient(b, x, safe, t.lanes))


def divide(b: FunctionBuilder, t: Type, x: str, y: str, constant: int | None) -> str:
    """The Euclidean quotient; by zero it is 0."""
    if t.is_bool():
        return binary(b, "and", t, x, y)
    if constant is not None:
        return _divide_by_constant(b, t, x, constant)
    is_zero = compare(b, "eq", t, y, literal(0, t))
    safe = select(b, t, is_zero, literal(1, t), y)
    if t.is_uint():
        quotient = quotient_to_zero(b, t, x, safe)
    else:
        magnitude = b.intrinsic("abs", t, [f"{llvm_type(t)} {safe}", "i1 false"])
        floor = floor_by_positive(b, t, x, magnitude)
        is_negative = compare(b, "slt", t, y, literal(0, t))
        quotient = select(b, t, is_negative, negate(b, t, floor), floor)
    return select(b, t, is_zero, literal(0, t), quotient)


def _divide_by_constant(b: FunctionBuilder, t: Type, x: str, c: int) -> str:
    if c == 0:
        return literal(0, t)
    magnitude = abs(c)
    power = magnitude & (magnitude - 1) == 0
    if t.is_uint():
        if power:
            return binary(b, "lshr", t, x, literal(magnitude.bit_length() - 1, t))
        return binary(b, "udiv", t, x, literal(c, t))
    if power and magnitude.bit_length() - 1 < t.bits:
        floor = binary(b, "ashr", t, x, literal(magnitude.bit_length() - 1, t))
    else:
        floor = floor_by_positive(b, t, x, literal(magnitude, t))
    return floor if c > 0 else negate(b, t, floor)


def modulo(b: FunctionBuilder, t: Type, x: str, y: str, constant: int | None) -> str:
    """The Euclidean remainder; by zero it is 0."""
    if t.is_bool():
        return literal(0, t)
    if constant is not None:
        magnitude = abs(constant)
        if magnitude == 0:
            return literal(0, t)
        if magnitude & (magnitude - 1) == 0:
            return binary(b, "and", t, x, literal(magnitude - 1, t))
        if t.is_uint():
            return binary(b, "urem", t, x, literal(constant, t))
        product = binary(b, "mul", t, _divide_by_constant(b, t, x, magnitude), literal(magnitude, t))
        return binary(b, "sub", t, x, product)
    quotient = divide(b, t, x, y, None)
    remainder = binary(b, "sub", t, x, binary(b, "mul", t, quotient, y))
    is_zero = compare(b, "eq", t, y, literal(0, t))
    return select(b, t, is_zero, literal(0, t), remainder)


def divide_to_zero(b: FunctionBuilder, t: Type, x: str, y: str, constant: int | None) -> str:
    """C's quotient without its traps."""
    if t.is_uint():
        return divide(b, t, x, y, constant)
    if constant is not None:
        if constant in (0, -1):
            return literal(0, t) if constant == 0 else negate(b, t, x)
        return binary(b, "sdiv", t, x, literal(constant, t))
    is_zero, safe = _avoid_traps(b, t, y)
    is_minus_one = compare(b, "eq", t, y, literal(-1, t))
    quotient = select(b, t, is_minus_one, negate(b, t, x), quotient_to_zero(b, t, x, safe))
    return select(b, t, is_zero, literal(0, t), quotient)


def _avoid_traps(b: FunctionBuilder, t: Type, y: str) -> tuple[str, str]:
    is_zero = compare(b, "eq", t, y, literal(0, t))
    is_minus_one = compare(b, "eq", t, y, literal(-1, t))
    bad = b.emit(f"or {llvm_type(Bool(t.lanes))} {is_zero}, {is_minus_one}")
    return is_zero, select(b, t, bad, literal(1, t), y)


def modulo_to_zero(b: FunctionBuilder, t: Type, x: str, y: str, constant: int | None) -> str:
    """C's remainder without its traps; by 0 and by -1 it is 0, as by 1."""
    if t.is_uint():
        return modulo(b, t, x, y, constant)
    if constant is not None:
        if constant in (0, -1):
            return literal(0, t)
        return binary(b, "srem", t, x, literal(constant, t))
    _, safe = _avoid_traps(b, t, y)
    if t.is_scalar() or t.bits > 32:
        return binary(b, "srem", t, x, safe)
    return binary(b, "sub", t, x, binary(b, "mul", t, quotient_to_zero(b, t, x, safe), safe))


def resize(b: FunctionBuilder, source: Type, target: Type, x: str) -> str:
    """An integer of `source` wrapped or extended to `target`, by the signedness of `source`."""
    if source.bits == target.bits:
        return x
    op = "trunc" if source.bits > target.bits else "sext" if source.is_int() else "zext"
    return b.emit(f"{op} {llvm_type(source)} {x} to {llvm_type(target)}")


def shift(b: FunctionBuilder, t: Type, x: str, y: str, amount: Type, constant: int | None, left: bool) -> str:
    """x * 2**y or floor(x / 2**y); a negative y shifts the other way, a large one shifts everything out."""
    if constant is not None:
        if constant < 0:
            constant, left = -constant, not left
        return _shift_constant(b, t, x, constant, left)
    forward = _shift_by_unsigned(b, t, x, y, amount, left)
    if amount.is_uint():
        return forward
    backward = _shift_by_unsigned(b, t, x, negate(b, amount, y), amount, not left)
    is_negative = compare(b, "slt", amount, y, literal(0, amount))
    return select(b, t, is_negative, backward, forward)


def _shift_constant(b: FunctionBuilder, t: Type, x: str, n: int, left: bool) -> str:
    if n == 0:
        return x
    if left or t.is_uint():
        op = "shl" if left else "lshr"
        return literal(0, t) if n >= t.bits else binary(b, op, t, x, literal(n, t))
    return binary(b, "ashr", t, x, literal(min(n, t.bits - 1), t))


def _shift_by_unsigned(b: FunctionBuilder, t: Type, x: str, y: str, amount: Type, left: bool) -> str:
    limit = literal(t.bits, amount) if t.bits < 1 << amount.bits else None
    past = compare(b, "uge", amount, y, limit) if limit is not None else literal(0, Bool(t.lanes))
    n = resize(b, amount.with_code(t.code.UINT), t, y)
    arithmetic = not left and t.is_int()
    n = select(b, t, past, literal(t.bits - 1 if arithmetic else 0, t), n)
    result = binary(b, "shl" if left else "ashr" if arithmetic else "lshr", t, x, n)
    return result if arithmetic else select(b, t, past, literal(0, t), result)


def clamp(b: FunctionBuilder, t: Type, x: str, low: int, high: int) -> str:
    """x clamped to [low, high], constants of `t`; sides that the type implies are left out."""
    kind, text = ("s" if t.is_int() else "u"), llvm_type(t)
    if low > t.min():
        x = b.intrinsic(f"{kind}max", t, [f"{text} {x}", f"{text} {literal(low, t)}"])
    if high < t.max():
        x = b.intrinsic(f"{kind}min", t, [f"{text} {x}", f"{text} {literal(high, t)}"])
    return x


def first_lanes(b: FunctionBuilder, count: str, lanes: int) -> str:
    """The mask, of 8, 16, 32 or 64 lanes, of the first `count` (i32, any value), by shifting bits."""
    kind = f"i{lanes}"
    wide = b.emit(f"{'trunc' if lanes < 32 else 'zext'} i32 {count} to {kind}") if lanes != 32 else count
    absent = b.emit(f"xor {kind} {b.emit(f'shl {kind} -1, {wide}')}, -1")
    some = b.emit(f"select i1 {b.emit(f'icmp sge i32 {count}, {lanes}')}, {kind} -1, {kind} {absent}")
    bits = b.emit(f"select i1 {b.emit(f'icmp sle i32 {count}, 0')}, {kind} 0, {kind} {some}")
    return b.emit(f"bitcast {kind} {bits} to <{lanes} x i1>")


def widen_bfloat(b: FunctionBuilder, t: Type, x: str) -> str:
    """The bfloat16 with the bits `x` as a float32."""
    bits, floats = UInt(32, t.lanes), Float(32, t.lanes)
    upper = binary(b, "shl", bits, resize(b, UInt(16, t.lanes), bits, x), literal(16, bits))
    return b.emit(f"bitcast {llvm_type(bits)} {upper} to {llvm_type(floats)}")


def round_to_bfloat(b: FunctionBuilder, t: Type, x: str) -> str:
    """The bits of the bfloat16 nearest to the float32 `x`, ties to even; NaN stays NaN."""
    bits, floats = UInt(32, t.lanes), Float(32, t.lanes)
    raw = b.emit(f"bitcast {llvm_type(floats)} {x} to {llvm_type(bits)}")
    upper = binary(b, "lshr", bits, raw, literal(16, bits))
    half = binary(b, "add", bits, binary(b, "and", bits, upper, literal(1, bits)), literal(0x7FFF, bits))
    rounded = binary(b, "lshr", bits, binary(b, "add", bits, raw, half), literal(16, bits))
    quiet = binary(b, "or", bits, upper, literal(0x40, bits))
    is_nan = b.emit(f"fcmp uno {llvm_type(floats)} {x}, {x}")
    return resize(b, bits, UInt(16, t.lanes), select(b, bits, is_nan, quiet, rounded))
