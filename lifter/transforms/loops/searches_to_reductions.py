"""Searches that only say whether something is there, as reductions over all of it.

    for (...) if (c) return 1;  return 0;        becomes   found = false; for (...) if (c) found = true;
                                                           return found ? 1 : 0;
    for (...) if (c) { ok = 0; break; }          becomes   for (...) if (c) ok = 0;

The loop stores nothing, what it computes besides is used by nothing else, and what is returned or set is the same in
each iteration.  What the original leaves unread because the data say so may be read (docs/soundness.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halide_core.ir.expr import BOOL, Expr, Load, Select, Variable, make_bool
from halide_core.ir.structural import contains, key, variables
from halide_core.ir.types import Type
from lifter.ir import loop_ir as L
from lifter.ir.upward_exposed import carried_around, read_outside

_QUIET = (L.Assign, L.If, L.Loop, L.Break, L.Continue, L.Return)


def without_searches(function: L.Function) -> L.Function:
    """`function` with such loops rewritten."""
    locals_ = dict(function.locals)
    taken = {p.name for p in function.params} | function.arrays.keys() | function.functions.keys()
    body = _without_returns(function.body, function.body, locals_, taken)
    body = _without_breaks(body, body)
    if body is function.body:
        return function
    return replace(function, body=body, locals=locals_)


def _without_returns(
    body: tuple[L.Stmt, ...], whole: tuple[L.Stmt, ...], locals_: dict[str, Type], taken: set[str]
) -> tuple[L.Stmt, ...]:
    for position, s in enumerate(body):
        returns = [x for x in L.walk((s,)) if isinstance(x, L.Return)] if isinstance(s, L.Loop) else []
        if not returns:
            continue
        assert isinstance(s, L.Loop)
        value = returns[0].value
        rest = _without_returns(body[position + 1 :], whole, locals_, taken)
        last = rest[-1] if rest else None
        ends = isinstance(last, L.Return) and all(isinstance(x, L.Assign | L.Loop) for x in rest[:-1])
        if value is None or last is None or not ends or any(isinstance(x, L.Store) for x in L.walk(rest)):
            return body
        assert isinstance(last, L.Return)
        same = all(r.value is not None and key(r.value) == key(value) for r in returns)
        if not same or last.value is None or not _is_search(s, value, whole, L.Return):
            return body
        found = _name("found", taken | locals_.keys())
        locals_[found] = BOOL
        note = L.Assign(s.line, found, make_bool(True))
        loop = _replaced(s, L.Return, note)
        result = Select(value.type, Variable(BOOL, found), value, last.value)
        start = L.Assign(s.line, found, make_bool(False))
        return (*body[:position], start, loop, *rest[:-1], replace(last, value=result))
    return body


def _without_breaks(
    body: tuple[L.Stmt, ...], whole: tuple[L.Stmt, ...], around: L.Loop | None = None
) -> tuple[L.Stmt, ...]:
    out: list[L.Stmt] = []
    for s in body:
        match s:
            case L.If():
                then, otherwise = _without_breaks(s.then, whole, around), _without_breaks(s.otherwise, whole, around)
                changed = then is not s.then or otherwise is not s.otherwise
                out.append(replace(s, then=then, otherwise=otherwise) if changed else s)
            case L.Loop():
                inner = _without_breaks(s.body, whole, s)
                loop = replace(s, body=inner) if inner is not s.body else s
                out.append(_unbroken(loop, s, whole, around))
            case _:
                out.append(s)
    same = len(out) == len(body) and all(a is b for a, b in zip(out, body, strict=True))
    return body if same else tuple(out)


def _unbroken(loop: L.Loop, given: L.Loop, whole: tuple[L.Stmt, ...], around: L.Loop | None) -> L.Loop:
    """The loop without its `break`, where that only ends a search; `given` is how it stands in `whole`, `around` what
    loop it is in."""
    arms = [s for s in L.walk(loop.body) if isinstance(s, L.If) and _ends_by_break(s.then)]
    if len(arms) != 1 or not any(s is arms[0] for s in loop.body) or arms[0].otherwise:
        return loop
    (arm,) = arms
    set_ = arm.then[:-1]
    if not contains(arm.condition, Load) or not all(isinstance(x, L.Assign) for x in set_):
        return loop
    flags = {x.name: x.value for x in set_ if isinstance(x, L.Assign)}
    others = [x for x in L.walk((loop,)) if isinstance(x, L.Assign) and not any(x is y for y in set_)]
    if len(flags) < len(set_) or any(x.name in flags for x in others):
        return loop
    if around is not None and any(carried_around(around, x.name) for x in others):
        return loop  # its next run would go on from where this one has ended
    inside = {n for x in L.walk((loop,)) for e in L.expressions(x) for n in variables(e)}
    if inside & flags.keys():
        return loop
    values = (*flags.values(), make_bool(True))
    if not all(_is_search(loop, v, whole, L.Break, given, frozenset(flags)) for v in values):
        return loop
    return _replaced(loop, L.Break, None)


def _ends_by_break(arm: Sequence[L.Stmt]) -> bool:
    return bool(arm) and isinstance(arm[-1], L.Break)


def _is_search(
    loop: L.Loop, value: Expr, whole: tuple[L.Stmt, ...], jump: type[L.Stmt], given: L.Loop | None = None,
    kept: frozenset[str] = frozenset(),
) -> bool:
    """Whether a loop only asks for something, and gives the same value wherever it finds it: its variables but for
    those `kept` are read by nothing else."""
    inside = list(L.walk((loop,)))
    if not all(isinstance(x, _QUIET) for x in inside):
        return False
    other_jumps = {L.Break, L.Return} - {jump}
    if any(isinstance(x, tuple(other_jumps)) for x in inside):
        return False
    assigned = {x.name for x in inside if isinstance(x, L.Assign)} - kept
    if variables(value) & assigned or contains(value, Load):
        return False
    return not any(read_outside(given or loop, whole, n) for n in assigned)


def _replaced(loop: L.Loop, jump: type[L.Stmt], by: L.Stmt | None) -> L.Loop:
    """The loop with each such jump out of it replaced."""

    def inside(body: Sequence[L.Stmt]) -> tuple[L.Stmt, ...]:
        out: list[L.Stmt] = []
        for s in body:
            if isinstance(s, jump):
                out += [by] if by is not None else []
            elif isinstance(s, L.If):
                out.append(replace(s, then=inside(s.then), otherwise=inside(s.otherwise)))
            elif isinstance(s, L.Loop):
                out.append(replace(s, body=inside(s.body)))
            else:
                out.append(s)
        return tuple(out)

    return replace(loop, body=inside(loop.body))


def _name(hint: str, used: set[str]) -> str:
    name, number = hint, 0
    while name in used:
        number += 1
        name = f"{hint}_{number}"
    return name


__all__ = ["without_searches"]
