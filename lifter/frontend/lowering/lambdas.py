"""Lambdas: what they capture, and their calls."""

from __future__ import annotations

from clang.cindex import Cursor, CursorKind

from lifter.frontend.clang import classes, types
from lifter.frontend.clang.libclang import children, preorder
from lifter.frontend.lowering import inline
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Alias, Binding, Lambda, Place, Value

K = CursorKind


def value(ctx: Context, c: Cursor) -> Value:
    """A lambda, with what the names in it stand for where it is made."""
    return Lambda(c, ctx.frames[-1].this, _captures(ctx, c))


def call(ctx: Context, c: Cursor, thing: Lambda, arguments: list[Cursor], as_place: bool) -> Value | Place:
    """A call of a lambda."""
    parts = children(thing.cursor)
    body = next((k for k in parts if k.kind is K.COMPOUND_STMT), None)
    target = c.referenced
    # A generic lambda's call operator is a template; its instantiation has the types.
    definition = target.get_definition() or target
    own = next((k for k in children(definition) if k.kind is K.COMPOUND_STMT), None)
    parameters = [k for k in parts if k.kind is K.PARM_DECL]
    if own is not None:
        body, parameters = own, list(definition.get_arguments())
    if body is None:
        ctx.fail("lambda of this form", c)
    own_bindings = [(name, ctx.binding(name)) for name, _ in thing.captured]
    for name, binding in thing.captured:
        ctx.bind(name, binding)
    try:
        return inline.function(ctx, c, definition, parameters, body, arguments, as_place, thing.this)
    finally:
        for name, earlier in own_bindings:
            if earlier is not None:
                ctx.bind(name, earlier)


def _captures(ctx: Context, c: Cursor) -> tuple[tuple[Cursor, Binding], ...]:
    """The enclosing functions' names in a lambda, and what they stand for.

    Its body uses the variables themselves, which is only right for copies that never change."""
    spelled: list[str] = []
    for token in c.get_tokens():
        if token.spelling == "]":
            break
        spelled.append(token.spelling)
    # "[&" alone or "&name" each: nothing is copied.
    by_reference = spelled[1::3] == ["&"] * len(spelled[1::3]) and set(spelled[3::3]) <= {","}
    if "*" in spelled:
        ctx.fail("lambda that captures a copy of its object", c, "capture this")
    own = {k.hash for k in preorder(c) if k.kind in (K.VAR_DECL, K.PARM_DECL)}
    found: dict[int, tuple[Cursor, Binding]] = {}
    for inner in preorder(c):
        target = inner.referenced if inner.kind is K.DECL_REF_EXPR else None
        if target is None or target.kind not in (K.VAR_DECL, K.PARM_DECL):
            continue
        binding = ctx.binding(target)
        if target.hash in own or binding is None:
            continue
        found[target.hash] = target, binding
        if not by_reference and classes.is_plain(target.type) and not classes.is_trivial(target.type):
            ctx.fail(f"lambda that may copy '{target.spelling}', whose class copies in its own way", c)
        if not by_reference and _may_change(ctx, target, binding):
            ctx.fail(f"lambda that may capture '{target.spelling}' by value while it changes", c, "capture with [&]")
    return tuple(found.values())


def _may_change(ctx: Context, target: Cursor, binding: Binding) -> bool:
    """Whether what a name stands for may not keep its value."""
    if target.hash in ctx.changed:
        return True
    if types.is_reference(target.type):  # what it refers to has a name of its own
        return not isinstance(binding, Alias)
    # An array's elements may be written wherever it is named.
    return types.is_array(target.type) and not types.is_const(target.type)
