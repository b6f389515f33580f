"""Scalar and vector types, named and printed as Halide does (HalideRuntime.h, Type.h)."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any


class TypeCode(enum.IntEnum):
    """The encoding of a type's bits; the values are `halide_type_code_t`'s."""

    INT = 0
    UINT = 1
    FLOAT = 2
    HANDLE = 3
    BFLOAT = 4
    # Halide's spelling.
    Int = 0
    UInt = 1
    Float = 2
    Handle = 3

    def __call__(self) -> TypeCode:
        """Itself: in Halide `code` is a method of types."""
        return self


# Members of an Enum are slow to look up.
_INT, _UINT, _FLOAT, _HANDLE, _BFLOAT = (TypeCode(k) for k in range(5))


class Count(int):
    """A number that is also a method without arguments, as `bits` and `lanes` are in Halide."""

    __slots__ = ()

    def __call__(self) -> int:
        return int(self)


class Limit(int):
    """The greatest or smallest integer of a type, which in an expression has that type."""

    type: Type

    def _as_expr(self) -> Any:
        from halide_core.ir.expr import const

        return const(int(self), self.type)


# (least, greatest) value by code, bits and lanes.
_LIMITS: dict[tuple[int, int, int], tuple[Any, Any]] = {}
_UNKNOWN, _ONE = Count(0), Count(1)
_COUNTS = {n: Count(n) for n in (0, 1, 2, 4, 8, 16, 32, 64, 128)}


@dataclass(frozen=True, slots=True)
class Type:
    """A type of `lanes` elements of `bits` bits each; bool is UInt(1)."""

    code: TypeCode = TypeCode.HANDLE
    bits: int = _UNKNOWN
    lanes: int = _ONE

    def __post_init__(self) -> None:
        if self.bits is _UNKNOWN:
            # Type(): no type yet.
            object.__setattr__(self, "lanes", _UNKNOWN)
        if type(self.bits) is not Count:
            object.__setattr__(self, "bits", _COUNTS.get(self.bits) or Count(self.bits))
        if type(self.lanes) is not Count:
            object.__setattr__(self, "lanes", _COUNTS.get(self.lanes) or Count(self.lanes))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Type):
            return NotImplemented
        return self.code is other.code and self.bits == other.bits and self.lanes == other.lanes

    def __call__(self) -> Type:
        """Itself: in Halide `type` is a method of expressions."""
        return self

    def is_int(self) -> bool:
        return self.code is _INT

    def is_uint(self) -> bool:
        """Unsigned integer, bool included (as in Halide)."""
        return self.code is _UINT

    def is_float(self) -> bool:
        """IEEE floating point or bfloat16."""
        return self.code is _FLOAT or self.code is _BFLOAT

    def is_bfloat(self) -> bool:
        return self.code is _BFLOAT

    def is_bool(self) -> bool:
        return self.code is _UINT and self.bits == 1

    def is_handle(self) -> bool:
        return self.code is _HANDLE

    def is_int_or_uint(self) -> bool:
        return self.code is _INT or self.code is _UINT

    def is_scalar(self) -> bool:
        return self.lanes == 1

    def is_vector(self) -> bool:
        return self.lanes > 1

    def with_lanes(self, lanes: int) -> Type:
        return self if lanes == self.lanes else Type(self.code, self.bits, lanes)

    def with_bits(self, bits: int) -> Type:
        return self if bits == self.bits else Type(self.code, bits, self.lanes)

    def with_code(self, code: TypeCode) -> Type:
        return self if code is self.code else Type(code, self.bits, self.lanes)

    def element_of(self) -> Type:
        return self.with_lanes(1)

    def bytes(self) -> int:
        """Size in memory of one element, in bytes (a bool takes one)."""
        return (self.bits + 7) // 8

    def min(self) -> Any:
        """The smallest integer of the type; of floats, minus infinity as an expression."""
        return self._limits()[0]

    def max(self) -> Any:
        """The greatest integer of the type; of floats, infinity as an expression."""
        return self._limits()[1]

    def _limits(self) -> tuple[Any, Any]:
        number = (self.code, self.bits, self.lanes)
        found = _LIMITS.get(number)
        if found is None:
            found = _LIMITS[number] = self._new_limits()
        return found

    def _new_limits(self) -> tuple[Any, Any]:
        if not self.is_int_or_uint():
            from halide_core.ir.expr import const

            return const(float("-inf"), self), const(float("inf"), self)
        half = 1 << (self.bits - 1)
        ends = (Limit(-half), Limit(half - 1)) if self.is_int() else (Limit(0), Limit(2 * half - 1))
        for end in ends:
            end.type = self
        return ends

    def is_max(self, value: int) -> bool:
        return self.is_int_or_uint() and bool(self.max() == value)

    def is_min(self, value: int) -> bool:
        return self.is_int_or_uint() and bool(self.min() == value)

    def same_handle_type(self, other: Type) -> bool:
        return self.is_handle() == other.is_handle()

    def wrap(self, value: int) -> int:
        """The integer of this type congruent to `value` modulo 2**bits."""
        value &= (1 << self.bits) - 1
        if self.is_int() and value >> (self.bits - 1):
            value -= 1 << self.bits
        return value

    def can_represent(self, other: Type) -> bool:
        """Whether every value of `other` is a value of this type."""
        if self == other:
            return True
        if self.lanes != other.lanes:
            return False
        if self.is_bfloat():
            return other.is_bfloat() and other.bits <= self.bits
        if self.is_float():
            # As Halide has it: no integers in a float16, although it holds those of 8 bits.
            if other.is_float():
                return other.bits <= self.bits if not other.is_bfloat() else self.bits >= 32
            return not other.is_handle() and other.bits <= {16: 0, 32: 16, 64: 32}[self.bits]
        if other.is_float() or self.is_handle() or other.is_handle():
            return False
        if other.is_uint():
            return other.bits <= self.bits if self.is_uint() else other.bits < self.bits
        return self.is_int() and other.bits <= self.bits

    def __str__(self) -> str:
        if self.is_bool():
            base = "bool"
        elif self.is_handle():
            base = f"handle{self.bits}"
        else:
            base = f"{self.code.name.lower()}{self.bits}"
        return base if self.lanes in (0, 1) else f"{base}x{self.lanes}"

    def __repr__(self) -> str:
        return f"<halide.Type {self}>"


def Int(bits: int, lanes: int = 1) -> Type:
    """Signed integer type."""
    return Type(TypeCode.INT, bits, lanes)


def UInt(bits: int, lanes: int = 1) -> Type:
    """Unsigned integer type."""
    return Type(TypeCode.UINT, bits, lanes)


def Float(bits: int, lanes: int = 1) -> Type:
    """IEEE floating-point type of 16, 32 or 64 bits."""
    return Type(TypeCode.FLOAT, bits, lanes)


def BFloat(bits: int, lanes: int = 1) -> Type:
    """The 16-bit format with the exponent of a float32."""
    return Type(TypeCode.BFLOAT, bits, lanes)


def Bool(lanes: int = 1) -> Type:
    """Boolean type, UInt(1)."""
    return Type(TypeCode.UINT, 1, lanes)


def Handle(lanes: int = 1) -> Type:
    """Opaque 64-bit pointer type."""
    return Type(TypeCode.HANDLE, 64, lanes)
