"""C++ types as types of the expression IR, for the x86-64 System V ABI."""

from __future__ import annotations

import re

from clang.cindex import Type as ClangType
from clang.cindex import TypeKind

from halide_core.ir.types import Float, Int, Type, UInt

_SCALARS = {
    TypeKind.BOOL: UInt(1),
    TypeKind.CHAR_S: Int(8),
    TypeKind.SCHAR: Int(8),
    TypeKind.CHAR_U: UInt(8),
    TypeKind.UCHAR: UInt(8),
    TypeKind.SHORT: Int(16),
    TypeKind.USHORT: UInt(16),
    TypeKind.INT: Int(32),
    TypeKind.UINT: UInt(32),
    TypeKind.LONG: Int(64),
    TypeKind.ULONG: UInt(64),
    TypeKind.LONGLONG: Int(64),
    TypeKind.ULONGLONG: UInt(64),
    TypeKind.WCHAR: Int(32),
    TypeKind.CHAR16: UInt(16),
    TypeKind.CHAR32: UInt(32),
    TypeKind.FLOAT: Float(32),
    TypeKind.DOUBLE: Float(64),
}
_ARRAYS = {TypeKind.CONSTANTARRAY, TypeKind.INCOMPLETEARRAY, TypeKind.VARIABLEARRAY}


def canonical(t: ClangType) -> ClangType:
    """The type without typedefs and references."""
    c = t.get_canonical()
    if c.kind in (TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE):
        c = c.get_pointee().get_canonical()
    return c


def scalar(t: ClangType) -> Type | None:
    """The IR type of a scalar C++ type; None for pointers, classes, long double and the like."""
    c = canonical(t)
    if c.kind is TypeKind.ENUM:
        c = c.get_declaration().enum_type.get_canonical()
        if c.kind is TypeKind.BOOL:
            return None  # of which compilers convert numbers in several ways
    return _SCALARS.get(c.kind)


def register_bytes(t: ClangType) -> int:
    """The size of a SIMD register type; 0 for other types."""
    c = canonical(t)
    return int(c.get_size()) if c.kind is TypeKind.VECTOR else 0


def register_element(t: ClangType) -> Type:
    """The type of the lanes that a register type is declared with; bytes for `long long`, which x86's headers declare
    registers of any integers with."""
    kind = canonical(t).element_type.get_canonical().kind
    return UInt(8) if kind in (TypeKind.LONGLONG, TypeKind.ULONGLONG) else _SCALARS[kind]


def is_reference(t: ClangType) -> bool:
    return t.get_canonical().kind in (TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE)


def is_array(t: ClangType) -> bool:
    return canonical(t).kind in _ARRAYS


def is_pointer(t: ClangType) -> bool:
    return canonical(t).kind is TypeKind.POINTER


def is_bool(t: ClangType) -> bool:
    return canonical(t).kind is TypeKind.BOOL


def is_void(t: ClangType) -> bool:
    return canonical(t).kind is TypeKind.VOID


def is_function(t: ClangType) -> bool:
    c = canonical(t)
    return c.kind in (TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO)


def is_function_pointer(t: ClangType) -> bool:
    return is_pointer(t) and is_function(pointee(t))


def same_but_const(a: ClangType, b: ClangType) -> bool:
    """Whether two types, or what they refer to, differ by `const` at most."""
    one, other = (" ".join(re.sub(r"\bconst\b", " ", canonical(t).spelling).split()) for t in (a, b))
    return one == other


def pointee(t: ClangType) -> ClangType:
    """The canonical type a pointer type points to; for an array parameter that of its elements."""
    if is_array(t):
        return element(t)
    return canonical(t).get_pointee().get_canonical()


def element(t: ClangType) -> ClangType:
    """The canonical element type of an array type (one level)."""
    return canonical(t).element_type.get_canonical()


def innermost(t: ClangType) -> ClangType:
    """The type of the scalars in a possibly multi-dimensional array, or the type itself."""
    c = t.get_canonical()
    while c.kind in _ARRAYS:
        c = c.element_type.get_canonical()
    return c


def shape(t: ClangType) -> tuple[int, ...]:
    """The extents of an array type of constant size; () for others; -1 for an extent that is not constant."""
    c = canonical(t)
    out: list[int] = []
    while c.kind in _ARRAYS:
        out.append(c.element_count if c.kind is TypeKind.CONSTANTARRAY else -1)
        c = c.element_type.get_canonical()
    return tuple(out)


def count(t: ClangType) -> int:
    """How many scalars a value of the type holds; negative when not constant."""
    total = 1
    for extent in shape(t):
        if extent < 0:
            return -1
        total *= extent
    return total


def is_const(t: ClangType) -> bool:
    """Whether the scalars of this object cannot be written."""
    c = t.get_canonical()
    while c.kind in _ARRAYS:
        if c.is_const_qualified():
            return True
        c = c.element_type.get_canonical()
    return bool(c.is_const_qualified())


def promote(t: Type) -> Type:
    """Integer promotion."""
    if t.is_int_or_uint() and t.bits < 32:
        return Int(32)
    return t


def usual(a: Type, b: Type) -> Type:
    """The type of the usual arithmetic conversions."""
    if a.is_float() or b.is_float():
        return Float(max(t.bits for t in (a, b) if t.is_float()))
    a, b = promote(a), promote(b)
    if a.code == b.code:
        return a if a.bits >= b.bits else b
    unsigned, signed = (a, b) if a.is_uint() else (b, a)
    return unsigned if unsigned.bits >= signed.bits else signed


def passed_spelling(t: ClangType) -> str:
    """How the type of a parameter is spelled: of an array that of the pointer that is passed."""
    found = t.get_canonical()
    spelled = str(found.spelling)
    match = re.fullmatch(r"(.*?)\[[^]]*\](.*)", spelled) if found.kind in _ARRAYS else None
    if match is None:
        return spelled
    return f"{match[1]}(*){match[2]}" if match[2] else f"{match[1]} *"


def is_record(t: ClangType) -> bool:
    return canonical(t).kind is TypeKind.RECORD
