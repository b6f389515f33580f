"""Loops that end by `break` or `return` as loops that end by their condition, where what ends them is known before an
iteration.

    while (t) { a; if (c) { z; break; } b; }   becomes   while (t && !c) { a; b; }  if (t) { a; z; }
    while (true) { a; if (c) { z; break; } }   becomes   do { a; } while (!c);  z;
    do { if (c) break; b; } while (t);         becomes   if (!c) do { b; } while (t && !c);

for a `c` that `a` does not change, or sets to what can be said before it; a `return` stands at the end of `z` then.
Other breaks stay: a search for a value in the data has no closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halide_core.ir.expr import BOOL, And, Call, CallType, Expr, Load, Variable, const_value
from halide_core.ir.structural import contains, post_order, substitute
from lifter.algebra.fold import negate
from lifter.ir import loop_ir as L


def without_breaks(body: Sequence[L.Stmt]) -> tuple[L.Stmt, ...]:
    """`body` with such loops rewritten, innermost first."""
    out: list[L.Stmt] = []
    for s in body:
        if isinstance(s, L.If):
            out.append(replace(s, then=without_breaks(s.then), otherwise=without_breaks(s.otherwise)))
        elif isinstance(s, L.Loop):
            out += _rewritten(replace(s, body=without_breaks(s.body)))
        else:
            out.append(s)
    return tuple(out)


def _rewritten(loop: L.Loop) -> list[L.Stmt]:
    for position, s in enumerate(loop.body):
        if not _jumps((s,), L.Break, L.Return):
            continue
        found = _broken(s)
        if found is None:
            break
        condition, last, rest = found
        before, after = loop.body[:position], (*rest, *loop.body[position + 1 :])
        new = _without(loop, before, condition, last, after)
        if new is None:
            break
        # One of them is gone; there may be more.
        return list(without_breaks(new))
    return [loop]


def _broken(s: L.Stmt) -> tuple[Expr, tuple[L.Stmt, ...], tuple[L.Stmt, ...]] | None:
    """(Condition, what is done before the break, what is done otherwise) of `if (c) { z; break; } else o`; a return is
    done before it."""
    if not isinstance(s, L.If):
        return None
    for condition, arm, other in ((s.condition, s.then, s.otherwise), (negate(s.condition), s.otherwise, s.then)):
        if not arm or _jumps(arm[:-1], L.Break, L.Continue):
            continue
        if isinstance(arm[-1], L.Break | L.Return):
            return condition, arm if isinstance(arm[-1], L.Return) else arm[:-1], other
    return None


def _without(
    loop: L.Loop, before: tuple[L.Stmt, ...], condition: Expr, last: tuple[L.Stmt, ...], after: tuple[L.Stmt, ...]
) -> list[L.Stmt] | None:
    once = (*before, *last)
    if _jumps(before, L.Continue) or not _is_plain(condition):
        return None
    endless = const_value(loop.condition) == 1 and not loop.prelude
    if loop.test_first and endless and not after and not loop.step:
        return [L.Loop(loop.line, negate(condition), before, test_first=False), *last]
    ahead = _ahead_of(before, condition)
    if ahead is None:
        return None
    condition = ahead
    test = negate(condition) if endless else And(BOOL, loop.condition, negate(condition))
    shorter = replace(loop, condition=test, body=(*before, *after))
    if not loop.test_first:
        return None if once else [L.If(loop.line, negate(condition), (shorter,))]
    if not once:
        return [shorter]
    if loop.prelude or _jumps(after, L.Break) or any(isinstance(s, L.Declare | L.Define) for s in L.walk(once)):
        return None
    return [shorter, *(once if endless else (L.If(loop.line, loop.condition, once),))]


def _ahead_of(before: Sequence[L.Stmt], condition: Expr) -> Expr | None:
    """What a condition is, said before the statements in front of it; None where these choose, or read memory for
    it."""
    for s in reversed(before):
        names = {n.name for n in post_order(condition) if isinstance(n, Variable)}
        if isinstance(s, L.Assign) and s.name in names:
            condition = substitute(condition, {s.name: s.value})
        elif names & _assigned((s,)):
            return None
    return condition if _is_plain(condition) else None


def _is_plain(e: Expr) -> bool:
    """Whether an expression reads no memory and calls nothing but operators."""
    calls = (n for n in post_order(e) if isinstance(n, Call))
    return not contains(e, Load) and all(n.call_type is CallType.INTRINSIC and n.name in _OPERATORS for n in calls)


_OPERATORS = {"shift_left", "shift_right", "bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_not"}


def _assigned(body: Sequence[L.Stmt]) -> set[str]:
    return {s.name for s in L.walk(body) if isinstance(s, L.Assign)}


def _jumps(body: Sequence[L.Stmt], *kinds: type[L.Stmt]) -> bool:
    """Whether `body` has such a jump out of the loop that it is the body of."""
    for s in body:
        if isinstance(s, kinds):
            return True
        if isinstance(s, L.If) and (_jumps(s.then, *kinds) or _jumps(s.otherwise, *kinds)):
            return True
    return False
