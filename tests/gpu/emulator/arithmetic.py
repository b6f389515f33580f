"""What PTX's instructions compute, on NumPy arrays of bits (unsigned integers)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.gpu.emulator.text import NotUnderstood

Bits = Any
"""An array of uint8, uint16, uint32 or uint64."""
UNSIGNED = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
SIGNED = {8: np.int8, 16: np.int16, 32: np.int32, 64: np.int64}
FLOATS = {16: np.float16, 32: np.float32, 64: np.float64}


def width(kind: str) -> int:
    """The bits of a type such as s32."""
    return 1 if kind == "pred" else int(kind.lstrip("busf").split("x")[0]) * (2 if kind.endswith("x2") else 1)


def typed(x: Bits, kind: str) -> Any:
    """Bits as values of the type `kind`."""
    table = SIGNED if kind[0] == "s" else FLOATS if kind[0] == "f" else UNSIGNED
    return np.ascontiguousarray(x).view(table[width(kind)])


def bits(x: Any) -> Bits:
    """Values as bits."""
    x = np.ascontiguousarray(x)
    return x if x.dtype == bool else x.view(UNSIGNED[8 * x.dtype.itemsize])


def flushed(x: Any) -> Any:
    """Floats with subnormal ones as zeros."""
    tiny = np.finfo(x.dtype).tiny
    return np.where(np.abs(x) < tiny, np.copysign(x.dtype.type(0), x), x)


def _extreme(pick: Any, both: Any) -> Callable[[Any, Any, str], Any]:
    def extreme(a: Any, b: Any, kind: str) -> Any:
        if kind[0] != "f":
            return (np.minimum if pick is np.fmin else np.maximum)(a, b)
        # -0 is less than 0.
        zeros = (a == 0) & (b == 0)
        of_zeros = both(bits(np.broadcast_arrays(a, b)[0]), bits(np.broadcast_arrays(a, b)[1])).view(a.dtype)
        return np.where(zeros, of_zeros, pick(a, b))

    return extreme


minimum = _extreme(np.fmin, np.bitwise_or)
maximum = _extreme(np.fmax, np.bitwise_and)


def divide(a: Any, b: Any, kind: str) -> Any:
    """Integers toward zero; by zero all bits are set."""
    zero = b == 0
    safe = np.where(zero, b.dtype.type(1), b)
    with np.errstate(all="ignore"):
        quotient = a // safe
    if kind[0] == "u":
        return np.where(zero, ~a.dtype.type(0), quotient)
    quotient = quotient + ((a % safe != 0) & ((a < 0) != (safe < 0))).astype(a.dtype)
    return np.where(zero, a.dtype.type(-1), quotient)


def remainder(a: Any, b: Any, kind: str) -> Any:
    """What division leaves."""
    zero = b == 0
    safe = np.where(zero, b.dtype.type(1), b)
    return np.where(zero, a, a - divide(a, safe, kind) * safe)


def high(a: Any, b: Any, kind: str) -> Any:
    """The upper half of a product."""
    n = width(kind)
    if n < 64:
        wide = (SIGNED if kind[0] == "s" else UNSIGNED)[2 * n]
        return ((a.astype(wide) * b.astype(wide)) >> wide(n)).astype(a.dtype)
    a, b = np.broadcast_arrays(a, b)
    products = [(int(x) * int(y)) >> 64 for x, y in zip(a.ravel(), b.ravel(), strict=True)]
    return np.array(products, a.dtype).reshape(a.shape)


def shift(a: Bits, n: Bits, kind: str, left: bool) -> Bits:
    """By at most the width."""
    size = width(kind)
    over = n >= size
    count = np.where(over, size - 1, n).astype(a.dtype)
    if left:
        return np.where(over, a.dtype.type(0), a << count)
    if kind[0] == "s":
        return bits(typed(a, kind) >> count.astype(SIGNED[size]))
    return np.where(over, a.dtype.type(0), a >> count)


COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}
_ALIAS = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}


def compare(op: str, a: Any, b: Any, kind: str) -> Any:
    """Whether a comparison holds; ordered ones of NaN do not, those ending in u do."""
    if kind[0] == "f":
        unordered = np.isnan(a) | np.isnan(b)
        if op in ("num", "nan"):
            return unordered if op == "nan" else ~unordered
        base = op[:-1] if len(op) == 3 else op
        found = COMPARE[base](a, b)
        return found | unordered if len(op) == 3 else found & ~unordered
    return COMPARE[_ALIAS.get(op, op)](a, b)


def converted(x: Bits, to: str, of: str, mods: tuple[str, ...]) -> Bits:
    """cvt: `x` of type `of` as one of type `to`."""
    if "bf16" in (to, of):
        return _bfloat(x, to, of)
    a = typed(x, of)
    if of[0] == "f" and "ftz" in mods and of == "f32":
        a = flushed(a)
    if of[0] == "f" and to[0] == "f":
        if to == of:
            rounding = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
            how = next((rounding[m] for m in mods if m in rounding), None)
            out = how(a) if how is not None else a
        elif width(to) > width(of) or "rn" in mods:
            out = a.astype(FLOATS[width(to)])
        else:
            raise NotUnderstood(f"cvt of {of} to {to} {mods}")
        if "sat" in mods:
            out = np.where(np.isnan(out), out.dtype.type(0), np.clip(out, out.dtype.type(0), out.dtype.type(1)))
        return bits(out)
    if of[0] == "f":
        how2 = {"rni": np.rint, "rzi": np.trunc, "rmi": np.floor, "rpi": np.ceil}
        whole = next(how2[m] for m in mods if m in how2)(a.astype(np.float64))
        target = (SIGNED if to[0] == "s" else UNSIGNED)[width(to)]
        info = np.iinfo(target)
        inside = (whole >= float(info.min)) & (whole < float(info.max) + (width(to) == 64) * 0 + 1)
        inside &= ~np.isnan(whole)
        out = np.where(inside, whole, 0).astype(target)
        out = np.where(~inside & (whole > 0), info.max, np.where(~inside & (whole < 0), info.min, out)).astype(target)
        return bits(out)
    if to[0] == "f":
        if "rn" not in mods and width(of) >= 16 and width(to) <= 32:
            raise NotUnderstood(f"cvt of {of} to {to} {mods}")
        return bits(a.astype(FLOATS[width(to)]))
    target = (SIGNED if to[0] == "s" else UNSIGNED)[width(to)]
    if "sat" in mods:
        info = np.iinfo(target)
        low = max(int(np.iinfo(a.dtype).min), int(info.min))
        top = min(int(np.iinfo(a.dtype).max), int(info.max))
        a = np.clip(a, a.dtype.type(low), a.dtype.type(top))
    return bits(a.astype(target))


def _bfloat(x: Bits, to: str, of: str) -> Bits:
    if of == "bf16" and to == "f32":
        return x.astype(np.uint32) << np.uint32(16)
    if of == "f32" and to == "bf16":
        nan = np.isnan(x.view(np.float32))
        rounded = (x + np.uint32(0x7FFF) + ((x >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
        return np.where(nan, np.uint32(0x7FFF), rounded).astype(np.uint16)
    raise NotUnderstood(f"cvt of {of} to {to}")


def permuted(a: Bits, b: Bits, picks: Bits) -> Bits:
    """prmt.b32: four bytes of eight."""
    both = a.astype(np.uint64) | (b.astype(np.uint64) << np.uint64(32))
    out = np.zeros(np.broadcast(both, picks).shape, np.uint64)
    for k in range(4):
        pick = (picks.astype(np.uint64) >> np.uint64(4 * k)) & np.uint64(15)
        byte = (both >> ((pick & np.uint64(7)) * np.uint64(8))) & np.uint64(255)
        sign = np.where(byte & np.uint64(128), np.uint64(255), np.uint64(0))
        out |= np.where(pick & np.uint64(8), sign, byte) << np.uint64(8 * k)
    return out.astype(np.uint32)


def field_of(a: Bits, start: Bits, length: Bits, kind: str) -> Bits:
    """bfe."""
    n = width(kind)
    out = []
    for x, p, q in zip(a.tolist(), (start & 255).tolist(), (length & 255).tolist(), strict=True):
        signed = x - (1 << n) if kind[0] == "s" and x >> (n - 1) else x
        value = (signed >> min(p, n)) & ((1 << q) - 1) if q else 0
        if kind[0] == "s" and q:
            top = (signed >> min(p + q - 1, n - 1)) & 1
            value -= top << q if q < n else 0
        out.append(value & ((1 << n) - 1))
    return np.array(out, a.dtype)


def inserted(a: Bits, b: Bits, start: Bits, length: Bits, kind: str) -> Bits:
    """bfi: the low bits of a in b."""
    n = width(kind)
    one = a.dtype.type(1)
    s, c = (start & 255).astype(a.dtype), (length & 255).astype(a.dtype)
    full = c >= n
    mask = np.where(full, ~a.dtype.type(0), (one << np.where(full, 0, c).astype(a.dtype)) - one)
    over = s >= n
    mask = np.where(over, a.dtype.type(0), mask << np.where(over, 0, s).astype(a.dtype))
    moved = np.where(over, a.dtype.type(0), a << np.where(over, 0, s).astype(a.dtype))
    return (b & ~mask) | (moved & mask)


def leading_zeros(a: Bits) -> Bits:
    n = 8 * a.dtype.itemsize
    return np.array([n - int(x).bit_length() for x in a.ravel()], np.uint32).reshape(a.shape)


def reversed_bits(a: Bits) -> Bits:
    n = 8 * a.dtype.itemsize
    return np.array([int(f"{int(x):0{n}b}"[::-1], 2) for x in a.ravel()], a.dtype).reshape(a.shape)
