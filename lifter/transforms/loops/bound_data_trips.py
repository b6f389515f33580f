"""Loops whose number of iterations the data say, as loops up to the most that it can be:

    for (x = 0; x < count[y]; x++) a;   becomes   for (x = 0; x < count_most; x++) if (x < count[y]) a;

where the values of `count` are measured at the call (bound_measured_values.py).  The loop counts up by one to an end
that stays what it is, so that once its condition fails it fails for good."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from halide_core.ir.expr import (
    BOOL,
    GE,
    GT,
    LE,
    LT,
    Add,
    And,
    Cast,
    Div,
    Expr,
    Load,
    Max,
    Min,
    Mul,
    Select,
    Sub,
    Variable,
    const,
    const_value,
)
from halide_core.ir.structural import post_order, variables
from halide_core.ir.types import Type
from lifter.ir import loop_ir as L
from lifter.ir.counting_loops import steps_by_one

Ends = tuple[Expr | None, Expr | None]
"""The least and the greatest value, over parameters; None where it is not known."""
_NOTHING: Ends = None, None


def with_bounded_trips(function: L.Function) -> L.Function:
    """The function with such loops up to ends over parameters."""
    rewriter = _Rewriter(function)
    body = rewriter.block(function.body)
    measured = tuple(replace(m, role=rewriter.roles.get(m.least, m.role)) for m in function.measured)
    return replace(function, body=body, locals=function.locals | rewriter.locals, measured=measured)


class _Rewriter:
    def __init__(self, function: L.Function) -> None:
        self.function = function
        self.values: dict[str, list[Expr]] = {}
        self.locals: dict[str, Type] = {}
        for s in L.walk(function.body):
            if isinstance(s, L.Assign | L.Define):
                self.values.setdefault(s.name, []).append(s.value)
        self.by_most = {m.most: m for m in function.measured}
        self.roles: dict[str, str] = {}

    def block(self, body: Iterable[L.Stmt]) -> tuple[L.Stmt, ...]:
        out: list[L.Stmt] = []
        for s in body:
            if isinstance(s, L.If):
                out.append(replace(s, then=self.block(s.then), otherwise=self.block(s.otherwise)))
            elif isinstance(s, L.Loop):
                out += self.loop(replace(s, body=self.block(s.body)), out[-1] if out else None)
            else:
                out.append(s)
        return tuple(out)

    def loop(self, loop: L.Loop, before: L.Stmt | None) -> list[L.Stmt]:
        """What a loop becomes, behind the statement before it."""
        v, test = steps_by_one(loop), _test(loop.condition)
        if v is None or test is None or test[0].name != v or _leaves(loop.body):
            return [loop]
        counter, end, including = test
        value = before.value if isinstance(before, L.Assign) and before.name == v else None
        first = self._bound(value, "begin") if value is not None else None
        last = self._bound(end, "end")
        if (first is None and last is None) or v in self._behind(end):
            return [loop]
        start, type_ = self._local(f"{v}_start", counter.type), counter.type
        began = Variable(type_, start)
        past = Add(type_, end, const(1, type_)) if including else end
        test_kind = LE if including else LT
        held = loop.condition if first is None else And(BOOL, LE(BOOL, began, counter), loop.condition)
        return [
            L.Assign(loop.line, start, counter),
            *([L.Assign(loop.line, v, first)] if first is not None else []),
            replace(
                loop,
                condition=test_kind(BOOL, counter, end if last is None else last),
                body=(L.If(loop.line, held, loop.body),),
            ),
            L.Assign(loop.line, v, Max(type_, began, past)),
        ]

    def _bound(self, e: Expr, role: str) -> Expr | None:
        """The least value of what loops begin with, or the greatest of what they end with, where that is measured."""
        behind = self._behind(e)
        ends = self.range_of(e)
        found = ends[0] if role == "begin" else ends[1]
        if found is None or behind.isdisjoint(m.array for m in self.function.measured):
            return None
        self.roles |= {m.least: role for m in self.function.measured if m.least in behind}
        return found

    def _local(self, name: str, type_: Type) -> str:
        taken = {*self.locals, *self.function.locals, *self.function.arrays, *(p.name for p in self.function.params)}
        while name in taken:
            name += "_"
        self.locals[name] = type_
        return name

    def _behind(self, e: Expr) -> set[str]:
        """The variables and arrays that a value is made of, those that locals are given values of too."""
        found: set[str] = set()
        waiting = [e]
        while waiting:
            here = waiting.pop()
            names = variables(here) | {n.name for n in post_order(here) if isinstance(n, Load)}
            waiting += [value for name in names - found for value in self.values.get(name, ())]
            found |= names
        return found

    def range_of(self, e: Expr, within: frozenset[str] = frozenset()) -> Ends:
        """What a value lies between, in whichever iteration."""
        if const_value(e) is not None:
            return e, e
        match e:
            case Variable():
                return self._variable(e, within)
            case Max(a=Min(b=Variable() as most)) if most.name in self.by_most:
                return Variable(e.type, self.by_most[most.name].least), most
            case Load():
                small = e.type.is_int_or_uint() and e.type.bits <= 16 and not e.type.is_bool()
                return (const(e.type.min(), e.type), const(e.type.max(), e.type)) if small else _NOTHING
            case Cast():
                low, high = self.range_of(e.value, within)
                wider = e.type.is_int_or_uint() and e.type.can_represent(e.value.type)
                return (_cast(e, low), _cast(e, high)) if wider else _NOTHING
            case Select():
                return _joined(e, self.range_of(e.true_value, within), self.range_of(e.false_value, within))
            case Add() | Sub() | Mul() | Div() | Min() | Max():
                return _combined(e, self.range_of(e.a, within), self.range_of(e.b, within))
        return _NOTHING

    def _variable(self, e: Variable, within: frozenset[str]) -> Ends:
        given = self.values.get(e.name, [])
        if e.name in within or len(given) > 4:
            return _NOTHING
        if not given:
            return (e, e) if any(p.name == e.name and not p.pointer for p in self.function.params) else _NOTHING
        if any(p.name == e.name for p in self.function.params):
            return _NOTHING  # it also has what the caller gave
        found = [self.range_of(value, within | {e.name}) for value in given]
        out = found[0]
        for other in found[1:]:
            out = _joined(e, out, other)
        return out


def _test(condition: Expr) -> tuple[Variable, Expr, bool] | None:
    """A counter, what it is held to, and whether that itself is one of its values."""
    match condition:
        case LT(a=Variable() as v, b=end) | GT(a=end, b=Variable() as v):
            return v, end, False
        case LE(a=Variable() as v, b=end) | GE(a=end, b=Variable() as v):
            return v, end, True
    return None


def _leaves(body: Iterable[L.Stmt]) -> bool:
    """Whether a loop may end before its condition says so."""
    return any(isinstance(s, L.Break | L.Return) for s in L.walk(body))


def _cast(e: Cast, end: Expr | None) -> Expr | None:
    return None if end is None else Cast(e.type, end)


def _joined(e: Expr, one: Ends, other: Ends) -> Ends:
    (a, b), (c, d) = one, other
    return (
        None if a is None or c is None else Min(e.type, a, c),
        None if b is None or d is None else Max(e.type, b, d),
    )


def _combined(e: Add | Sub | Mul | Div | Min | Max, one: Ends, other: Ends) -> Ends:
    (a, b), (c, d) = one, other
    if isinstance(e, Add | Sub | Mul) and (not e.type.is_int() or e.type.bits < 32):
        return _NOTHING  # what wraps for one value need not for the least or the greatest
    match e:
        case Add():
            return _of(Add, e, a, c), _of(Add, e, b, d)
        case Sub():
            return _of(Sub, e, a, d), _of(Sub, e, b, c)
        case Min() | Max():
            # One of them will do for the one end, and the other takes both.
            either, both = (1, 0) if isinstance(e, Min) else (0, 1)
            ends: list[Expr | None] = [None, None]
            ends[both] = _of(type(e), e, one[both], other[both])
            known = [x for x in (one[either], other[either]) if x is not None]
            ends[either] = _of(type(e), e, known[0], known[1]) if len(known) == 2 else next(iter(known), None)
            return ends[0], ends[1]
        case Mul() | Div():
            factor = const_value(c) if c is not None and c is d else None
            if factor is not None and factor > 0:
                return _of(type(e), e, a, c), _of(type(e), e, b, c)
    return _NOTHING


_Binary = type[Add] | type[Sub] | type[Mul] | type[Div] | type[Min] | type[Max]


def _of(kind: _Binary, e: Expr, a: Expr | None, b: Expr | None) -> Expr | None:
    return None if a is None or b is None else kind(e.type, a, b)


__all__ = ["with_bounded_trips"]
