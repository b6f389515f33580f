"""Barriers where one thread reads what another wrote, or writes over what another read or wrote.

    g[thread.x] = ...                     g[thread.x] = ...
    f[thread.x] = g[thread.x + 1]    ->   barrier
                                          f[thread.x] = g[thread.x + 1]

No barrier stands between accesses of which each thread makes both to one element of its own, or to elements that are
dealt out to threads in one way; nor between stores of a Func without updates, of which two to one element are of one
value."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from math import gcd

from halide_core.errors import HalideError
from halide_core.gpu.kernel import THREAD, THREAD_NAMES, Leaf, Triple, barrier, is_barrier
from halide_core.gpu.scopes import loaded
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, Expr, Variable, const_value
from halide_core.ir.named_calls import is_atomic
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import key, nodes, variables
from halide_core.ir.sums import linear_terms


@dataclass(frozen=True, slots=True)
class _Access:
    """Of an array since the last barrier.  `place`: where all of a leaf's accesses are of one element of each thread's
    own, what tells it (index, masks, the Variables in them); None where that is not known.  `dealt`: how the elements
    of the accesses are dealt out to threads, where they are."""

    name: str
    writes: bool
    place: tuple[object, ...] | None = None
    names: frozenset[str] = frozenset()
    dealt: _Dealt | None = None
    # The operation where all of them are updates in one step by it, which come to the same in any order.
    atomic: str = ""


@dataclass(frozen=True, slots=True)
class _Dealt:
    """Indices number + `first` + multiples of `period`, where `number`, said by `threads` (step by thread) and less
    than `reach`, is another one for each thread, and `fixed` (term, factor) is the same all the time."""

    threads: frozenset[tuple[str, int]]
    reach: int
    fixed: frozenset[tuple[int, int]]
    first: int
    period: int

    def as_well(self, other: _Dealt) -> _Dealt | None:
        """How the elements of both are dealt out: each to one thread; None where they are not."""
        if self.threads != other.threads:
            return None
        # What only one of them has is some multiple of its factor.
        apart = [factor for _, factor in self.fixed ^ other.fixed]
        period = gcd(self.period, other.period, self.first - other.first, *apart)
        if period and period < self.reach:
            return None
        first = self.first % period if period else self.first
        return _Dealt(self.threads, self.reach, self.fixed & other.fixed, first, period)


_State = frozenset[_Access]


def place_barriers(
    s: st.Stmt,
    threads: Triple,
    common: Collection[tuple[str, str]],
    watched: Collection[str],
    pure: Collection[str] = (),
) -> st.Stmt:
    """`s` with barriers, and Leaves as conditions.  `watched`: the arrays that several threads use and some write;
    `common`: pairs of them that have memory in common; `pure`: those of Funcs without updates."""
    if all(const_value(t) == 1 for t in threads):
        return _without_leaves(s)
    placer = _Placer(threads, frozenset(common), frozenset(watched), frozenset(pure), _bound(s))
    out, _ = placer.visit(s, frozenset())
    return _without_leaves(_merged(out))


class _Placer:
    def __init__(
        self,
        threads: Triple,
        common: frozenset[tuple[str, str]],
        watched: frozenset[str],
        pure: frozenset[str],
        bound: frozenset[str],
    ) -> None:
        self.common, self.watched, self.pure, self.bound = common, watched, pure, bound
        self.extents = {v.name: _whole(t) for v, t in zip(THREAD, threads, strict=True)}
        self.wide = frozenset(v.name for v, t in zip(THREAD, threads, strict=True) if const_value(t) != 1)

    def visit(self, s: st.Stmt, before: _State) -> tuple[st.Stmt, _State]:
        """`s` with barriers, after accesses `before`; what was accessed since its last barrier."""
        match s:
            case Leaf():
                return self.after(s, self.accesses(s), before)
            case st.Block():
                parts: list[st.Stmt] = []
                for x in s.stmts:
                    new, before = self.visit(x, before)
                    parts.append(new)
                return st.block(*parts), before
            case st.LetStmt():
                first, before = self.after(st.Block(()), self.reads(s.value), before)
                body, left = self.visit(s.body, before)
                return st.block(first, replace(s, body=body)), _beyond(left, s.name)
            case st.Allocate():
                body, left = self.visit(s.body, before)
                return replace(s, body=body), left
            case st.For():
                return self.loop(s, before)
            case st.IfThenElse():
                first, before = self.after(st.Block(()), self.reads(s.condition), before)
                then, left = self.visit(s.then_case, before)
                other, after = (None, before) if s.else_case is None else self.visit(s.else_case, before)
                return st.block(first, st.IfThenElse(s.condition, then, other)), left | after
        raise HalideError(f"{type(s).__name__} cannot stand outside of the code of one thread")

    def loop(self, s: st.For, before: _State) -> tuple[st.Stmt, _State]:
        first, before = self.after(st.Block(()), self.reads(s.min) | self.reads(s.extent), before)
        body, left = self.iterated(s, before)
        if before and barriers_in(body):
            # One before the loop, where that is for what all iterations would wait for.
            apart, alone = self.iterated(s, frozenset())
            if barriers_in(apart) < barriers_in(body):
                return st.block(first, barrier(), replace(s, body=apart)), alone
        return st.block(first, replace(s, body=body)), before | left

    def iterated(self, s: st.For, before: _State) -> tuple[st.Stmt, _State]:
        """The body of `s` after accesses `before`, and what iterations leave."""
        state = before
        while True:
            body, left = self.visit(s.body, state)
            entering = state | before | _beyond(left, s.name)
            if entering == state:
                return body, _beyond(left, s.name)
            state = entering

    def after(self, s: st.Stmt, accesses: _State, before: _State) -> tuple[st.Stmt, _State]:
        if any(self.conflict(a, b) for a in before for b in accesses):
            return st.block(barrier(), s), accesses
        return s, before | accesses

    def conflict(self, a: _Access, b: _Access) -> bool:
        if not (a.writes or b.writes):
            return False
        if a.name != b.name:
            return (a.name, b.name) in self.common
        if a.writes and b.writes and a.name in self.pure:
            return False
        if a.atomic and a.atomic == b.atomic:
            return False
        if a.dealt is not None and b.dealt is not None and a.dealt.as_well(b.dealt) is not None:
            return False
        return a.place is None or a.place != b.place

    def reads(self, e: Expr) -> _State:
        return frozenset(_Access(n, False) for n in loaded(e) & self.watched)

    def accesses(self, leaf: Leaf) -> _State:
        reads: dict[str, list[Expr]] = {}
        writes: dict[str, list[Expr]] = {}
        bound: set[str] = set()
        stores = [s for s in st.walk(leaf.body) if isinstance(s, st.Store)]
        updated: dict[str, list[Expr]] = {}
        for s in stores:
            updated.setdefault(s.name, []).append(s.value)
        atomic = {n: _one_operation(values) for n, values in updated.items()}
        for x in st.walk(leaf.body):
            if isinstance(x, st.For | st.LetStmt):
                bound.add(x.name)
            if isinstance(x, st.Store) and x.name in self.watched:
                writes.setdefault(x.name, []).append(x.index)
            for e in st.expressions(x):
                for n in nodes(e, ir.Load):
                    if n.name in self.watched:
                        reads.setdefault(n.name, []).append(n.index)
        masks = tuple(sorted(key(m) for m in leaf.masks))
        found: set[_Access] = set()
        for m in leaf.masks:
            found |= self.reads(m)
        zeros = {key(m.a) for m in leaf.masks if isinstance(m, ir.EQ) and const_value(m.b) == 0}
        pinned = {v.name for v in THREAD if key(v) in zeros}
        for name in reads.keys() | writes.keys():
            places = [*reads.get(name, []), *writes.get(name, [])]
            own = places[0]
            names = variables(own)
            apart = self.wide - pinned <= names and not names & bound and not loaded(own) & self.watched
            same = all(key(p) == key(own) for p in places)
            place: tuple[object, ...] | None = None
            if apart and same:
                if self.tells_apart(own):
                    place = (key(own),)
                elif not any(map(is_atomic, updated.get(name, ()))):
                    # Threads that store to one element would race; where they update it, it is nobody's own.
                    place = (key(own), masks)
            names = names.union(*(variables(m) for m in leaf.masks))
            dealt = self.dealt(places)
            for w, of in ((False, reads), (True, writes)):
                if name in of:
                    found.add(_Access(name, w, place, names, dealt, atomic.get(name, "") if w else ""))
        return frozenset(found)

    def dealt(self, indices: list[Expr]) -> _Dealt | None:
        """How the elements at `indices` are dealt out to threads."""
        out: _Dealt | None = None
        for index in indices:
            one = self.dealt_at(index)
            if one is None:
                return None
            out = one if out is None else out.as_well(one)
            if out is None:
                return None
        return out

    def dealt_at(self, index: Expr) -> _Dealt | None:
        if not index.type.is_scalar():
            return None
        terms, constant = linear_terms(index)
        steps: dict[str, int] = {}
        fixed: set[tuple[int, int]] = set()
        period = 0
        for number, (term, factor) in terms.items():
            inner = term.value if isinstance(term, ir.Cast) else term
            own = inner.name if isinstance(inner, Variable) and inner.name in THREAD_NAMES else ""
            if own and factor > 0 and own not in steps:
                steps[own] = factor
            elif variables(term) & THREAD_NAMES:
                return None
            elif variables(term) & self.bound or loaded(term):
                period = gcd(period, factor)
            else:
                fixed.add((number, factor))
        reach = self.reach(steps)
        if reach is None or (period and period < reach):
            return None
        first = constant % period if period else constant
        return _Dealt(frozenset(steps.items()), reach, frozenset(fixed), first, period)

    def tells_apart(self, index: Expr) -> bool:
        """Whether no two threads of a block have the same index."""
        if isinstance(index, ir.Add) and const_value(index.b) is not None:
            index = index.a
        terms, _ = linear_terms(index.value if isinstance(index, ir.Cast) else index)
        steps: dict[str, int] = {}
        for term, factor in terms.values():
            t = term.value if isinstance(term, ir.Cast) else term
            if isinstance(t, Variable) and t.name in THREAD_NAMES:
                steps[t.name] = abs(factor)
            elif variables(t) & THREAD_NAMES:
                return False
        return self.reach(steps) is not None

    def reach(self, steps: dict[str, int]) -> int | None:
        """How many numbers there are from the first to the last of sums of threads in such steps, which are all
        different; None where they are not."""
        reach = 0
        for name, step in sorted(steps.items(), key=lambda x: x[1]):
            extent = self.extents[name]
            if extent is None or step <= reach:
                return None
            reach += step * (extent - 1)
        return reach + 1 if self.wide <= steps.keys() else None


def _one_operation(values: list[Expr]) -> str:
    """The operation by which all of the values are updates in one step; empty where there is no such one."""
    found = {v.name if isinstance(v, ir.Call) and is_atomic(v) else "" for v in values}
    return found.pop() if len(found) == 1 else ""


def _bound(s: st.Stmt) -> frozenset[str]:
    """The names that `s` binds."""
    out = {x.name for x in st.walk(s) if isinstance(x, st.For | st.LetStmt)}
    return frozenset(out.union(*(_bound(x.body) for x in st.walk(s) if isinstance(x, Leaf))))


def _beyond(state: _State, name: str) -> _State:
    """`state` where `name` may stand for something else."""
    return frozenset(replace(a, place=None) if name in a.names else a for a in state)


def _whole(e: Expr) -> int | None:
    value = const_value(e)
    return None if value is None else int(value)


def _merged(s: st.Stmt) -> st.Stmt:
    """`s` with neighbouring Leaves of one mask as one, and loops and lets around one in it: threads that stand aside do
    so once, and not in each iteration."""
    if isinstance(s, Leaf):
        return s
    s = st.rebuild(s, _merged, lambda e: e)
    if isinstance(s, st.For | st.LetStmt) and isinstance(s.body, Leaf):
        masks = s.body.masks
        if not any(s.name in variables(m) or loaded(m) for m in masks):
            return Leaf(replace(s, body=s.body.body), masks)
    if not isinstance(s, st.Block):
        return s
    out: list[st.Stmt] = []
    for x in s.stmts:
        last = out[-1] if out else None
        if isinstance(x, Leaf) and isinstance(last, Leaf) and list(map(key, x.masks)) == list(map(key, last.masks)):
            out[-1] = Leaf(st.block(last.body, x.body), x.masks)
        else:
            out.append(x)
    return st.block(*out)


def _without_leaves(s: st.Stmt) -> st.Stmt:
    if not isinstance(s, Leaf):
        return st.rebuild(s, _without_leaves, lambda e: e)
    condition: Expr | None = None
    for m in s.masks:
        condition = m if condition is None else simplify(ir.And(BOOL, condition, m))
    return s.body if condition is None else st.IfThenElse(condition, s.body)


def barriers_in(s: st.Stmt) -> int:
    """How many barriers stand in `s`."""
    return sum(map(is_barrier, st.walk(s)))


