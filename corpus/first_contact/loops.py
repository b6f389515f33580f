"""Which functions of a file a first contact counts: those with a loop over elements of memory that they were given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from clang.cindex import Cursor, CursorKind, Type, TypeKind

from lifter.frontend.clang.libclang import children, place, unary_operator

_LOOPS = {CursorKind.FOR_STMT, CursorKind.WHILE_STMT, CursorKind.DO_STMT, CursorKind.CXX_FOR_RANGE_STMT}
_CASTS = {
    CursorKind.UNEXPOSED_EXPR, CursorKind.PAREN_EXPR, CursorKind.CSTYLE_CAST_EXPR, CursorKind.CXX_STATIC_CAST_EXPR,
    CursorKind.CXX_REINTERPRET_CAST_EXPR, CursorKind.CXX_CONST_CAST_EXPR, CursorKind.CXX_FUNCTIONAL_CAST_EXPR,
}
_THROUGH = {
    *_CASTS,
    CursorKind.ARRAY_SUBSCRIPT_EXPR, CursorKind.UNARY_OPERATOR, CursorKind.BINARY_OPERATOR, CursorKind.CALL_EXPR,
}
_NUMBERS = {
    TypeKind.BOOL, TypeKind.CHAR_U, TypeKind.UCHAR, TypeKind.USHORT, TypeKind.UINT, TypeKind.ULONG, TypeKind.ULONGLONG,
    TypeKind.CHAR_S, TypeKind.SCHAR, TypeKind.SHORT, TypeKind.INT, TypeKind.LONG, TypeKind.LONGLONG, TypeKind.FLOAT,
    TypeKind.DOUBLE, TypeKind.VECTOR, TypeKind.ENUM, TypeKind.HALF,
}


@dataclass(frozen=True, slots=True)
class Nest:
    """A loop over memory."""

    line: int
    own: bool
    """Whether it reads or writes elements outside of the loops inside of it."""
    inner: tuple[Nest, ...]

    def is_covered(self, is_lifted: Callable[[int], bool]) -> bool:
        """Whether it is lifted, by its line, or only walks along what loops inside do that all are."""
        return is_lifted(self.line) or (not self.own and all(n.is_covered(is_lifted) for n in self.inner))


def loops_over_memory(function: Cursor) -> tuple[Nest, ...]:
    """The outermost loops of a function that read or write numbers through a pointer, a reference to an array or a
    container that is no array of its own: of a parameter, or of what is reached from one.  A register that is loaded or
    stored by a call counts, as the pointer that the call is given."""
    return _within(function)[1]


def _within(c: Cursor) -> tuple[bool, tuple[Nest, ...]]:
    """Whether what a cursor holds touches elements outside of loops, and its outermost loops over memory."""
    own, nests = _is_element(c), list[Nest]()
    for n in children(c):
        touches, inner = _within(n)
        if n.kind not in _LOOPS:
            own, nests = own or touches, [*nests, *inner]
        elif touches or inner:
            nests.append(Nest(place(n.location)[1], touches, inner))
    return own, tuple(nests)


def _is_element(c: Cursor) -> bool:
    if c.kind is CursorKind.ARRAY_SUBSCRIPT_EXPR or (c.kind is CursorKind.UNARY_OPERATOR and unary_operator(c) == "*"):
        return _holds_numbers(c.type) and _is_given(c)
    if c.kind is CursorKind.CALL_EXPR:
        if c.spelling == "operator[]":
            return _holds_numbers(c.type) and _is_given(c)
        return any(_points_to_numbers(a) and _is_given(a) for a in c.get_arguments() if a is not None)
    return False


def _points_to_numbers(e: Cursor) -> bool:
    """Whether an expression, or what it is a cast of, is a pointer to numbers."""
    while True:
        t = e.type.get_canonical()
        if t.kind is TypeKind.POINTER and _holds_numbers(t.get_pointee()):
            return True
        inner = children(e)
        if e.kind not in _CASTS or not inner:
            return False
        e = inner[-1]


def _holds_numbers(t: Type) -> bool:
    t = t.get_canonical()
    if t.kind in (TypeKind.LVALUEREFERENCE, TypeKind.RVALUEREFERENCE):
        t = t.get_pointee().get_canonical()
    return t.kind in _NUMBERS


def _is_given(e: Cursor) -> bool:
    """Whether the memory that an expression names is not an array of the function's own, nor of the file's."""
    while True:
        inner = children(e)
        if e.kind in (CursorKind.DECL_REF_EXPR, CursorKind.MEMBER_REF_EXPR):
            break
        if e.kind not in _THROUGH or not inner:
            return e.kind is CursorKind.CXX_THIS_EXPR
        e = inner[-1] if e.kind in _CASTS else inner[0]
    if e.kind is CursorKind.MEMBER_REF_EXPR:
        return True
    named = e.referenced
    if named is None or named.kind is CursorKind.PARM_DECL:
        return named is not None
    is_array = named.type.get_canonical().kind in (TypeKind.CONSTANTARRAY, TypeKind.VARIABLEARRAY)
    local = named.kind is CursorKind.VAR_DECL and named.semantic_parent.kind is not CursorKind.TRANSLATION_UNIT
    return local and not is_array and named.semantic_parent.kind is not CursorKind.NAMESPACE
