"""Variables that are not const, but that nothing outside the file can name.  One that nothing in it changes or refers
to holds what it is initialised to; one that is assigned in one place holds that, or nothing yet.

Tables of old code are often `static int taps[4] = {...}`, without const; its masks in registers are set at the
start."""

from __future__ import annotations

import re

from clang.cindex import Cursor, CursorKind, LinkageKind, StorageClass

from lifter.frontend.clang import classes, types
from lifter.frontend.clang.libclang import binary_operator, children, operands
from lifter.frontend.clang.unit import Unit

K = CursorKind


def is_never_changed(unit: Unit, definition: Cursor) -> bool:
    """Whether a variable of the file holds its initial value for ever: every use of it reads a scalar of it."""
    return _other_uses(unit, definition) == []


def only_assignment(unit: Unit, definition: Cursor) -> Cursor | None:
    """What a variable of the file is assigned, where every other use of it reads a value of it."""
    found = _other_uses(unit, definition)
    if found is None or len(found) != 1:
        return None
    (use,) = found
    if use.kind is not K.BINARY_OPERATOR or binary_operator(use) != "=":
        return None
    left, right = operands(use)
    is_it = left.kind is K.DECL_REF_EXPR and left.referenced.canonical.hash == definition.canonical.hash
    return right if is_it else None


def _other_uses(unit: Unit, definition: Cursor) -> list[Cursor] | None:
    """What the uses of a variable stand in that do not only read a value of it; None where not all are known."""
    place = definition.canonical.hash
    if place not in unit.other_uses:
        unit.other_uses[place] = _uses(unit, definition) if _is_own(definition) else None
    return unit.other_uses[place]


def _is_own(definition: Cursor) -> bool:
    """Whether only this file's text can name it."""
    of_file = definition.linkage is LinkageKind.INTERNAL
    of_function = definition.linkage is LinkageKind.NO_LINKAGE and definition.storage_class is StorageClass.STATIC
    return (of_file or of_function) and not _is_used_elsewhere(definition)


def _is_used_elsewhere(definition: Cursor) -> bool:
    """Whether an attribute says that what no compiler sees may use it: what loads the program, by its section."""
    attributes = (k for k in children(definition) if k.kind is K.UNEXPOSED_ATTR)
    words = [{t.spelling.strip("_") for t in a.get_tokens()} for a in attributes]
    return any(not w or w & {"used", "section", "retain"} for w in words)


def _uses(unit: Unit, definition: Cursor) -> list[Cursor] | None:
    text, name = unit.parsed.text, definition.spelling
    if not text.compiler:
        return None  # what macros write is not in the text
    found = re.finditer(rb"(?<![\w$])%s(?![\w$])" % re.escape(name.encode()), text.text)
    uses = [m.start() for m in found]
    target = definition.canonical.hash
    seen: set[int] = set()
    out: list[Cursor] = []
    whole = unit.parsed.unit.cursor
    stack = [(whole, whole, False)]
    while stack:
        c, around, read = stack.pop()
        # What only has the name of what stands inside it is none: an operand that the tree leaves out is not seen.
        if c.spelling == name and (c.kind in (K.DECL_REF_EXPR, K.MEMBER_REF_EXPR) or c.kind.is_declaration()):
            seen.add(c.location.offset)
        if c.kind is K.DECL_REF_EXPR and not read:
            declaration = c.referenced
            if declaration is not None and declaration.canonical.hash == target:
                out.append(around)
        below = [k for k in children(c) if _has_one_of(k, uses)]
        stack.extend((k, c, _is_read(c, k, read)) for k in below)
    # Assembly, aliases and pragmas name what they mean where there is no tree.
    return out if seen.issuperset(uses) else None


def _is_read(c: Cursor, child: Cursor, read: bool) -> bool:
    """Whether a part of an expression is only read, if the whole is where `read`."""
    if c.kind is K.CXX_UNARY_EXPR:
        return True  # sizeof
    if c.kind in (K.PAREN_EXPR, K.MEMBER_REF_EXPR):
        return read and not (c.kind is K.MEMBER_REF_EXPR and types.is_pointer(child.type))
    if c.kind is K.ARRAY_SUBSCRIPT_EXPR:
        return read and _is_decay(child)
    if c.kind is not K.UNEXPOSED_EXPR or len(children(c)) != 1:
        return False
    if _is_decay(c):
        return read  # the base of an element that is read
    # A conversion of a place to its value: one that adds a qualifier, or to a base class, leaves a place.
    value = all(types.scalar(t) is not None or types.register_bytes(t) for t in (c.type, child.type))
    return value and not c.type.is_const_qualified() and not classes.is_base_of(c.type, child.type)


def _is_decay(c: Cursor) -> bool:
    """Whether an array becomes a pointer to its first element."""
    inner = children(c)
    return c.kind is K.UNEXPOSED_EXPR and len(inner) == 1 and types.is_array(inner[0].type)


def _has_one_of(c: Cursor, uses: list[int]) -> bool:
    start, end = c.extent.start.offset, c.extent.end.offset
    return any(start <= use < end for use in uses)
