"""Scalar and vector types, named and printed as Halide does (HalideRuntime.h, Type.h)."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace


class TypeCode(enum.IntEnum):
    """The encoding of a type's bits; the values are `halide_type_code_t`'s."""

    INT = 0
    UINT = 1
    FLOAT = 2
    HANDLE = 3


@dataclass(frozen=True, slots=True)
class Type:
    """A type of `lanes` elements of `bits` bits each; bool is UInt(1)."""

    code: TypeCode
    bits: int
    lanes: int = 1

    def is_int(self) -> bool:
        return self.code is TypeCode.INT

    def is_uint(self) -> bool:
        """Unsigned integer, bool included (as in Halide)."""
        return self.code is TypeCode.UINT

    def is_float(self) -> bool:
        return self.code is TypeCode.FLOAT

    def is_bool(self) -> bool:
        return self.code is TypeCode.UINT and self.bits == 1

    def is_handle(self) -> bool:
        return self.code is TypeCode.HANDLE

    def is_int_or_uint(self) -> bool:
        return self.code in (TypeCode.INT, TypeCode.UINT)

    def is_scalar(self) -> bool:
        return self.lanes == 1

    def is_vector(self) -> bool:
        return self.lanes > 1

    def with_lanes(self, lanes: int) -> Type:
        return self if lanes == self.lanes else replace(self, lanes=lanes)

    def with_bits(self, bits: int) -> Type:
        return replace(self, bits=bits)

    def with_code(self, code: TypeCode) -> Type:
        return replace(self, code=code)

    def element_of(self) -> Type:
        return self.with_lanes(1)

    def bytes(self) -> int:
        """Size in memory of one element, in bytes (a bool takes one)."""
        return (self.bits + 7) // 8

    def min(self) -> int:
        """Smallest representable integer; integers only."""
        assert self.is_int_or_uint()
        return -(1 << (self.bits - 1)) if self.is_int() else 0

    def max(self) -> int:
        """Largest representable integer; integers only."""
        assert self.is_int_or_uint()
        return (1 << (self.bits - 1)) - 1 if self.is_int() else (1 << self.bits) - 1

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
        if self.is_float():
            mantissa = {16: 11, 32: 24, 64: 53}[self.bits]
            if other.is_float():
                return other.bits <= self.bits
            return other.bits <= mantissa
        if other.is_float() or self.is_handle() or other.is_handle():
            return False
        if other.is_uint():
            return other.bits <= self.bits if self.is_uint() else other.bits < self.bits
        return self.is_int() and other.bits <= self.bits

    def __str__(self) -> str:
        if self.is_bool():
            base = "bool"
        elif self.is_handle():
            base = "handle"
        else:
            base = f"{self.code.name.lower()}{self.bits}"
        return base if self.lanes == 1 else f"{base}x{self.lanes}"


def Int(bits: int, lanes: int = 1) -> Type:
    """Signed integer type."""
    return Type(TypeCode.INT, bits, lanes)


def UInt(bits: int, lanes: int = 1) -> Type:
    """Unsigned integer type."""
    return Type(TypeCode.UINT, bits, lanes)


def Float(bits: int, lanes: int = 1) -> Type:
    """IEEE floating-point type of 16, 32 or 64 bits."""
    return Type(TypeCode.FLOAT, bits, lanes)


def Bool(lanes: int = 1) -> Type:
    """Boolean type, UInt(1)."""
    return Type(TypeCode.UINT, 1, lanes)


def Handle(lanes: int = 1) -> Type:
    """Opaque 64-bit pointer type."""
    return Type(TypeCode.HANDLE, 64, lanes)
