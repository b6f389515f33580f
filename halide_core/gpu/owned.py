"""Storage around loops over lanes of which each lane uses elements of its own only: registers, or local memory.

    allocate c[128]:                                 allocate c[4], of each thread:
      thread.x < 32: c[thread.x + 32*i] = ...   ->     thread.x < 32: c[i] = ...

An element is a lane's own where its index is a multiple of the lane's number plus what is a multiple of all lanes
together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from halide_core.gpu.kernel import Leaf
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, I64, Expr, Variable, const, const_value
from halide_core.ir.structural import nodes, substitute, transform, variables
from halide_core.ir.sums import build_sum, linear_terms


@dataclass(frozen=True, slots=True)
class Split:
    """How elements are dealt out: `each` neighbours to a lane, and again after `period`."""

    lane: Variable
    each: int
    period: int


def own_elements(s: st.Stmt, name: str, size: int, lane: Variable, lanes: int) -> tuple[st.Stmt, int] | None:
    """`s` with the indices of array `name`, of `size` elements, among a lane's own, and how many these are; None where
    lanes use elements of each other.  `lane` is less than `lanes`."""
    split: Split | None = None
    found = list(_indices(s, name, {}))
    for index in found:
        each = step_of(index, lane)
        if each is None or (split is not None and each != split.each):
            return None
        split = Split(lane, each, each * lanes)
    if split is None or any(own_index(index, split) is None for index in found):
        return None
    return _renumbered(s, name, split, {}), -(-size // split.period) * split.each


def _indices(s: st.Stmt, name: str, lets: Mapping[str, Expr]) -> Iterator[Expr]:
    """The indices of all accesses, with the values of lets in their places."""
    masks = s.masks if isinstance(s, Leaf) else ()
    for e in (*st.expressions(s), *masks):
        for n in nodes(e, ir.Load):
            if n.name == name:
                yield expanded(n.index, lets)
    if isinstance(s, st.Store) and s.name == name:
        yield expanded(s.index, lets)
    inner = _inside(s, lets)
    for x in (s.body,) if isinstance(s, Leaf) else st.bodies(s):
        yield from _indices(x, name, inner)


def _inside(s: st.Stmt, lets: Mapping[str, Expr]) -> Mapping[str, Expr]:
    if isinstance(s, st.LetStmt) and s.value.type in (I32, I64):
        return {**lets, s.name: expanded(s.value, lets)}
    return lets


def expanded(e: Expr, lets: Mapping[str, Expr]) -> Expr:
    """`e` with the values of lets in their places."""
    names = variables(e) & lets.keys()
    return substitute(e, {n: lets[n] for n in names}) if names else e


def _base(index: Expr) -> Expr:
    return index.base if isinstance(index, ir.Ramp) else index


def is_lane(term: Expr, lane: Variable) -> bool:
    """Whether a term of a sum is the lane's number."""
    inner = term.value if isinstance(term, ir.Cast) else term
    return isinstance(inner, Variable) and inner.name == lane.name


def step_of(index: Expr, lane: Variable) -> int | None:
    """How many elements further the next lane's is; None where that is no positive constant."""
    if _base(index).type != I64:
        return None
    steps = [f for t, f in linear_terms(_base(index))[0].values() if lane.name in variables(t)]
    own = [f for t, f in linear_terms(_base(index))[0].values() if is_lane(t, lane)]
    return own[0] if len(steps) == 1 and steps == own and own[0] > 0 else None


def own_index(index: Expr, split: Split) -> Expr | None:
    """The index among the lane's own elements."""
    terms, constant = linear_terms(_base(index))
    rest = {n: (t, f) for n, (t, f) in terms.items() if not is_lane(t, split.lane)}
    first = constant % split.period
    last, stride = first, 0
    if isinstance(index, ir.Ramp):
        found = const_value(index.stride)
        if found is None:
            return None
        stride = int(found)
        last += stride * (index.lanes - 1) if stride % split.period else 0
    if any(f % split.period for _, f in rest.values()) or not 0 <= min(first, last) <= max(first, last) < split.each:
        return None
    whole = {n: (t, f // split.period * split.each) for n, (t, f) in rest.items()}
    base = build_sum(whole, constant // split.period * split.each + first, I64)
    if not isinstance(index, ir.Ramp):
        return base
    step = stride if stride % split.period else stride // split.period * split.each
    return ir.Ramp(index.type, base, const(step, index.stride.type), index.lanes)


def _renumbered(s: st.Stmt, name: str, split: Split, lets: Mapping[str, Expr]) -> st.Stmt:
    def renumbered(index: Expr) -> Expr:
        found = own_index(expanded(index, lets), split)
        assert found is not None
        return found

    def one(n: Expr) -> Expr:
        return replace(n, index=renumbered(n.index)) if isinstance(n, ir.Load) and n.name == name else n

    def expression(e: Expr) -> Expr:
        return transform(e, one)

    inner = _inside(s, lets)
    if isinstance(s, Leaf):
        return Leaf(_renumbered(s.body, name, split, inner), tuple(map(expression, s.masks)))
    out = st.rebuild(s, lambda x: _renumbered(x, name, split, inner), expression)
    return replace(out, index=renumbered(out.index)) if isinstance(out, st.Store) and out.name == name else out
