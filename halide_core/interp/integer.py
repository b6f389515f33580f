"""The arithmetic of integers and the intrinsics over NumPy arrays, wrapping and without traps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from halide_core.ir import expr as ir
from halide_core.ir.types import Type

Array = np.ndarray[Any, Any]


def _is_signed(a: Array) -> bool:
    return bool(a.dtype.kind == "i")


def _bits(a: Array) -> int:
    return int(a.dtype.itemsize) * 8


def divide_to_zero(a: Array, b: Array) -> Array:
    """C's quotient; x / 0 == 0 and INT_MIN / -1 == INT_MIN."""
    if a.dtype.kind == "b":
        return a & b
    if not _is_signed(a):
        return np.where(b == 0, a.dtype.type(0), a // np.where(b == 0, b.dtype.type(1), b))
    # NumPy's own division of INT_MIN by -1 is left to the platform, so divide by one and negate.
    safe = np.where((b == 0) | (b == -1), b.dtype.type(1), b)
    floor = a // safe
    quotient = floor + ((floor * safe != a) & ((a < 0) != (safe < 0)))
    quotient = quotient.astype(a.dtype)
    return np.where(b == 0, a.dtype.type(0), np.where(b == -1, (0 - a).astype(a.dtype), quotient))


def modulo_to_zero(a: Array, b: Array) -> Array:
    """C's remainder; x % 0 == 0 and INT_MIN % -1 == 0."""
    if a.dtype.kind == "b":
        return a & ~a
    return np.asarray(np.where(b == 0, a.dtype.type(0), (a - divide_to_zero(a, b) * b).astype(a.dtype)))


def modulo(a: Array, b: Array) -> Array:
    """The Euclidean remainder, in [0, |b|); x % 0 == 0."""
    remainder = modulo_to_zero(a, b)
    if not _is_signed(a):
        return remainder
    magnitude = np.where(b < 0, (0 - b).astype(b.dtype), b)
    return np.where(remainder < 0, (remainder + magnitude).astype(a.dtype), remainder)


def divide(a: Array, b: Array) -> Array:
    """The Euclidean quotient; x / 0 == 0 and INT_MIN / -1 == INT_MIN."""
    quotient = divide_to_zero(a, b)
    if not _is_signed(a):
        return quotient
    negative = modulo_to_zero(a, b) < 0
    step = np.where(b < 0, 1, -1).astype(a.dtype)
    return np.where(negative & (b != 0), (quotient + step).astype(a.dtype), quotient)


def cast_array(a: Array, source: Type, target: Type, dtype: np.dtype[Any]) -> Array:
    """The array `a` of `source` converted to `target`, as the Cast node documents."""
    if target.is_bool():
        return np.asarray(a != 0)
    if source.is_float() and not target.is_float():
        return _float_to_int(a, target).astype(dtype)
    if target.is_float() and target.bits == 16 and not source.is_float():
        return a.astype(np.float64).astype(dtype)
    return a.astype(dtype)


def _float_to_int(a: Array, target: Type) -> Array:
    if target.bits == 64 and target.is_uint():
        half = a.dtype.type(2.0**63)
        low = _truncate(a, 64)
        high = (_truncate(a - half, 64).view(np.uint64) + np.uint64(1 << 63)).view(np.int64)
        return np.where(a < half, low, high).view(np.uint64)
    if target.bits == 64 or (target.bits == 32 and target.is_uint()):
        return _truncate(a, 64)
    return _truncate(a, 32)


def _truncate(a: Array, bits: int) -> Array:
    wide = np.trunc(np.asarray(a).astype(np.float64))
    dtype = np.dtype(f"i{bits // 8}")
    inside = (wide >= -(2.0 ** (bits - 1))) & (wide < 2.0 ** (bits - 1))
    least = dtype.type(-(1 << (bits - 1)))
    return np.asarray(np.where(inside, np.where(inside, wide, 0).astype(dtype), least), dtype=dtype)


def _amount(b: Array, bits: int) -> Array:
    """Shift amounts clamped to [-bits, bits], as int64."""
    if _is_signed(b):
        return np.clip(b.astype(np.int64), -bits, bits)
    return np.asarray(np.minimum(b, b.dtype.type(min(bits, np.iinfo(b.dtype).max))).astype(np.int64))


def _left(a: Array, n: Array) -> Array:
    bits = _bits(a)
    shifted = np.left_shift(a, np.clip(n, 0, bits - 1).astype(a.dtype))
    return np.asarray(np.where(n >= bits, a.dtype.type(0), shifted))


def _right(a: Array, n: Array) -> Array:
    bits = _bits(a)
    shifted = np.right_shift(a, np.clip(n, 0, bits - 1).astype(a.dtype))
    return np.asarray(shifted if _is_signed(a) else np.where(n >= bits, a.dtype.type(0), shifted))


def shift_left(a: Array, b: Array) -> Array:
    """a * 2**b, shifting right for negative b."""
    n = _amount(b, _bits(a))
    return np.where(n < 0, _right(a, -n), _left(a, n))


def shift_right(a: Array, b: Array) -> Array:
    """floor(a / 2**b), shifting left for negative b."""
    n = _amount(b, _bits(a))
    return np.where(n < 0, _left(a, -n), _right(a, n))


def _rounding_shift_right(a: Array, b: Array) -> Array:
    # One bit past the width still matters for unsigned values: 2**(bits-1) itself rounds up to 1.
    n = _amount(b, _bits(a) + 1) if _is_signed(b) or _bits(b) > 8 else np.minimum(b, _bits(a) + 1).astype(np.int64)
    rounded = (_right(a, n) + (_right(a, n - 1) & a.dtype.type(1))).astype(a.dtype)
    return np.where(n < 0, _left(a, -n), np.where(n == 0, a, rounded))


def _exact(a: Array) -> Array:
    """`a` in a type in which sums and products of two elements are exact."""
    if _bits(a) == 64:
        return a.astype(object)
    return a.astype(np.int64) if _is_signed(a) or _bits(a) < 32 else a.astype(object)


def _saturate(value: Array, type_: Type, dtype: np.dtype[Any]) -> Array:
    # Python's integers throughout: a result may exceed every machine type before it is clamped.
    exact = np.asarray(value, dtype=object) if type_.bits == 64 else np.asarray(value)
    low, high = (np.array(v, dtype=exact.dtype) for v in (type_.min(), type_.max()))
    clamped = np.where(exact < low, low, np.where(exact > high, high, exact))
    return np.asarray(clamped, dtype=exact.dtype).astype(dtype)


def _saturating_cast(e: ir.Call, args: list[Array]) -> Array:
    a, source, target = args[0], e.args[0].type, e.type
    least, most = max(source.min(), target.min()), min(source.max(), target.max())
    return np.clip(a, a.dtype.type(least), a.dtype.type(most)) if not source.is_bool() else a


def _abs(e: ir.Call, args: list[Array]) -> Array:
    a = args[0]
    if not _is_signed(a):
        return np.abs(a) if a.dtype.kind == "f" else a
    return np.where(a < 0, (0 - a).astype(a.dtype), a).view(np.dtype(f"u{a.dtype.itemsize}"))


def _absd(e: ir.Call, args: list[Array]) -> Array:
    a, b = args
    if a.dtype.kind == "f":
        return np.asarray(np.abs(a - b))
    difference = np.where(a > b, a - b, b - a)
    return difference.astype(a.dtype).view(np.dtype(f"u{a.dtype.itemsize}"))


def _mul_shift_right(e: ir.Call, args: list[Array]) -> Array:
    a, b, c = args
    product = a.astype(object) * b.astype(object) >> c.astype(object)
    return _saturate(np.asarray(product, dtype=object), e.type, a.dtype)


def _wide(e: ir.Call, a: Array) -> Array:
    return a.astype(np.dtype(f"{'i' if e.type.is_int() else 'u'}{e.type.bits // 8}"))


def _widening(operation: Callable[[Array, Array], Array]) -> Callable[[ir.Call, list[Array]], Array]:
    def rule(e: ir.Call, args: list[Array]) -> Array:
        if e.type.is_float():
            dtype = np.dtype(f"f{e.type.bits // 8}")
            return operation(args[0].astype(dtype), args[1].astype(dtype))
        return operation(_wide(e, args[0]), _wide(e, args[1]))

    return rule


def _bitwise(operation: Callable[[Array, Array], Array]) -> Callable[[ir.Call, list[Array]], Array]:
    return lambda e, args: operation(args[0], args[1].astype(args[0].dtype))


def _saturating(operation: Callable[[Array, Array], Array]) -> Callable[[ir.Call, list[Array]], Array]:
    def rule(e: ir.Call, args: list[Array]) -> Array:
        if args[0].dtype.kind == "f":
            return operation(args[0], args[1])
        return _saturate(operation(_exact(args[0]), _exact(args[1])), e.type, args[0].dtype)

    return rule


def _halving_sub(e: ir.Call, args: list[Array]) -> Array:
    a, b = args
    borrow = ~a & b & a.dtype.type(1)
    return np.asarray((a >> a.dtype.type(1)) - (b >> b.dtype.type(1)) - borrow)


def _count_leading_zeros(e: ir.Call, args: list[Array]) -> Array:
    a, bits = args[0], _bits(args[0])
    u = a.view(np.dtype(f"u{a.dtype.itemsize}")).astype(np.uint64)
    length = np.zeros(u.shape, dtype=np.int64)
    for k in range(bits):
        length = np.where((u >> np.uint64(k)) & np.uint64(1) != 0, k + 1, length)
    return bits - length


INTRINSIC_RULES: dict[str, Callable[[ir.Call, list[Array]], Any]] = {
    "bitwise_and": _bitwise(np.bitwise_and),
    "bitwise_or": _bitwise(np.bitwise_or),
    "bitwise_xor": _bitwise(np.bitwise_xor),
    "bitwise_not": lambda e, x: ~x[0],
    "shift_left": lambda e, x: shift_left(x[0], x[1]),
    "shift_right": lambda e, x: shift_right(x[0], x[1]),
    "abs": _abs,
    "absd": _absd,
    "div_round_to_zero": lambda e, x: divide_to_zero(x[0], x[1]),
    "mod_round_to_zero": lambda e, x: modulo_to_zero(x[0], x[1]),
    "widening_add": _widening(lambda a, b: a + b),
    "widening_sub": _widening(lambda a, b: a - b),
    "widening_mul": _widening(lambda a, b: a * b),
    "saturating_add": _saturating(lambda a, b: a + b),
    "saturating_sub": _saturating(lambda a, b: a - b),
    "saturating_cast": _saturating_cast,
    "halving_add": lambda e, x: (x[0] & x[1]) + ((x[0] ^ x[1]) >> x[0].dtype.type(1)),
    "halving_sub": _halving_sub,
    "rounding_halving_add": lambda e, x: (x[0] | x[1]) - ((x[0] ^ x[1]) >> x[0].dtype.type(1)),
    "rounding_shift_right": lambda e, x: _rounding_shift_right(x[0], x[1]),
    "mul_shift_right": _mul_shift_right,
    "popcount": lambda e, x: np.bitwise_count(x[0].view(np.dtype(f"u{x[0].dtype.itemsize}"))),
    "count_leading_zeros": _count_leading_zeros,
    "likely": lambda e, x: x[0],
    "undef": lambda e, x: np.zeros((e.type.lanes,) if e.type.is_vector() else ()),
    "strict_float": lambda e, x: x[0],
}
