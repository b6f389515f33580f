"""Memory that is allocated under a condition (`if (n) p = malloc(n)`): allocated in any case.

Where the original has none its pointer is null, or not set, and nothing may be read or written through it.  What would
see the difference, a null check of such a pointer, is refused (`pointers.is_not_null`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from halide_core.ir.expr import I64, Div, Expr, Load, Mod, Variable, const, const_value
from halide_core.ir.structural import contains, post_order, transform
from lifter.algebra.fold import fold
from lifter.frontend.objects.scalar_replacement import rewritten
from lifter.frontend.state.context import Context
from lifter.ir.loop_ir import Assign, Declare, Define, If, Loop, Stmt, walk


def unconditional(block: Sequence[Stmt]) -> list[Stmt]:
    """The function's statements with the allocations of its conditionals, outside of loops, before these.

    (In a loop an allocation is new memory in each iteration, and must stay under its condition.)"""
    out: list[Stmt] = []
    for s in block:
        if isinstance(s, If):
            found, then = _taken(s.then)
            more, otherwise = _taken(s.otherwise)
            out += [*found, *more]
            s = replace(s, then=tuple(then), otherwise=tuple(otherwise))
            if not s.then and not s.otherwise:
                continue
        out.append(s)
    return out


def without_starts(ctx: Context, block: Sequence[Stmt]) -> list[Stmt]:
    """The statements without pointer variables that are only ever set to the start of memory."""
    values: dict[str, list[Expr]] = {}
    defined = set(ctx.result_extents)
    for s in walk(block):
        if isinstance(s, Assign):
            values.setdefault(s.name, []).append(s.value)
        elif isinstance(s, Define):
            defined.add(s.name)
    values = {name: found for name, found in values.items() if name not in defined}
    gone = {n for n, v in values.items() if ctx.locals.get(n) == I64 and all(const_value(e) == 0 for e in v)}
    if not gone:
        return list(block)
    for name in gone:
        del ctx.locals[name]

    def read(e: Expr) -> Expr:
        found = transform(e, lambda n: const(0, I64) if isinstance(n, Variable) and n.name in gone else n)
        return found if found is e else fold(found)

    return _unassigned(rewritten(block, read, {}, set()), gone)


def _unassigned(block: Iterable[Stmt], gone: set[str]) -> list[Stmt]:
    out: list[Stmt] = []
    for s in block:
        if isinstance(s, Assign) and s.name in gone:
            continue
        if isinstance(s, If):
            s = replace(s, then=tuple(_unassigned(s.then, gone)), otherwise=tuple(_unassigned(s.otherwise, gone)))
            if not s.then and not s.otherwise:
                continue
        if isinstance(s, Loop):
            prelude, body, step = (tuple(_unassigned(part, gone)) for part in (s.prelude, s.body, s.step))
            s = replace(s, prelude=prelude, body=body, step=step)
        out.append(s)
    return out


def _taken(arm: Iterable[Stmt]) -> tuple[list[Stmt], list[Stmt]]:
    """The allocations of an arm whose sizes can be said before it, and the rest."""
    found: list[Stmt] = []
    rest: list[Stmt] = []
    for s in unconditional(list(arm)):
        size = _before(s.size, rest) if isinstance(s, Declare) and not s.zeroed and not s.grows else None
        if isinstance(s, Declare) and size is not None:
            found.append(replace(s, size=size))
        else:
            rest.append(s)
    return found, rest


def _before(size: Expr, earlier: Sequence[Stmt]) -> Expr | None:
    """A size in terms of what variables are before some statements; None where that cannot be said."""
    for s in reversed(earlier):
        names = {n.name for n in post_order(size) if isinstance(n, Variable)}
        if isinstance(s, Assign) and s.name in names:
            size = _with(size, s.name, s.value)
        elif any(isinstance(k, Assign | Define) and k.name in names for k in walk((s,))):
            return None
    return None if contains(size, Load, Div, Mod) else size


def _with(e: Expr, name: str, value: Expr) -> Expr:
    return transform(e, lambda n: value if isinstance(n, Variable) and n.name == name else n)
