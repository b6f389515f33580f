"""Whether two pieces of text mean the same."""

from __future__ import annotations

from collections.abc import Collection

from clang.cindex import Cursor, CursorKind

from lifter.frontend.clang.libclang import binary_operator, children, evaluate, line, unary_operator


def same(a: Cursor, b: Cursor, arrays: Collection[str] = ()) -> bool:
    """Whether two trees are one text, of one meaning but for where the local variables come from; `arrays` are pointers
    in the second."""
    stack = [(a, b)]
    while stack:
        x, y = stack.pop()
        if x.kind is not y.kind or x.spelling != y.spelling or not _same_type(x, y, arrays):
            return False
        if x.kind is CursorKind.BINARY_OPERATOR and binary_operator(x) != binary_operator(y):
            return False
        if x.kind is CursorKind.UNARY_OPERATOR and unary_operator(x) != unary_operator(y):
            return False
        if x.kind is CursorKind.DECL_REF_EXPR and not _same_target(x.referenced, y.referenced):
            return False
        inner, others = children(x), children(y)
        if len(inner) != len(others):
            return False
        # Literals; and what asks for sizes, of types that do not show in the tree.
        leaf = x.kind.is_expression() and not inner and x.kind is not CursorKind.DECL_REF_EXPR
        if (leaf or x.kind is CursorKind.CXX_UNARY_EXPR) and evaluate(x) != evaluate(y):
            return False
        stack += zip(inner, others, strict=True)
    return True


def _same_type(x: Cursor, y: Cursor, arrays: Collection[str]) -> bool:
    if x.kind in (CursorKind.DECL_REF_EXPR, CursorKind.UNEXPOSED_EXPR) and x.spelling in arrays:
        return True  # an array is a pointer to its first element there
    return bool(x.type.get_canonical().spelling == y.type.get_canonical().spelling)


def _same_target(x: Cursor | None, y: Cursor | None) -> bool:
    """Whether two names mean the same declaration of the file, or are both of the function's."""
    if x is None or y is None:
        return x is y
    locals_ = (CursorKind.VAR_DECL, CursorKind.PARM_DECL)
    if x.kind in locals_ and y.kind in locals_ and not x.linkage.value > 2 and not y.linkage.value > 2:
        return bool(x.spelling == y.spelling)
    # What is internal is named after its file, which has another name.
    return bool(x.get_usr() == y.get_usr() or (x.spelling == y.spelling and line(x) == line(y)))
