"""When a call reads a parameter, as far as other parameters decide: what lies behind a pointer that a flag says is not
set must not be looked at before the flag is.

The conditions are those on the way to the reads, in order, each of which the original comes to where the ones before it
hold; what image data or the iterations of a loop decide ends a way's conditions.  So they hold in every call that reads
the parameter, and may hold in others."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from halide_core.ir import expr as E
from halide_core.ir.expr import Expr, Load, Variable, const
from halide_core.ir.structural import key, nodes, post_order, substitute, variables
from lifter.ir import loop_ir as L
from lifter.ir.names import pointer_of

Way = tuple[Expr, ...]
"""Conditions over scalar parameters and pointers' addresses, all of which hold; () is always."""

_MOST_NODES = 64
_MOST_WAYS = 8


def reading_conditions(function: L.Function, names: Collection[str]) -> dict[str, tuple[Way, ...]]:
    """The ways to where each of the parameters `names` is read; none for one that is never read."""
    walk = _Walk(frozenset(names), {p.name: const(0, E.I64) for p in function.params if p.pointer})
    walk.own = frozenset(function.locals) - {p.name for p in function.params}
    walk.left = L.left_fields(function)
    walk.moved = L.moved_fields(function)
    walk.block(function.body, _Reached(()))
    return {name: shortest(walk.found.get(name, ())) for name in names}


def shortest(ways: Iterable[Way]) -> tuple[Way, ...]:
    """Without the ways that others begin."""
    out: dict[tuple[int, ...], Way] = {}
    for way in sorted(ways, key=len):
        numbers = tuple(map(key, way))
        if not any(numbers[:n] in out for n in range(len(numbers) + 1)):
            out[numbers] = way
    return tuple(out.values()) if len(out) <= _MOST_WAYS else ((),)


@dataclass(frozen=True)
class _Reached:
    """What holds at a place of the text."""

    way: Way
    ended: bool = False
    """Whether something that is not known decides how it goes on."""

    def where(self, condition: Expr | None, holds: bool = True) -> _Reached:
        """The place behind a condition that is known, or is not."""
        if condition is None or self.ended:
            return _Reached(self.way, True)
        return _Reached((*self.way, condition if holds else E.Not(E.BOOL, condition)))


@dataclass
class _Walk:
    wanted: frozenset[str]
    values: dict[str, Expr | None]
    """What locals have, over the parameters, where that is known."""
    own: frozenset[str] = frozenset()
    """Locals, of which nothing is known unless `values` has it."""
    left: dict[str, str] = field(default_factory=dict)
    """Fields that are assigned, and their memory: that is touched where the field is read or assigned, and given back
    only then."""
    moved: dict[str, str] = field(default_factory=dict)
    """Pointers that are moved, and memory of nobody else's that takes how far."""
    found: dict[str, list[Way]] = field(default_factory=dict)

    def block(self, body: Sequence[L.Stmt], place: _Reached | None) -> _Reached | None:
        """What holds behind the statements; None where nothing comes to their end."""
        for s in body:
            if place is None:
                return None
            place = self.statement(s, place)
        return place

    def statement(self, s: L.Stmt, place: _Reached) -> _Reached | None:
        match s:
            case L.If():
                return self.conditional(s, place)
            case L.Loop():
                self.loop(s, place)
                return place
            case L.Store() if s.array in self.left.values() or s.array in self.moved.values():
                return place
        for e in L.expressions(s):
            self.read(e, place)
        match s:
            case L.Assign() | L.Define():
                self.note(s.name if s.name in self.moved else self.left.get(s.name, ""), place)
                self.values[s.name] = self.known(s.value)
            case L.Store():
                self.note(s.array, place)
            case L.Return():
                self.note(s.base, place)
                return None
            case L.Break() | L.Continue():
                return None
        return place

    def conditional(self, s: L.If, place: _Reached) -> _Reached | None:
        self.read(s.condition, place)
        condition, before = self.known(s.condition), dict(self.values)
        then = self.block(s.then, place.where(condition))
        after, self.values = self.values, before
        otherwise = self.block(s.otherwise, place.where(condition, False))
        if then is None:
            return otherwise
        if otherwise is None:
            self.values = after
            return then
        for name in {*after, *self.values}:
            if after.get(name) is not self.values.get(name):
                self.values[name] = None
        return place

    def loop(self, s: L.Loop, place: _Reached) -> None:
        """The first iteration's condition is known; what iterations change is not, in the body and after it."""
        entered = place
        if s.test_first:
            self.block(s.prelude, place)
            self.read(s.condition, place)
            entered = place.where(self.known(s.condition))
        changed = [x.name for x in L.walk((s,)) if isinstance(x, L.Assign | L.Define)]
        self.values |= dict.fromkeys(changed)
        for block in (s.body, s.step, s.prelude):
            self.block(block, entered)
        self.read(s.condition, entered)
        self.values |= dict.fromkeys(changed)

    def read(self, e: Expr, place: _Reached) -> None:
        """Notes what an expression reads; arms and right operands are read where they are asked for only."""
        names = {*variables(e), *(n.name for n in nodes(e, Load))}
        if self.wanted.isdisjoint(map(pointer_of, names)):
            return
        match e:
            case E.Select():
                self.read(e.condition, place)
                condition = self.known(e.condition)
                self.read(e.true_value, place.where(condition))
                self.read(e.false_value, place.where(condition, False))
                return
            case E.And() | E.Or():
                self.read(e.a, place)
                self.read(e.b, place.where(self.known(e.a), isinstance(e, E.And)))
                return
            case Variable(name=name) | Load(name=name):
                self.note(pointer_of(name), place)
        for c in E.children(e):
            self.read(c, place)

    def note(self, name: str, place: _Reached) -> None:
        for one in (name, self.left.get(name)):
            if one in self.wanted:
                self.found.setdefault(one, []).append(place.way)

    def known(self, e: Expr) -> Expr | None:
        """An expression over parameters; None where it depends on anything else."""
        if nodes(e, Load) or any(self.values.get(n) is None for n in variables(e) if n in self.own or n in self.values):
            return None
        value = substitute(e, {n: v for n, v in self.values.items() if v is not None})
        return value if sum(1 for _ in post_order(value)) <= _MOST_NODES else None
