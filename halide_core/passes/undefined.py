"""Values that are undefined, in part or under conditions: what they leave as it is.

    f(x) = select(x > 3, undef, g(x))    becomes    if !(x > 3): f(x) = g(x)"""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir.expr import BOOL, CallType, Expr, children, with_children
from halide_core.ir.structural import nodes, post_order


def is_undefined(e: Expr) -> bool:
    """Whether `e` is undef itself."""
    return isinstance(e, ir.Call) and e.name == "undef" and e.call_type is CallType.INTRINSIC


def may_be_undefined(e: Expr) -> bool:
    """Whether `e` has undef in it."""
    return any(map(is_undefined, nodes(e, ir.Call)))


def defined_part(e: Expr) -> tuple[Expr, Expr | None] | None:
    """(What `e` is where it is defined, the condition for that; None: always).  None where it never is."""
    if not may_be_undefined(e):
        return e, None
    found: dict[int, tuple[Expr, Expr | None] | None] = {}
    for n in post_order(e):
        if id(n) not in found:
            found[id(n)] = _of_node(n, [found[id(c)] for c in children(n)])
    return found[id(e)]


def _of_node(n: Expr, parts: list[tuple[Expr, Expr | None] | None]) -> tuple[Expr, Expr | None] | None:
    if is_undefined(n):
        return None
    if isinstance(n, ir.Select):
        condition, yes, no = parts
        if condition is None or (yes is None and no is None):
            return None
        c, when = condition
        if yes is None:
            assert no is not None
            return no[0], _both(_both(when, no[1]), ir.Not(BOOL, c))
        if no is None:
            return yes[0], _both(_both(when, yes[1]), c)
        if yes[1] is not None:
            when = _both(when, ir.Or(BOOL, ir.Not(BOOL, c), yes[1]))
        if no[1] is not None:
            when = _both(when, ir.Or(BOOL, c, no[1]))
        return ir.Select(n.type, c, yes[0], no[0]), when
    known = [p for p in parts if p is not None]
    if len(known) < len(parts):
        return None
    when = None
    for _, condition_of_part in known:
        when = _both(when, condition_of_part)
    return (n if all(p is c for (p, _), c in zip(known, children(n), strict=True)) else _rebuilt(n, known)), when


def _rebuilt(n: Expr, parts: list[tuple[Expr, Expr | None]]) -> Expr:
    return with_children(n, tuple(p for p, _ in parts))


def _both(a: Expr | None, b: Expr | None) -> Expr | None:
    return b if a is None else a if b is None else ir.And(BOOL, a, b)
