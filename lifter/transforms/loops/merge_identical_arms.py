"""Conditionals whose arms do the same, as that alone: code that asks whether its pointers are aligned to choose among
instances of one template that differ in the instruction that loads a register.

    if (aligned(p)) { int i = 0; ... } else { int j = 0; ... }   becomes   int i = 0; ...

Locals of the arms go by the order in which they come up.  An assert that both arms have stays; one that only one has,
of what the arms do not change, holds under its condition; others (that the aligned arm is aligned) are dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from halide_core.ir.expr import Expr, Load, Variable
from halide_core.ir.structural import cached, key, post_order
from halide_core.ir.structural import replace as replace_in
from lifter.algebra.fold import clauses, negate
from lifter.ir import loop_ir as L

Body = tuple[L.Stmt, ...]


def without_twins(function: L.Function) -> Body:
    """The body of `function` without such conditionals."""
    mentioned = _mentions(function.body)
    mentioned.update(p.name for p in function.params)
    # Arrays that are declared before all else, whichever arm they are for.
    before = {s.array: s for s in function.body if isinstance(s, L.Declare)}
    return _merged(function, mentioned, function.body, before)


def _merged(
    function: L.Function, mentioned: Counter[str], body: Sequence[L.Stmt], before: Mapping[str, L.Declare]
) -> Body:
    out: list[L.Stmt] = []
    for s in body:
        if isinstance(s, L.Loop):
            s = replace(s, body=_merged(function, mentioned, s.body, {}))
        if isinstance(s, L.If):
            s = replace(
                s,
                then=_merged(function, mentioned, s.then, before),
                otherwise=_merged(function, mentioned, s.otherwise, before),
            )
            # Stores are kept, whatever else falls out: arms with more of them are no twins, which is soon seen.
            if s.otherwise and _stores(s.then) == _stores(s.otherwise):
                arms = [_Arm(function, mentioned, arm, before) for arm in (s.then, s.otherwise)]
                if arms[0].body and arms[0].shape == arms[1].shape:
                    common = arms[0].asserts.keys() & arms[1].asserts.keys()
                    shared = {id(a) for arm in arms for n in common for a in arm.asserts[n]}
                    out += [*_held(s, shared), *_with(s.then, arms[0].body, shared)]
                    continue
        out.append(s)
    return tuple(out)


def _stores(arm: Body) -> int:
    return sum(isinstance(s, L.Store) for s in L.walk(arm))


class _Arm:
    """An arm without its asserts and without what only these need: its `body`; its `shape`, the same for arms that do
    the same; and its `asserts` by numbers that are the same for the same asserts."""

    def __init__(
        self, function: L.Function, mentioned: Counter[str], arm: Body, before: Mapping[str, L.Declare]
    ) -> None:
        self.function = function
        inside = _mentions(arm)
        made = {s.array for s in L.walk(arm) if isinstance(s, L.Declare)}
        made |= {s.name for s in L.walk(arm) if isinstance(s, L.Assign | L.Define)}
        # Not a parameter, a table, or a local that others speak of.
        self.own = {n for n in made if inside[n] == mentioned[n]}
        outside = {s.array for s in L.walk(arm) if isinstance(s, L.Store)} & before.keys()
        self.declared = {n: before[n] for n in outside if inside[n] == mentioned[n] - 1}
        self.own |= self.declared.keys()
        self.names: dict[str, str] = {}
        self.done: dict[int, Expr] = {}
        self.body = self.needed(arm)
        self.shape = self.block(self.body)
        self.shape += tuple(self.statement(self.declared[n]) for n in self.names if n in self.declared)
        self.asserts: dict[int, list[L.Assert]] = {}
        for a in (s for s in L.walk(arm) if isinstance(s, L.Assert)):
            if not (_named(a.condition) & self.own) - self.names.keys():
                self.asserts.setdefault(self.expression(a.condition), []).append(a)

    def needed(self, arm: Body) -> Body:
        """All that is stored, and what it is made of."""
        queue: list[tuple[L.Stmt, tuple[L.Stmt, ...]]] = []
        assigned: dict[str, list[tuple[L.Stmt, tuple[L.Stmt, ...]]]] = {}

        def gather(body: Body, around: tuple[L.Stmt, ...]) -> None:
            for s in body:
                if isinstance(s, L.Assign) and s.name in self.own:
                    assigned.setdefault(s.name, []).append((s, around))
                elif not isinstance(s, L.Assert | L.If):
                    queue.append((s, around))
                for inner in L.blocks(s):
                    gather(inner, (*around, s))

        gather(arm, ())
        kept: set[int] = set()
        while queue:
            s, around = queue.pop()
            for x in (s, *around):
                if id(x) not in kept:
                    kept.add(id(x))
                    for n in {n for e in L.expressions(x) for n in _named(e)}:
                        queue += assigned.pop(n, ())
        return _filtered(arm, lambda s: id(s) in kept or isinstance(s, L.If | L.Loop))

    def name(self, n: str) -> str:
        return self.names.setdefault(n, f"{len(self.names)}.") if n in self.own else n

    def expression(self, e: Expr) -> int:
        for n in post_order(e):
            if isinstance(n, Variable | Load):
                self.name(n.name)
        return key(replace_in(e, self.renamed, self.done))

    def renamed(self, n: Expr) -> Expr | None:
        if isinstance(n, Variable):
            return replace(n, name=self.name(n.name))
        if isinstance(n, Load):
            return replace(n, name=self.name(n.name), index=replace_in(n.index, self.renamed, self.done))
        return None

    def statement(self, s: L.Stmt) -> tuple[object, ...]:
        head: tuple[object, ...] = (type(s).__name__,)
        match s:
            case L.Assign() | L.Define():
                head += (self.name(s.name), self.function.locals.get(s.name))
            case L.Store():
                head += (self.name(s.array),)
            case L.Declare():
                head += (self.name(s.array), self.function.arrays.get(s.array), s.zeroed, s.grows)
            case L.Loop():
                head += (s.test_first, self.block(s.prelude))
        head += tuple(self.expression(e) for e in L.expressions(s))
        match s:
            case L.If():
                head += (self.block(s.then), self.block(s.otherwise))
            case L.Loop():
                head += (self.block(s.body), self.block(s.step))
        return head

    def block(self, body: Body) -> tuple[object, ...]:
        return tuple(self.statement(s) for s in body)


def _held(s: L.If, shared: set[int]) -> list[L.Stmt]:
    """Asserts at the top of one arm that are not `shared`, and say something before both."""
    changed = {x.name for x in L.walk((s,)) if isinstance(x, L.Assign | L.Define)}

    def says(arm: Body, given: Expr) -> Body:
        known = {key(c) for c in clauses(given)}
        return tuple(
            a
            for a in arm
            if isinstance(a, L.Assert)
            and id(a) not in shared
            and not _named(a.condition) & changed
            and not all(key(c) in known for c in clauses(a.condition))
        )

    first, second = says(s.then, s.condition), says(s.otherwise, negate(s.condition))
    return [replace(s, then=first, otherwise=second)] if first or second else []


def _with(arm: Body, body: Body, asserts: set[int]) -> Body:
    """`arm` with the statements of `body` and those asserts only."""
    kept = {id(x) for x in L.walk(body)} | asserts
    return _filtered(arm, lambda s: id(s) in kept or isinstance(s, L.If | L.Loop))


def _filtered(body: Iterable[L.Stmt], keep: Callable[[L.Stmt], bool]) -> Body:
    """Statements that are kept, in order; conditionals of which nothing is left fall out."""
    out: list[L.Stmt] = []
    for s in body:
        if isinstance(s, L.If):
            s = replace(s, then=_filtered(s.then, keep), otherwise=_filtered(s.otherwise, keep))
            if not s.then and not s.otherwise:
                continue
        elif isinstance(s, L.Loop):
            s = replace(
                s, prelude=_filtered(s.prelude, keep), body=_filtered(s.body, keep), step=_filtered(s.step, keep)
            )
        if keep(s):
            out.append(s)
    return tuple(out)


_NAMED: dict[int, frozenset[str]] = {}


def _named(e: Expr) -> frozenset[str]:
    """Scalars and arrays that are read."""

    def names(n: Expr, inner: list[frozenset[str]]) -> frozenset[str]:
        own = frozenset((n.name,)) if isinstance(n, Variable | Load) else frozenset()
        return own.union(*inner)

    return cached(_NAMED, e, names)


def _mentions(body: Iterable[L.Stmt]) -> Counter[str]:
    """In how many statements each scalar and array is spoken of."""
    out: Counter[str] = Counter()
    for s in L.walk(body):
        names = {n for e in L.expressions(s) for n in _named(e)}
        match s:
            case L.Assign() | L.Define():
                names.add(s.name)
            case L.Store() | L.Declare():
                names.add(s.array)
        out.update(names)
    return out
