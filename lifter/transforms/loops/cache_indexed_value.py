"""Places that are kept, and looked up again in each iteration, with what is there kept beside them.

    for (i = 1; i < n; i++) if (s[i] > s[best]) best = i;
becomes
    if (1 < n) v = s[best];
    for (i = 1; i < n; i++) if (s[i] > v) { best = i; v = s[i]; }

where the loop stores nothing, reads the element in each iteration, and each new place is one that the condition has
just looked at."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from halide_core.ir.expr import BOOL, And, Expr, Load, Or, Select, Variable, const
from halide_core.ir.structural import contains, key, post_order, substitute, transform, variables
from halide_core.ir.types import Type
from lifter.ir import loop_ir as L


def with_values_kept(function: L.Function) -> L.Function:
    """`function` with such loops rewritten, and a local for each value."""
    work = _Rewriter(function)
    body = work.block(function.body)
    return replace(function, body=body, locals=work.locals) if work.changed else function


class _Rewriter:
    def __init__(self, function: L.Function) -> None:
        self.function = function
        self.locals: dict[str, Type] = dict(function.locals)
        self.changed = False

    def block(self, body: Sequence[L.Stmt]) -> tuple[L.Stmt, ...]:
        out: list[L.Stmt] = []
        for s in body:
            if isinstance(s, L.Loop):
                out += self.loop(s)
            elif isinstance(s, L.If):
                out.append(replace(s, then=self.block(s.then), otherwise=self.block(s.otherwise)))
            else:
                out.append(s)
        return tuple(out)

    def loop(self, loop: L.Loop) -> list[L.Stmt]:
        found = self.looked_up(loop)
        if found is None:
            return [replace(loop, body=self.block(loop.body))]
        load, condition = found
        name = f"{load.name}_there"
        while name in self.locals or any(p.name == name for p in self.function.params):
            name += "_"
        value, nothing = Variable(load.type, name), const(0, load.type)
        inner, _ = _innermost(loop)
        assert inner is not None
        new = _rewritten(loop.body, load, value, _assigned(inner.body))
        if new is None:
            return [replace(loop, body=self.block(loop.body))]
        self.locals[name] = load.type
        self.changed = True
        first = L.If(loop.line, condition, (L.Assign(loop.line, name, load),), (L.Assign(loop.line, name, nothing),))
        return [first, replace(loop, body=new)]

    def looked_up(self, loop: L.Loop) -> tuple[Load, Expr] | None:
        """The element at a kept place that a loop reads in every iteration, and the condition under which it is read at
        all, before the loop."""
        inner, condition = _innermost(loop)
        if inner is None or condition is None:
            return None
        inside = list(L.walk((loop,)))
        if any(isinstance(x, L.Store | L.Declare | L.Define) for x in inside):
            return None
        stepping = {x.name for s in _loops(loop) for x in L.walk((*s.step, *s.prelude)) if isinstance(x, L.Assign)}
        assigned = {x.name for x in inside if isinstance(x, L.Assign)}
        first = next((s for s in inner.body if not isinstance(s, L.Assign)), None)
        if not isinstance(first, L.If):
            return None
        nodes = list(post_order(first.condition))
        if any(isinstance(n, And | Or | Select) for n in nodes):
            return None  # what is looked at only if something else holds
        for n in nodes:
            kept = variables(n.index) & assigned if isinstance(n, Load) else set()
            if isinstance(n, Load) and kept and not kept & stepping:
                return n, condition
        return None


def _loops(loop: L.Loop) -> list[L.Loop]:
    return [x for x in L.walk((loop,)) if isinstance(x, L.Loop)]


def _innermost(loop: L.Loop) -> tuple[L.Loop | None, Expr | None]:
    """The loop that does the work, one around which there is nothing but another, and whether it runs at all."""
    if not loop.test_first or loop.prelude:
        return None, None
    inside = [s for s in loop.body if isinstance(s, L.Loop)]
    if not inside:
        return loop, loop.condition
    starts = {s.name: s.value for s in loop.body if isinstance(s, L.Assign)}
    if len(inside) > 1 or len(starts) + 1 < len(loop.body) or loop.body[-1] is not inside[0]:
        return None, None
    if any(variables(v) or contains(v, Load) for v in starts.values()):
        return None, None
    found, condition = _innermost(inside[0])
    if found is None or condition is None:
        return None, None
    return found, And(BOOL, loop.condition, substitute(condition, starts))


def _rewritten(
    body: Sequence[L.Stmt], load: Load, value: Variable, changing: Collection[str]
) -> tuple[L.Stmt, ...] | None:
    """Statements that read `value` for `load`, and change it with the place; None where a new place is another one than
    the condition around it has looked at, or is made of variables that are `changing` within an iteration."""
    kept = variables(load.index)

    def read(e: Expr) -> Expr:
        return transform(e, lambda n: value if key(n) == key(load) else n)

    def of(s: L.Stmt, seen: frozenset[int]) -> L.Stmt | None:
        if isinstance(s, L.If):
            now = seen | {key(n) for n in post_order(s.condition) if isinstance(n, Load)}
            then, otherwise = block(s.then, now), block(s.otherwise, now)
            if then is None or otherwise is None:
                return None
            return replace(s, condition=read(s.condition), then=then, otherwise=otherwise)
        if isinstance(s, L.Loop):
            inner = block(s.body, frozenset())
            return None if inner is None else replace(s, condition=read(s.condition), body=inner)
        if isinstance(s, L.Assign):
            return replace(s, value=read(s.value))
        if isinstance(s, L.Store):
            return replace(s, index=read(s.index), value=read(s.value))
        return s if isinstance(s, L.Continue) else None

    def block(statements: Sequence[L.Stmt], seen: frozenset[int]) -> tuple[L.Stmt, ...] | None:
        out: list[L.Stmt] = []
        places: dict[str, Expr] = {}
        for s in statements:
            if isinstance(s, L.Assign) and s.name in kept:
                if s.name in places or variables(s.value) & kept:
                    return None
                places[s.name] = s.value
            elif places and not isinstance(s, L.Assign):
                return None  # what comes between new places and their end may read either
            new = of(s, seen)
            if new is None:
                return None
            out.append(new)
        if places:
            there = substitute(load.index, places)
            if not variables(there).isdisjoint(changing) or key(replace(load, index=there)) not in seen:
                return None
            out.append(L.Assign(statements[-1].line, value.name, replace(load, index=there)))
        return tuple(out)

    return block(body, frozenset())


def _assigned(body: Sequence[L.Stmt]) -> set[str]:
    return {x.name for x in L.walk(body) if isinstance(x, L.Assign)}


__all__ = ["with_values_kept"]
