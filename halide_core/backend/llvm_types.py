"""Types and constants as LLVM text."""

from __future__ import annotations

import struct

import numpy as np

from halide_core.ir.types import Type


def llvm_type(t: Type) -> str:
    """The type of a value in a register; bool is i1."""
    if t.is_handle():
        element = "ptr"
    elif t.is_bfloat():
        # Its bits; see the conversions in llvm_expr.
        element = "i16"
    elif t.is_float():
        element = {16: "half", 32: "float", 64: "double"}[t.bits]
    else:
        element = f"i{t.bits}"
    return element if t.is_scalar() else f"<{t.lanes} x {element}>"


def memory_type(t: Type) -> str:
    """The type in memory; bool is i8."""
    return llvm_type(t.with_bits(8)) if t.is_bool() else llvm_type(t)


def mangle(t: Type) -> str:
    """The suffix of an overloaded intrinsic, as v16i8 or f32."""
    element = f"f{t.bits}" if t.is_float() and not t.is_bfloat() else f"i{t.bits}"
    return element if t.is_scalar() else f"v{t.lanes}{element}"


def float_literal(value: float, bits: int) -> str:
    """A floating-point constant, exactly."""
    if bits == 16:
        return f"0xH{int(np.float16(value).view(np.uint16)):04X}"
    return f"0x{struct.unpack('<Q', struct.pack('<d', value))[0]:016X}"


def literal(value: int | float, t: Type) -> str:
    """A constant of `t`, splatted over its lanes."""
    if t.is_vector():
        return splat(literal(value, t.element_of()), t)
    if t.is_bfloat():
        return str(int(np.float32(value).view(np.uint32)) >> 16)
    if t.is_float():
        return float_literal(float(value), t.bits)
    if t.is_bool():
        return "true" if value else "false"
    return str(t.wrap(int(value)))


def splat(operand: str, t: Type) -> str:
    """A constant vector of `t` with every lane the constant `operand`."""
    element = llvm_type(t.element_of())
    return "<" + ", ".join([f"{element} {operand}"] * t.lanes) + ">"
