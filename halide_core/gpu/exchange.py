"""Storage around loops over lanes of which lanes read elements of each other: registers, and shuffles of a warp.

    allocate c[32]:                              allocate c[1], of each lane:
      thread.x < 20: c[thread.x] = ...     ->      thread.x < 20: c[0] = ...
      thread.x < 19: f[...] = c[thread.x + 1]      let t = shuffle_down(c[0], 1)
                                                   thread.x < 19: f[...] = t

Each lane stores elements of its own only (`owned`), so that another one knows who has which.  A shuffle asks all lanes
of a warp to take part: it stands outside of what only some of them do, and of loops that they run differently often.
What would not do there, such as a load whose index only some lanes may compute, leaves the storage in shared
memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from halide_core.gpu.kernel import Leaf
from halide_core.gpu.owned import Split, expanded, is_lane, own_index, step_of
from halide_core.gpu.scopes import inside, loaded
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.box import Interval
from halide_core.ir.expr import BOOL, I32, I64, Call, CallType, Expr, Variable, const, const_value
from halide_core.ir.named_calls import SHUFFLE, is_shuffle
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.stmt import MemoryType
from halide_core.ir.structural import contains, holds_effect, key, nodes, transform, variables
from halide_core.ir.sums import build_sum, linear_terms
from halide_core.ir.types import Type
from halide_core.passes.bounds import bounds_of

# Shuffles for one load, and registers of a lane, beyond which shared memory is the better place.
_MOST_SHUFFLES, _MOST_OWN = 8, 64
# Iterations of loops that the back end writes out.
_MOST_WRITTEN_OUT = 32

Scope = dict[str, Interval]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A value that is known before a statement, computed where all of `active` hold."""

    name: str
    value: Expr
    active: tuple[Expr, ...]


class _SharedIsBetter(Exception):
    """Something that shuffles do not do."""


@dataclass(frozen=True, slots=True)
class _Around:
    """What stands around a statement: integers that are looked through, ranges, the names that differ between lanes,
    and the conditions for some lanes only."""

    lets: Mapping[str, Expr]
    scope: Scope
    varying: frozenset[str]
    active: tuple[Expr, ...] = ()

    def differs(self, e: Expr) -> bool:
        """Whether lanes may have different values of `e`."""
        return bool(variables(e) & self.varying) or contains(e, ir.Load) or bool(nodes(e, Call))

    def within(self, s: st.For | st.LetStmt) -> _Around:
        """Around the body of `s`."""
        lets, varying = self.lets, self.varying
        if isinstance(s, st.LetStmt):
            if s.value.type in (I32, I64) and not contains(s.value, ir.Load):
                lets = {**lets, s.name: expanded(s.value, lets)}
            if self.differs(s.value):
                varying = varying | {s.name}
        elif self.differs(s.min):
            varying = varying | {s.name}
        return _Around(lets, inside(self.scope, s), varying, self.active)

    def only(self, condition: Expr) -> _Around:
        """Where `condition` holds."""
        return replace(self, active=(*self.active, condition))


def exchanged_elements(
    s: st.Stmt, a: st.Allocate, size: int, lane: Variable, lanes: int, scope: Scope, varying: frozenset[str]
) -> tuple[st.Stmt, int] | None:
    """`s` with the elements of array `a`, `size` of them, dealt out to lanes, and how many each has; None where that
    cannot be.  `lane` counts the first `lanes` threads of each row of the block; `varying`: the names bound around `s`
    that may differ between lanes."""
    if lanes not in (2, 4, 8, 16, 32):
        return None
    around = _Around({}, {**scope, lane.name: (const(0, I32), const(lanes - 1, I32))}, varying | {lane.name})
    split = _split(s, a.name, size, lane, lanes)
    if split is None:
        return None
    count = -(-size // split.period) * split.each
    if count > _MOST_OWN:
        return None
    try:
        return _Exchange(a, split, lanes, count).statement(s, around), count
    except _SharedIsBetter:
        return None


def _split(s: st.Stmt, name: str, size: int, lane: Variable, lanes: int) -> Split | None:
    """How the elements that are stored are dealt out; None where a lane stores one of another's."""
    indices = list(_stores(s, name, lane, {}, False))
    steps = {step_of(index, lane) for index, alone in indices if not alone}
    # What lane 0 alone stores is all its own.
    each = size if not steps else steps.pop()
    if each is None or steps or not indices:
        return None
    split = Split(lane, each, each * lanes)
    if any(own_index(_by_first(index, split) if alone else index, split) is None for index, alone in indices):
        return None
    return split


def _by_first(index: Expr, split: Split) -> Expr:
    """`index`, which is used by lane 0 alone, with the lane in it."""
    if not index.type.is_scalar():
        return index
    return ir.Add(index.type, index, ir.Mul(I64, ir.Cast(I64, split.lane), const(split.each, I64)))


def _is_first(masks: tuple[Expr, ...], lane: Variable) -> bool:
    """Whether lane 0 alone meets the masks."""
    return any(isinstance(m, ir.EQ) and key(m.a) == key(lane) and const_value(m.b) == 0 for m in masks)


def _stores(
    s: st.Stmt, name: str, lane: Variable, lets: Mapping[str, Expr], alone: bool
) -> Iterator[tuple[Expr, bool]]:
    """(index, whether lane 0 alone stores there) of all stores to the array."""
    if isinstance(s, Leaf):
        yield from _stores(s.body, name, lane, lets, _is_first(s.masks, lane))
    if isinstance(s, st.Store) and s.name == name:
        index = expanded(s.index, lets)
        yield index, alone and not variables(index) & {lane.name}
    if isinstance(s, st.LetStmt) and s.value.type in (I32, I64):
        lets = {**lets, s.name: expanded(s.value, lets)}
    for x in st.bodies(s):
        yield from _stores(x, name, lane, lets, alone)


class _Exchange:
    def __init__(self, a: st.Allocate, split: Split, lanes: int, count: int) -> None:
        self.name, self.type, self.split, self.lanes, self.count = a.name, a.type, split, lanes, count
        self.asked_by_schedule = a.memory is not MemoryType.Auto
        self.made: set[str] = set()
        self.alone = False

    # Outside of Leaves all threads of a block go together.

    def statement(self, s: st.Stmt, around: _Around) -> st.Stmt:
        if isinstance(s, Leaf):
            return self.leaf(s, around)
        if any(self.uses(e) for e in st.expressions(s)):
            raise _SharedIsBetter
        inner = around.within(s) if isinstance(s, st.For | st.LetStmt) else around
        return st.rebuild(s, lambda x: self.statement(x, inner), lambda e: e)

    def uses(self, e: Expr) -> bool:
        return self.name in loaded(e)

    def leaf(self, s: Leaf, around: _Around) -> st.Stmt:
        if any(map(self.uses, s.masks)):
            raise _SharedIsBetter
        self.alone = _is_first(s.masks, self.split.lane)
        if not self.asks(s.body, around):
            return Leaf(self.plain(s.body, around), s.masks)
        same = tuple(m for m in s.masks if not around.differs(m))
        some = tuple(m for m in s.masks if around.differs(m))
        body = self.together(s.body, replace(around, active=()), some)
        return Leaf(body, same)

    def together(self, s: st.Stmt, around: _Around, masks: tuple[Expr, ...]) -> st.Stmt:
        """`s` under `masks`, said once where they are loaded."""
        if not masks:
            return self.inner(s, around)
        condition = masks[0]
        for m in masks[1:]:
            condition = simplify(ir.And(BOOL, condition, m))
        if not contains(condition, ir.Load):
            return self.inner(s, around.only(condition))
        name = self.fresh("active")
        there = Variable(BOOL, name)
        around = replace(around, varying=around.varying | {name})
        return st.LetStmt(name, condition, self.inner(s, around.only(there)))

    def asks(self, s: st.Stmt, around: _Around) -> bool:
        """Whether `s` loads elements of other lanes."""
        for e in st.expressions(s):
            for n in nodes(e, ir.Load):
                if n.name == self.name and self.own(n.index, around) is None:
                    return True
        inner = around.within(s) if isinstance(s, st.For | st.LetStmt) else around
        return any(self.asks(x, inner) for x in st.bodies(s))

    def own(self, index: Expr, around: _Around) -> Expr | None:
        index = expanded(index, around.lets)
        if self.alone and not variables(index) & {self.split.lane.name}:
            index = _by_first(index, self.split)
        return own_index(index, self.split) if step_of(index, self.split.lane) == self.split.each else None

    def plain(self, s: st.Stmt, around: _Around) -> st.Stmt:
        """`s`, in which lanes use elements of their own, in their numbers."""

        def one(n: Expr) -> Expr:
            if not isinstance(n, ir.Load) or n.name != self.name:
                return n
            return replace(n, index=self.renumbered(n.index, around))

        inner = around.within(s) if isinstance(s, st.For | st.LetStmt) else around
        out = st.rebuild(s, lambda x: self.plain(x, inner), lambda e: transform(e, one) if self.uses(e) else e)
        return self.own_store(out, around)

    def own_store(self, s: st.Stmt, around: _Around) -> st.Stmt:
        if not isinstance(s, st.Store) or s.name != self.name:
            return s
        return replace(s, index=self.renumbered(s.index, around))

    def renumbered(self, index: Expr, around: _Around) -> Expr:
        found = self.own(index, around)
        if found is None:
            raise _SharedIsBetter
        return found if isinstance(found, ir.Ramp) else self.settled(found, around)

    def settled(self, slot: Expr, around: _Around) -> Expr:
        """`slot`, which loops that are written out make a constant: what is not lies in local memory, and shared memory
        is better than that."""
        if self.asked_by_schedule or const_value(slot) is not None:
            return slot
        for name in variables(slot):
            low, high = (None if e is None else const_value(e) for e in around.scope.get(name, (None, None)))
            if low is None or high is None or high - low >= _MOST_WRITTEN_OUT:
                raise _SharedIsBetter
        return slot

    # What stands in a Leaf and asks other lanes: all lanes go together, and some of them only store.

    def inner(self, s: st.Stmt, around: _Around) -> st.Stmt:
        if not self.asks(s, around):
            return _under(self.plain(s, around), around.active)
        match s:
            case st.Block():
                return st.block(*(self.inner(x, around) for x in s.stmts))
            case st.For():
                if around.differs(s.extent) or self.uses(s.min) or (around.active and contains(s.min, ir.Load)):
                    raise _SharedIsBetter
                return replace(s, body=self.inner(s.body, around.within(s)))
            case st.Allocate():
                if self.uses(s.size):
                    raise _SharedIsBetter
                return replace(s, body=self.inner(s.body, around))
            case st.LetStmt():
                return self.let(s, around)
            case st.IfThenElse():
                return self.choice(s, around)
            case st.Store() | st.Evaluate():
                return self.action(s, around)
        raise _SharedIsBetter

    def let(self, s: st.LetStmt, around: _Around) -> st.Stmt:
        asked: list[_Asked] = []
        value = self.expression(s.value, around, asked)
        body = self.inner(s.body, around.within(s))
        if around.active and self.is_for_some(s.value, around):
            value = self.once(value, around, asked)
        return _after(asked, st.LetStmt(s.name, value, body))

    def is_for_some(self, e: Expr, around: _Around) -> bool:
        """Whether lanes that stand aside must not compute `e`."""
        for n in nodes(e, ir.Load):
            own = self.own(n.index, around) if n.name == self.name else None
            if n.name != self.name or (own is not None and const_value(own) is None):
                return True
        return holds_effect(e)

    def choice(self, s: st.IfThenElse, around: _Around) -> st.Stmt:
        asked: list[_Asked] = []
        condition = s.condition
        if contains(condition, ir.Load):
            condition = self.once(self.expression(condition, around, asked), around, asked)
            around = replace(around, varying=around.varying | self.made)
        if not around.differs(condition):
            other = None if s.else_case is None else self.inner(s.else_case, around)
            return st.IfThenElse(condition, self.inner(s.then_case, around), other)
        parts = [self.inner(s.then_case, around.only(condition))]
        if s.else_case is not None:
            parts.append(self.inner(s.else_case, around.only(simplify(ir.Not(BOOL, condition)))))
        return _after(asked, st.block(*parts))

    def action(self, s: st.Stmt, around: _Around) -> st.Stmt:
        asked: list[_Asked] = []
        out = st.rebuild(s, lambda x: x, lambda e: self.expression(e, around, asked))
        out = self.own_store(out, around) if isinstance(s, st.Store) else out
        return _after(asked, _under(out, around.active))

    def expression(self, e: Expr, around: _Around, asked: list[_Asked]) -> Expr:
        """`e` in values that other lanes are asked for, which are added to `asked`."""
        if not self.uses(e):
            return e
        if around.active and holds_effect(e):
            raise _SharedIsBetter

        def one(n: Expr) -> Expr:
            if not isinstance(n, ir.Load) or n.name != self.name:
                return n
            if n.predicate is not None:
                raise _SharedIsBetter
            return self.load(n, around, asked)

        return transform(e, one)

    def load(self, n: ir.Load, around: _Around, asked: list[_Asked]) -> Expr:
        own = self.own(n.index, around)
        if own is not None:
            return replace(n, index=own)
        index = n.index
        if isinstance(index, ir.Broadcast):
            return ir.Broadcast(n.type, self.scalar(index.value, around, asked), index.lanes)
        if isinstance(index, ir.Ramp):
            steps = [ir.Mul(I64, index.stride, const(k, I64)) for k in range(index.lanes)]
            parts = [self.scalar(simplify_index(ir.Add(I64, index.base, k)), around, asked) for k in steps]
            return ir.Shuffle(n.type, tuple(parts), tuple(range(index.lanes)))
        return self.scalar(index, around, asked)

    def scalar(self, index: Expr, around: _Around, asked: list[_Asked]) -> Expr:
        """The element at `index`, of whichever lane."""
        own = self.own(index, around)
        if own is not None:
            return ir.Load(self.type, self.name, own)
        index = expanded(index, around.lets)
        if not index.type.is_scalar() or index.type != I64:
            raise _SharedIsBetter
        if around.active and contains(index, ir.Load):
            narrow = _narrow(index)
            there = self.once(narrow, around, asked)
            around = replace(around, scope={**around.scope, there.name: bounds_of(narrow, around.scope)})
            index = ir.Cast(I64, there)
        around = replace(around, varying=around.varying | self.made)
        place = _Place.of(index, self.split, around)
        slots = self.slots(place, around)
        value: Expr | None = None
        for q in slots:
            found = self.asked_for(place, q, len(slots) > 1, around, asked)
            if found is None:
                continue
            after = ir.GE(BOOL, place.inner, const(q * self.split.period, I32))
            value = found if value is None else ir.Select(self.type, after, found, value)
        if value is None:
            raise _SharedIsBetter
        return value

    def once(self, e: Expr, around: _Around, asked: list[_Asked]) -> Variable:
        """The scalar `e` by a name, computed before by the lanes that may."""
        if not e.type.is_scalar() or holds_effect(e):
            raise _SharedIsBetter
        name = self.fresh("own")
        asked.append(_Asked(name, e, around.active))
        return Variable(e.type, name)

    def slots(self, place: _Place, around: _Around) -> list[int]:
        """The turns, from the place's first one on, that the element may be of."""
        low, high = (None if e is None else const_value(e) for e in bounds_of(place.inner, around.scope))
        turns = self.count // self.split.each
        least = None if low is None else int(low) // self.split.period
        most = None if high is None else int(high) // self.split.period
        if place.is_fixed:
            # What lies outside of the storage is not used.
            least = max(-place.turn, -place.turn if least is None else least)
            most = min(turns - 1 - place.turn, turns if most is None else most)
        if least is None or most is None:
            raise _SharedIsBetter
        if not 0 < (most - least + 1) * len(place.residues) <= _MOST_SHUFFLES:
            raise _SharedIsBetter
        return list(range(least, most + 1))

    def asked_for(
        self, place: _Place, q: int, of_several: bool, around: _Around, asked: list[_Asked]
    ) -> Expr | None:
        """The element where it is of turn `q`, which is one `of_several` or the only one."""
        # Some lanes may be where there is none.
        beyond = of_several or bool(around.active)
        out: Expr | None = None
        for m in place.residues:
            slot = self.settled(simplify_index(place.base + const(q * self.split.each + m, I64)), around)
            if beyond and const_value(slot) is None:
                slot = ir.Max(I64, ir.Min(I64, slot, const(self.count - 1, I64)), const(0, I64))
            value = self.shuffled(ir.Load(self.type, self.name, slot), place, q)
            if value is None:
                return None
            if isinstance(value, Call):
                name = self.fresh("from")
                asked.append(_Asked(name, value, ()))
                value = Variable(self.type, name)
            here = ir.EQ(BOOL, ir.Mod(I32, place.inner, const(self.split.each, I32)), const(m, I32))
            out = value if out is None else ir.Select(self.type, here, value, out)
        return out

    def shuffled(self, value: Expr, place: _Place, q: int) -> Expr | None:
        width = const(self.lanes, I32)
        terms, constant = linear_terms(place.lane)
        if len(terms) == 1:
            ((term, factor),) = terms.values()
            if is_lane(term, self.split.lane) and factor == 1:
                shift = constant - q * self.lanes
                if abs(shift) >= self.lanes:
                    return None
                if shift == 0:
                    return value
                kind = "down" if shift > 0 else "up"
                return _call(self.type, kind, value, const(abs(shift), I32), width)
        return _call(self.type, "idx", value, place.lane, width)

    def fresh(self, what: str) -> str:
        name = f"{self.name}${what}{len(self.made)}"
        self.made.add(name)
        return name


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an element is: `base` (int64) among its lane's elements, the same for all lanes, of turn `turn` where
    `is_fixed`; beyond that by `inner` (int32), the turns and the lane's part of which differ. `lane` (int32): whose it
    is, of inner's first turn; `residues`: which of the elements that a lane has in a turn it may be."""

    base: Expr
    turn: int
    is_fixed: bool
    inner: Expr
    lane: Expr
    residues: tuple[int, ...]

    @staticmethod
    def of(index: Expr, split: Split, around: _Around) -> _Place:
        each, period = split.each, split.period
        # In 32 bits terms of data are taken apart too, so that what is the same in them goes.
        terms, constant = linear_terms(_in_32_bits(index))
        whole = {n: (t, f) for n, (t, f) in terms.items() if f % period == 0 and not around.differs(t)}
        rest = {n: x for n, x in terms.items() if n not in whole}
        turn, first = divmod(constant, period)
        wide = ((ir.Cast(I64, t), f // period * each) for t, f in whole.values())
        base = build_sum({key(t): (t, f) for t, f in wide}, turn * each, I64)
        inner = build_sum(rest, first, I32)
        if all(f % each == 0 for _, f in rest.values()):
            lane = build_sum({n: (t, f // each) for n, (t, f) in rest.items()}, first // each, I32)
            return _Place(base, turn, not whole, inner, lane, (first % each,))
        return _Place(base, turn, not whole, inner, ir.Div(I32, inner, const(each, I32)), tuple(range(each)))


def _in_32_bits(index: Expr) -> Expr:
    terms, constant = linear_terms(index)
    out: Expr = const(constant, I32)
    for _, (term, factor) in sorted(terms.items()):
        out = ir.Add(I32, out, ir.Mul(I32, _narrow(term), const(factor, I32)))
    return out


def _narrow(term: Expr) -> Expr:
    if isinstance(term, ir.Cast) and term.value.type == I32:
        return term.value
    return ir.Cast(I32, term)


def _call(t: Type, kind: str, value: Expr, lane: Expr, width: Expr) -> Expr:
    return Call(t, f"{SHUFFLE}{kind}", (value, lane, width), CallType.EXTERN)


def _after(asked: list[_Asked], s: st.Stmt) -> st.Stmt:
    """`s` where the values of `asked` are known."""
    for a in reversed(asked):
        if not a.active:
            s = st.LetStmt(a.name, a.value, s)
            continue
        zero = const(0, I64)
        held = f"{a.name}$held"
        let = st.LetStmt(a.name, ir.Load(a.value.type, held, zero), s)
        store = _under(st.Store(held, a.value, zero), a.active)
        s = st.Allocate(held, a.value.type, const(1, I64), st.block(store, let), MemoryType.Register)
    return s


def _shuffles(e: Expr) -> bool:
    return any(map(is_shuffle, nodes(e, Call)))


def _under(s: st.Stmt, conditions: tuple[Expr, ...]) -> st.Stmt:
    if conditions and any(_shuffles(e) for x in st.walk(s) for e in st.expressions(x)):
        raise _SharedIsBetter
    for c in reversed(conditions):
        s = st.IfThenElse(c, s)
    return s
