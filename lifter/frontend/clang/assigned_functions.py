"""Which functions of a file its pointers to functions are given: what a call through one may be a call of."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from lifter.frontend.clang import types
from lifter.frontend.clang.libclang import binary_operator, children, initializer, operands
from lifter.frontend.clang.queries import unwrap
from lifter.frontend.clang.unit import Unit

K = CursorKind
_PLACES = (K.VAR_DECL, K.FIELD_DECL)


def given_to(unit: Unit, declaration: Cursor) -> list[Cursor]:
    """The functions with a body in the file that it gives a variable or a field, in the order of the text."""
    if unit.assigned is None:
        unit.assigned = _assigned(unit)
    return unit.assigned.get(declaration.canonical.hash, [])


def _assigned(unit: Unit) -> dict[int, list[Cursor]]:
    """The functions, by the hash of the variable's or the field's declaration."""
    out: dict[int, list[Cursor]] = {}
    stack = [c for c in children(unit.parsed.unit.cursor) if unit.in_main_file(c)][::-1]
    while stack:
        c = stack.pop()
        pair = _pair(c)
        if pair is not None:
            declaration, function = pair
            known = out.setdefault(declaration.hash, [])
            if all(f.hash != function.hash for f in known):
                known.append(function)
        stack += children(c)[::-1]
    return out


def _pair(c: Cursor) -> tuple[Cursor, Cursor] | None:
    """The variable or field, and the function that it is given."""
    if c.kind is K.VAR_DECL and types.is_function_pointer(c.type):
        init = initializer(c)
        function = _function(init) if init is not None else None
        return None if function is None else (c.canonical, function)
    if c.kind is K.BINARY_OPERATOR and binary_operator(c) == "=" and types.is_function_pointer(c.type):
        left, right = operands(c)
        target, function = unwrap(left).referenced, _function(right)
        if target is not None and target.kind in _PLACES and function is not None:
            return target.canonical, function
    return None


def _function(c: Cursor) -> Cursor | None:
    """The definition of the function that an expression names."""
    c = unwrap(c)
    while c.kind in (K.UNARY_OPERATOR, K.CSTYLE_CAST_EXPR, K.PAREN_EXPR) and operands(c):
        c = unwrap(operands(c)[-1])
    target = c.referenced if c.kind is K.DECL_REF_EXPR else None
    return target.get_definition() if target is not None and target.kind is K.FUNCTION_DECL else None


__all__ = ["given_to"]
