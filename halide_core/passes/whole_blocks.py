"""Loops over blocks of which the last may be cut: whole blocks have a version of their own.

    for xo in [0, +(n + 127)/128):                      for xo in [0, +(n + 127)/128):
      let m = min(n - xo*128, 128)                        if n - xo*128 >= 128:
      realize f over [x0, +m + 2]:               ->         realize f over [x0, +130]:
        for x in [x0, +m + 2): f(x) = ...                     for x in [x0, +130): f(x) = ...
        for xi in [0, +m): ...                                for xi in [0, +128): ...
                                                          else: as before

so that loops, storage and the stages inside have constant extents, and no masks.  After Halide's `PartitionLoops`, but
before storage has strides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, I32, Expr, Variable, const_value
from halide_core.ir.identities import Bounds
from halide_core.ir.ranges import upper_bound
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.structural import key, post_order, substitute, variables
from halide_core.ir.structural import replace as replace_terms
from halide_core.ir.sums import build_sum, is_coordinate, linear_terms
from halide_core.passes.conjunctions import all_of

_MOST_STATEMENTS = 400
"""Of a loop's body: a version is as large again."""
_MOST_CONDITIONS = 4
MOST_VECTORS = 16
"""In a row: more are worth a loop of their own."""
_KINDS = (st.ForKind.SERIAL, st.ForKind.PARALLEL)


def whole_blocks(s: st.Stmt) -> st.Stmt:
    """`s` with a version for whole blocks in each loop over blocks that has storage inside, or rows of a few vectors:
    other loops are split where their conditions change (`partition`).  The same object back where there are none.

    Assumes no overflow of int32 coordinates."""
    if isinstance(s, st.For) and s.kind in _KINDS:
        left = _left(s)
        if left:
            condition = all_of(simplify_index(e >= 0) for e in left)
            # Versions within versions: of whole blocks only, as most are.
            return replace(s, body=st.IfThenElse(condition, whole_blocks(_assumed(s, left)), at_edges(s.body)))
    parts = {id(x): whole_blocks(x) for x in st.bodies(s)}
    if all(parts[id(x)] is x for x in st.bodies(s)):
        return s
    return st.rebuild(s, lambda x: parts[id(x)], lambda e: e)


def at_edges(s: st.Stmt) -> st.Stmt:
    """`s` with its loops over rows of a few vectors marked as not worth versions of their own."""
    if isinstance(s, st.For) and s.kind is st.ForKind.SERIAL and _most(s) <= MOST_VECTORS:
        return replace(s, body=at_edges(s.body), at_edges=True)
    return st.rebuild(s, at_edges, lambda e: e)


def _most(loop: st.For) -> int:
    """The most iterations that a loop may have, as far as constants tell."""
    high = upper_bound(loop.extent, {})
    return 1 << 31 if high is None else high


def _has_short_rows(s: st.Stmt, inside: bool = False) -> bool:
    """Whether loops inside of a loop in `s` run over a few vectors, and not always over as many."""
    if isinstance(s, st.For):
        vectors = any(isinstance(x, st.For) and x.kind is st.ForKind.VECTORIZED for x in st.bodies(s))
        if inside and vectors and const_value(s.extent) is None and _most(s) <= MOST_VECTORS:
            return True
        return any(_has_short_rows(x, True) for x in st.bodies(s))
    return any(_has_short_rows(x, inside) for x in st.bodies(s))


def _left(loop: st.For) -> list[Expr]:
    """What is left of ranges beyond a block, negative where it is cut: where loops inside run over the smaller of a
    range and a number, and where guards inside hold for some of their iterations."""
    inside = list(st.walk(loop.body))
    if len(inside) > _MOST_STATEMENTS or not (any(isinstance(x, st.Realize) for x in inside) or _has_short_rows(loop)):
        return []
    bound = {x.name for x in inside if isinstance(x, st.For | st.LetStmt)}
    found: dict[int, Expr] = {}

    def add(e: Expr) -> None:
        e = simplify_index(e)
        names = variables(e)
        if loop.name in names and not names & bound and is_coordinate(e):
            found[key(e)] = e

    def visit(s: st.Stmt, ends: Mapping[str, tuple[Expr, Expr]]) -> None:
        if isinstance(s, st.For):
            for n in post_order(s.extent):
                if isinstance(n, ir.Min) and n.type == I32 and const_value(n.b) is not None:
                    add(n.a - n.b)
            ends = {**ends, s.name: (s.min, simplify_index(s.min + s.extent - 1))}
        elif isinstance(s, st.IfThenElse):
            for low, high in _differences(s.condition):
                e = least_in_loops(high - low, ends)
                if e is not None:
                    add(e)
        for x in st.bodies(s):
            visit(x, ends)

    visit(loop.body, {})
    return list(found.values()) if len(found) <= _MOST_CONDITIONS else []


def _differences(condition: Expr) -> Iterator[tuple[Expr, Expr]]:
    """Pairs of coordinates of which the first is at most the second where a guard holds."""
    match condition:
        case ir.And(a=a, b=b):
            yield from _differences(a)
            yield from _differences(b)
        case ir.LT(a=a, b=b) | ir.GT(a=b, b=a) if a.type == I32:
            yield a + 1, b
        case ir.LE(a=a, b=b) | ir.GE(a=b, b=a) if a.type == I32:
            yield a, b


def least_in_loops(e: Expr, ends: Mapping[str, tuple[Expr, Expr]]) -> Expr | None:
    """The least value of a sum in the loops of `ends`, innermost last, in which it is linear; else None."""
    for name, (first, last) in reversed(list(ends.items())):
        if name not in variables(e):
            continue
        factors = [c for t, c in linear_terms(e)[0].values() if name in variables(t)]
        terms = [t for t, _ in linear_terms(e)[0].values() if name in variables(t)]
        if len(terms) != 1 or not isinstance(terms[0], Variable):
            return None
        e = simplify_index(substitute(e, {name: first if factors[0] > 0 else last}))
    return e


def _assumed(loop: st.For, left: Sequence[Expr]) -> st.Stmt:
    """The body of `loop` where none of `left` is negative."""
    bounds: dict[str, tuple[int | None, int | None]] = {}
    known: dict[str, Expr] = {}
    back: dict[str, Expr] = {}
    # What a fused loop's variable stands for is one term, in which sizes are not to be replaced.
    blocks: dict[int, Expr] = {}
    for e in left:
        for t, _ in linear_terms(e)[0].values():
            if loop.name in variables(t) and not isinstance(t, Variable) and key(t) not in blocks:
                blocks[key(t)] = Variable(I32, f"{loop.name}.block{len(blocks)}")
                back[f"{loop.name}.block{len(back)}"] = t
    first = const_value(loop.min)
    bounds[loop.name] = (None if first is None else int(first), None)
    for number, e in enumerate(left):
        terms, constant = linear_terms(simplify_index(substitute(_in_blocks(e, blocks), known)))
        size = next((t.name for t, c in terms.values()
                     if isinstance(t, Variable) and c == 1 and t.name not in (loop.name, *back)), None)
        if size is not None:
            more = Variable(I32, f"{loop.name}.left{number}")
            rest = build_sum({k: x for k, x in terms.items() if not _is(x[0], size)}, constant, I32)
            if size in variables(rest):
                continue
            value = simplify_index(more - rest)
            known = {n: simplify_index(substitute(v, {size: value})) for n, v in known.items()} | {size: value}
            bounds[more.name] = (0, None)
            back[more.name] = e
        elif len(terms) == 1 and (step := next((c for t, c in terms.values() if _is(t, loop.name)), 0)) < 0:
            low, high = bounds[loop.name]
            last = constant // -step
            bounds[loop.name] = (low, last if high is None else min(high, last))
    return _Assumption(blocks, known, back).statement(loop.body, bounds, {})


def _in_blocks(e: Expr, blocks: Mapping[int, Expr]) -> Expr:
    return replace_terms(e, lambda n: blocks.get(key(n))) if blocks else e


def _is(e: Expr, name: str) -> bool:
    return isinstance(e, Variable) and e.name == name


@dataclass(frozen=True, slots=True)
class _Assumption:
    """That sizes are what `known` says, in terms of variables that are not negative, which `back` gives; `blocks` are
    terms that go by a name meanwhile."""

    blocks: Mapping[int, Expr]
    known: Mapping[str, Expr]
    back: Mapping[str, Expr]

    def statement(self, s: st.Stmt, bounds: Bounds, fixed: Mapping[str, Expr]) -> st.Stmt:
        """`s` with its coordinates simplified; `fixed`: lets that are constants."""

        def index(e: Expr) -> Expr:
            e = substitute(e, fixed)
            if not is_coordinate(e):
                return e
            return simplify_index(substitute(simplify_index(self._assume(e, bounds)), self.back))

        match s:
            case st.LetStmt():
                value = index(s.value)
                inner = {k: v for k, v in fixed.items() if k != s.name}
                if const_value(value) is not None and value.type == I32:
                    inner[s.name] = value
                return st.LetStmt(s.name, value, self.statement(s.body, bounds, inner))
            case st.For():
                low, extent = index(s.min), index(s.extent)
                first, count = const_value(low), const_value(extent)
                within = {k: v for k, v in bounds.items() if k != s.name}
                if first is not None and count is not None:
                    within[s.name] = (int(first), int(first + count) - 1)
                return st.For(s.name, low, extent, s.kind, self.statement(s.body, within, fixed))
            case st.IfThenElse():
                condition = self._condition(substitute(s.condition, fixed), bounds)
                then = self.statement(s.then_case, bounds, fixed)
                other = None if s.else_case is None else self.statement(s.else_case, bounds, fixed)
                holds = const_value(condition)
                if holds is not None:
                    return then if holds else other if other is not None else st.Block(())
                return st.IfThenElse(condition, then, other)
            case st.Realize():
                sizes = tuple((index(a), index(b)) for a, b in s.bounds)
                return replace(s, bounds=sizes, body=self.statement(s.body, bounds, fixed))
        return st.rebuild(s, lambda x: self.statement(x, bounds, fixed), lambda e: substitute(e, fixed))

    def _assume(self, e: Expr, bounds: Bounds) -> Expr:
        return simplify_index(substitute(_in_blocks(e, self.blocks), self.known), bounds)

    def _condition(self, e: Expr, bounds: Bounds) -> Expr:
        """A condition without those of its parts that hold."""
        if isinstance(e, ir.And):
            return simplify(ir.And(BOOL, self._condition(e.a, bounds), self._condition(e.b, bounds)))
        if isinstance(e, ir.LT | ir.LE | ir.GT | ir.GE) and is_coordinate(e.a) and is_coordinate(e.b):
            assumed = self._assume(e, bounds)
            if const_value(assumed) is not None:
                return assumed
        return e
