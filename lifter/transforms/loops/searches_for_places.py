"""Searches that say where something is, as the least or the greatest place where it is.

    while (i < n && p[i] != v) i++;
becomes
    end = i; while (end < n) end++;
    at = i; nearest = end; while (at < n) { if (p[at] == v) nearest = min(nearest, at); at++; }   i = nearest;

so that no loop ends by what image data say: the first loop has a closed form, the second is a reduction.  A `break` or
a `return` of the place ends a search as the loop's condition does.  What the original leaves unread because the data
say so may be read (docs/soundness.md), but for texts, which mostly end before their bound does: a search that ends at
a `char` of zero is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce

from halide_core.ir.expr import (
    BOOL,
    EQ,
    Add,
    And,
    Cast,
    Expr,
    Load,
    Max,
    Min,
    Not,
    Or,
    Select,
    Sub,
    Variable,
    children,
    const,
    const_value,
)
from halide_core.ir.structural import contains, substitute, variables
from halide_core.ir.types import Int, Type
from lifter.ir import loop_ir as L

_LEAST_BITS = 32


def without_places(function: L.Function) -> L.Function:
    """`function` with such loops rewritten."""
    rewriter = _Rewriter(function)
    body = rewriter.block(function.body)
    return function if body is function.body else replace(function, body=body, locals=rewriter.locals)


@dataclass(frozen=True, slots=True)
class _Search:
    """A loop that only counts until something is met."""

    counter: str
    type: Type
    step: int
    goes_on: Expr
    """Which does not ask the data."""
    stops: Expr
    """What ends it, of the data at a place."""
    found: tuple[tuple[str, Expr], ...] = ()
    """What variables are set to where it stops."""
    result: Expr | None = None
    """What is returned there."""


class _Rewriter:
    def __init__(self, function: L.Function) -> None:
        self.locals = dict(function.locals)
        self.types = {p.name: p.type for p in function.params if not p.pointer} | self.locals
        self.taken = {p.name for p in function.params} | function.arrays.keys() | function.functions.keys()

    def block(self, body: tuple[L.Stmt, ...]) -> tuple[L.Stmt, ...]:
        out: list[L.Stmt] = []
        for position, s in enumerate(body):
            match s:
                case L.If():
                    then, otherwise = self.block(s.then), self.block(s.otherwise)
                    same = then is s.then and otherwise is s.otherwise
                    out.append(s if same else replace(s, then=then, otherwise=otherwise))
                case L.Loop():
                    search = _search(s, self.types)
                    if search is not None and search.result is not None:
                        ending = self.returned(s, search, search.result, body[position + 1 :])
                        if ending is not None:
                            return (*out, *ending)
                    elif search is not None:
                        out += self.searched(s, search)
                        continue
                    inner = self.block(s.body)
                    out.append(s if inner is s.body else replace(s, body=inner))
                case _:
                    out.append(s)
        return body if len(out) == len(body) and all(a is b for a, b in zip(out, body, strict=True)) else tuple(out)

    def searched(self, loop: L.Loop, s: _Search) -> list[L.Stmt]:
        """The loop as two without a search."""
        out, end = self.placed(loop, s)
        place = Variable(s.type, s.counter)
        for name, value in s.found:
            old = Variable(value.type, name)
            out.append(L.Assign(loop.line, name, Select(value.type, EQ(BOOL, place, end), old, value)))
        return out

    def returned(
        self, loop: L.Loop, s: _Search, value: Expr, rest: Sequence[L.Stmt]
    ) -> list[L.Stmt] | None:
        """The loop and what comes behind it, which returns something else; None where it does more."""
        last = rest[-1] if rest else None
        if not isinstance(last, L.Return) or last.value is None:
            return None
        if any(not isinstance(x, L.Assign) or x.name in variables(value) for x in rest[:-1]):
            return None
        out, end = self.placed(loop, s)
        found = Select(value.type, EQ(BOOL, Variable(s.type, s.counter), end), last.value, value)
        return [*out, *rest[:-1], replace(last, value=found)]

    def placed(self, loop: L.Loop, s: _Search) -> tuple[list[L.Stmt], Expr]:
        """Statements that set the counter to the place that is searched for, and where it comes to an end otherwise."""
        line = loop.line
        counter = Variable(s.type, s.counter)
        end, at, nearest = (
            Variable(s.type, self.local(f"{s.counter}_{hint}", s.type)) for hint in ("end", "at", "nearest")
        )

        def counting(v: Variable, body: tuple[L.Stmt, ...]) -> L.Loop:
            goes_on = substitute(s.goes_on, {s.counter: v})
            advance = Add if s.step > 0 else Sub
            step = L.Assign(line, v.name, advance(s.type, v, const(abs(s.step), s.type)))
            return L.Loop(line, goes_on, body, (step,))

        nearer = (Min if s.step > 0 else Max)(s.type, nearest, at)
        note = L.If(line, substitute(s.stops, {s.counter: at}), (L.Assign(line, nearest.name, nearer),))
        return [
            L.Assign(line, end.name, counter),
            counting(end, ()),
            L.Assign(line, at.name, counter),
            L.Assign(line, nearest.name, end),
            counting(at, (note,)),
            L.Assign(line, s.counter, nearest),
        ], end

    def local(self, hint: str, type_: Type) -> str:
        name, number = hint, 0
        while name in self.taken or name in self.locals:
            number += 1
            name = f"{hint}_{number}"
        self.locals[name] = type_
        return name


def _search(loop: L.Loop, types: dict[str, Type]) -> _Search | None:
    """What a loop searches for; None for one that does anything else."""
    if not loop.test_first or loop.prelude:
        return None
    *tests, advance = (*loop.body, *loop.step) or (None,)
    if not isinstance(advance, L.Assign):
        return None
    counter = advance.name
    type_, step = types.get(counter), _step(advance)
    if type_ is None or step is None or not type_.is_int_or_uint() or type_.bits < _LEAST_BITS:
        return None
    goes_on, stops = _conjuncts(loop.condition), list[Expr]()
    ends = [c for c in goes_on if contains(c, Load)]
    goes_on = [c for c in goes_on if not contains(c, Load)]
    stops += [Not(BOOL, c) for c in ends]
    found: tuple[tuple[str, Expr], ...] = ()
    result: Expr | None = None
    for n, t in enumerate(tests):
        if not isinstance(t, L.If) or t.otherwise or not t.then:
            return None
        *given, jump = t.then
        plain = isinstance(jump, L.Break) and not given
        if not plain and (n or len(tests) > 1 or stops):
            return None  # what is set there would be set wherever the search ends
        if isinstance(jump, L.Break):
            values = _set(given)
            if values is None:
                return None
            found = values
        elif isinstance(jump, L.Return) and jump.value is not None and not given:
            result = jump.value
        else:
            return None
        if contains(t.condition, Load) or not plain:
            stops.append(t.condition)
        else:
            goes_on.append(Not(BOOL, t.condition))
    if not goes_on or not any(contains(c, Load) for c in stops) or any(map(_ends_text, stops)):
        return None
    names = {x for c in (*goes_on, *stops) for x in variables(c)} | {x for _, v in found for x in variables(v)}
    if names & {n for n, _ in found} or counter in {n for n, _ in found}:
        return None
    whole = reduce(lambda a, b: And(BOOL, a, b), goes_on)
    return _Search(counter, type_, step, whole, reduce(lambda a, b: Or(BOOL, a, b), stops), found, result)


def _ends_text(stop: Expr) -> bool:
    """Whether a search stops at the end of a text: `s[i] == 0`, or `!s[i]`, of plain `char`."""
    if isinstance(stop, Not):
        return any(_is_character(c) for c in (stop.a, *children(stop.a)))
    return isinstance(stop, EQ) and const_value(stop.b) == 0 and _is_character(stop.a)


def _is_character(e: Expr) -> bool:
    while isinstance(e, Cast) and e.type != Int(8):
        e = e.value
    return e.type == Int(8) and contains(e, Load)


def _set(given: Sequence[L.Stmt]) -> tuple[tuple[str, Expr], ...] | None:
    """Variables and their values; None where they are made of each other, or something else is done."""
    out: dict[str, Expr] = {}
    for x in given:
        if not isinstance(x, L.Assign) or x.name in out or variables(x.value) & out.keys():
            return None
        out[x.name] = x.value
    return tuple(out.items())


def _step(advance: L.Assign) -> int | None:
    """By how much a statement counts on."""
    e = advance.value
    if isinstance(e, Add | Sub) and isinstance(e.a, Variable) and e.a.name == advance.name:
        by = const_value(e.b)
        if isinstance(by, int) and by:
            return by if isinstance(e, Add) else -by
    return None


def _conjuncts(e: Expr) -> list[Expr]:
    return [*_conjuncts(e.a), *_conjuncts(e.b)] if isinstance(e, And) else [e]


__all__ = ["without_places"]
