"""Vectorized loops become vector statements.

    vectorized x in [0, +min(n - xo*8, 8)): f[x + xo*8] = g[x + xo*8]

becomes, where all eight lanes exist, f[ramp(xo*8, 1, 8)] = g[ramp(xo*8, 1, 8)], and else the same under a mask of
lanes, or the scalar loop where the target has no cheap masks."""

from __future__ import annotations

from dataclasses import replace

from halide_core.errors import HalideError
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, I64, Expr, Variable, const, const_value
from halide_core.ir.operators import broadcast
from halide_core.ir.ranges import upper_bound
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.structural import holds_effect, key, nodes, post_order, substitute, variables
from halide_core.ir.types import Bool
from halide_core.passes.interior import arms, uniform_versions, without_clamps, without_guards
from halide_core.passes.lanes import linear_in, quotient_lanes, same_quotients, without_multiples

# Suffix of arrays that hold one vector of partial results.
ACCUMULATOR = ".acc"
# Suffix of arrays that hold sums of eight lanes each; see `accumulate`.
BYTE_SUMS = ".sad"
# Suffix of arrays that hold sums of two products each.
PAIR_SUMS = ".pairs"
# Dense loads that one load may become.
_MOST_PARTS = 8


def vectorize(s: st.Stmt, masks: bool) -> st.Stmt:
    """`s` without vectorized loops.  `masks`: whether the target loads and stores under masks cheaply.

    Raises HalideError for a loop whose number of lanes has no constant bound."""

    def visit(x: st.Stmt, masks: bool) -> st.Stmt:
        # A device has no masks.
        masks = masks and not (isinstance(x, st.For) and x.kind is st.ForKind.GPU_BLOCK)
        if isinstance(x, st.For) and x.kind is st.ForKind.VECTORIZED:
            return _vector_loop(st.For(x.name, x.min, x.extent, x.kind, visit(x.body, masks)), masks)
        return st.rebuild(x, lambda y: visit(y, masks), lambda e: e)

    return visit(s, masks)


def lanes_of(extent: Expr, name: str) -> int:
    """The constant bound of the extent of a vectorized or unrolled loop."""
    high = upper_bound(extent, {})
    if high is None or high > 4096:
        raise HalideError(f"Loop {name} has no constant extent, so it cannot be vectorized or unrolled; give a factor")
    return max(high, 0)


def _vector_loop(loop: st.For, masks: bool) -> st.Stmt:
    lanes = lanes_of(loop.extent, loop.name)
    if lanes <= 1 or _has_vectors(loop.body) or not _is_vectorizable(loop):
        return st.For(loop.name, loop.min, loop.extent, st.ForKind.SERIAL, loop.body)
    full = _full(loop, lanes, masks)
    if const_value(loop.extent) == lanes:
        return full
    tail: st.Stmt
    if masks and not _prints(loop.body):
        lane = ir.Ramp(I32.with_lanes(lanes), const(0, I32), const(1, I32), lanes)
        mask = ir.LT(Bool(lanes), lane, broadcast(loop.extent, lanes))
        tail = _Vectorizer(loop, lanes, mask, masks).statement(loop.body, mask)
        tail = st.IfThenElse(simplify(loop.extent > 0), tail)
    else:
        tail = st.For(loop.name, loop.min, loop.extent, st.ForKind.SERIAL, loop.body)
    condition = simplify_index(loop.extent >= lanes)
    return st.IfThenElse(condition, full, tail)


def _is_vectorizable(loop: st.For) -> bool:
    """Whether the body has a vector form: nothing is stored in one element by all lanes, unless it is allocated in
    each, and no loop inside runs, and no allocation is, differently often or large."""
    inner = {loop.name}
    private = {x.name for x in st.walk(loop.body) if isinstance(x, st.Allocate)}

    def differs(e: Expr) -> bool:
        return bool(variables(e) & inner) or _loads_any(e, private)

    for x in st.walk(loop.body):
        match x:
            case st.LetStmt():
                if differs(x.value):
                    inner.add(x.name)
            case st.Allocate():
                if differs(x.size):
                    return False
            case st.ExternCall():
                return False
            case st.IfThenElse() if differs(x.condition) and _prints(x):
                return False  # a mask keeps lanes from being stored, not from being told
            case st.For():
                if differs(x.min) or differs(x.extent):
                    return False
            case st.Store() if not x.name.endswith((BYTE_SUMS, PAIR_SUMS, ACCUMULATOR)):
                if x.name not in private and not variables(x.index) & inner:
                    return False
    return True


def _prints(s: st.Stmt) -> bool:
    """Whether anything in `s` has an effect beside what is stored."""
    return any(holds_effect(e) for x in st.walk(s) for e in st.expressions(x))


def _loads_any(e: Expr, names: set[str]) -> bool:
    """Whether `e` loads from an array of `names`."""
    return bool(names) and any(n.name in names for n in nodes(e, ir.Load))


def _has_vectors(s: st.Stmt) -> bool:
    for x in st.walk(s):
        for e in st.expressions(x):
            if any(n.type.is_vector() for n in post_order(e)):
                return True
    return False


def _full(loop: st.For, lanes: int, masks: bool) -> st.Stmt:
    """All lanes; where guards hold in all of them, without masks."""
    unguarded = without_guards(loop, lanes)
    if unguarded is None:
        return _in_versions(loop, lanes, masks)
    condition, body = unguarded
    masked = _Vectorizer(loop, lanes, None, masks).statement(loop.body, None)
    return st.IfThenElse(condition, _in_versions(replace(loop, body=body), lanes, masks), masked)


def _in_versions(loop: st.For, lanes: int, masks: bool) -> st.Stmt:
    """All lanes; where coordinates are clamped or chosen, versions for what is so in all of them."""

    def vectors(body: st.Stmt) -> st.Stmt:
        return _Vectorizer(loop, lanes, None, masks).statement(body, None)

    slow = vectors(loop.body)
    for condition, body in reversed(uniform_versions(loop, lanes)):
        slow = st.IfThenElse(condition, vectors(body), slow)
    return slow


class _Vectorizer:
    """Rewrites one loop body for `lanes` iterations at once.  `tail` is the mask of lanes that exist."""

    def __init__(self, loop: st.For, lanes: int, tail: Expr | None, masks: bool) -> None:
        self.loop = loop
        self.lanes = lanes
        self.tail = tail
        self.masks = masks
        self.ramp = ir.Ramp(I32.with_lanes(lanes), loop.min, const(1, I32), lanes)
        self.memo: dict[tuple[int, int], tuple[Expr, Expr]] = {}
        # Arrays allocated in the loop: element k of lane l is element k * lanes + l of all lanes'.
        self.private: set[str] = set()

    def depends(self, e: Expr) -> bool:
        """Whether lanes differ in `e`."""
        return self.loop.name in variables(e) or _loads_any(e, self.private)

    def statement(self, s: st.Stmt, mask: Expr | None) -> st.Stmt:
        match s:
            case st.Store():
                return self._store(s, mask)
            case st.Stores():
                new = tuple(self._store(x, mask) for x in s.stores)
                return st.Stores(new)
            case st.IfThenElse():
                return self._if(s, mask)
            case st.LetStmt() if self.depends(s.value):
                return self.statement(_inline_let(s), mask)
            case st.Evaluate():
                return st.Evaluate(self.value(s.value, mask))
            case st.For():
                if self.depends(s.min) or self.depends(s.extent):
                    raise HalideError(
                        f"Loop {self.loop.name} cannot be vectorized: the bounds of loop {s.name} inside depend on it"
                    )
            case st.Allocate():
                self.private.add(s.name)
                size = simplify_index(ir.Mul(I64, s.size, const(self.lanes, I64)))
                return st.Allocate(s.name, s.type, size, self.statement(s.body, mask))
        return st.rebuild(s, lambda x: self.statement(x, mask), lambda e: e)

    def _if(self, s: st.IfThenElse, mask: Expr | None) -> st.Stmt:
        if not self.depends(s.condition):
            other = None if s.else_case is None else self.statement(s.else_case, mask)
            return st.IfThenElse(s.condition, self.statement(s.then_case, mask), other)
        yes = self.value(s.condition, mask)
        no: Expr = ir.Not(yes.type, yes)
        then_mask = yes if mask is None else ir.And(yes.type, mask, yes)
        out = self.statement(s.then_case, then_mask)
        if s.else_case is not None:
            else_mask = no if mask is None else ir.And(no.type, mask, no)
            out = st.block(out, self.statement(s.else_case, else_mask))
        return out

    def _store(self, s: st.Store, mask: Expr | None) -> st.Store:
        if s.name.endswith(BYTE_SUMS):
            return self._byte_sums(s, mask)
        if s.name.endswith(PAIR_SUMS):
            return self._pair_sums(s, mask)
        if s.name in self.private:
            return self._private_store(s, mask)
        index = self.index(s.index, mask)
        if index.type.is_scalar() or isinstance(index, ir.Broadcast):
            raise HalideError(
                f"Loop {self.loop.name} cannot be vectorized: its iterations store one element of {s.name}"
            )
        value = broadcast(self.value(s.value, mask), self.lanes)
        predicate = mask
        if mask is not None and s.name.endswith(ACCUMULATOR):
            # Stored whole, so that the accumulator stays in registers; lanes that do not exist keep their values.
            old = ir.Load(value.type, s.name, index)
            return st.Store(s.name, ir.Select(value.type, mask, value, old), index)
        if s.predicate is not None:
            own = broadcast(self.value(s.predicate, mask), self.lanes)
            predicate = own if mask is None else ir.And(own.type, mask, own)
        return st.Store(s.name, value, index, predicate)

    def _private_store(self, s: st.Store, mask: Expr | None) -> st.Store:
        """Stored whole where only lanes that do not exist are masked, so that the array stays in registers."""
        index = self._private_index(s.index, mask)
        value = broadcast(self.value(s.value, mask), self.lanes)
        if s.predicate is not None or (mask is not None and mask is not self.tail):
            own = None if s.predicate is None else broadcast(self.value(s.predicate, mask), self.lanes)
            chosen = mask if own is None else own if mask is None else ir.And(own.type, mask, own)
            assert chosen is not None
            value = ir.Select(value.type, chosen, value, ir.Load(value.type, s.name, index))
        return st.Store(s.name, value, index)

    def _private_index(self, e: Expr, mask: Expr | None) -> Expr:
        """Where the lanes' own elements `e` stand among those of all lanes."""
        index, lanes = self.index(e, mask), const(self.lanes, I64)
        whole = I64.with_lanes(self.lanes)
        if index.type.is_scalar():
            return ir.Ramp(whole, simplify_index(index * lanes), const(1, I64), self.lanes)
        if isinstance(index, ir.Ramp):
            stride = simplify_index(index.stride * lanes + 1)
            return ir.Ramp(whole, simplify_index(index.base * lanes), stride, self.lanes)
        lane = ir.Ramp(whole, const(0, I64), const(1, I64), self.lanes)
        return ir.Add(whole, ir.Mul(whole, index, broadcast(lanes, self.lanes)), lane)

    def _byte_sums(self, s: st.Store, mask: Expr | None) -> st.Store:
        assert isinstance(s.value, ir.Add) and isinstance(s.value.b, ir.Cast)
        return self._add_sums(s, self._widened(s.value.b, mask, True), self.lanes // 8)

    def _pair_sums(self, s: st.Store, mask: Expr | None) -> st.Store:
        assert isinstance(s.value, ir.Add) and isinstance(s.value.b, ir.Mul)
        a, b = self._widened(s.value.b.a, mask, True), self._widened(s.value.b.b, mask, False)
        return self._add_sums(s, ir.Mul(a.type, a, b), self.lanes // 2)

    def _widened(self, e: Expr, mask: Expr | None, clear: bool) -> Expr:
        """All lanes of a widened value, `clear`: 0 in those that do not exist."""
        assert isinstance(e, ir.Cast)
        lanes = broadcast(self.value(e.value, mask), self.lanes)
        if mask is not None and clear:
            lanes = ir.Select(lanes.type, mask, lanes, const(0, lanes.type))
        return ir.Cast(e.type.with_lanes(self.lanes), lanes)

    def _add_sums(self, s: st.Store, values: Expr, count: int) -> st.Store:
        """Adds `count` sums of neighbouring values to what the array of a store holds."""
        wide = s.value.type
        sums = ir.VectorReduce(wide.with_lanes(count), "add", values)
        ramp = ir.Ramp(I64.with_lanes(count), const(0, I64), const(1, I64), count)
        index: Expr = ramp if count > 1 else const(0, I64)
        old = ir.Load(wide.with_lanes(count), s.name, index)
        return st.Store(s.name, ir.Add(sums.type, old, sums), index)

    def index(self, e: Expr, mask: Expr | None) -> Expr:
        """The vector of indices, a Ramp where they are evenly spaced."""
        if not self.depends(e):
            return e
        first = const_value(self.loop.min)
        if first is not None:
            e = same_quotients(e, self.loop.name, int(first), self.lanes)
        linear = None if _loads_any(e, self.private) else linear_in(e, self.loop.name)
        if linear is None:
            return broadcast(self.value(e, mask), self.lanes)
        stride, rest = linear
        base = simplify_index(ir.Add(I64, rest, ir.Mul(I64, stride, simplify_index(ir.Cast(I64, self.loop.min)))))
        if const_value(stride) == 0:
            return base
        return ir.Ramp(I64.with_lanes(self.lanes), base, stride, self.lanes)

    def value(self, e: Expr, mask: Expr | None) -> Expr:
        """`e` for all lanes: a vector where it depends on the loop, else the scalar."""
        tag = id(mask)
        for node in post_order(e):
            if (id(node), tag) not in self.memo:
                self.memo[(id(node), tag)] = (node, self._node(node, mask))
        return self.memo[(id(e), tag)][1]

    def _node(self, e: Expr, mask: Expr | None) -> Expr:
        if isinstance(e, Variable):
            return self.ramp if e.name == self.loop.name else e
        if isinstance(e, ir.Load):
            return self._load(e, mask)
        if isinstance(e, ir.Mod) and self.depends(e):
            e = without_multiples(e)
            parts = tuple(self.value(c, mask) for c in ir.children(e))
        else:
            parts = tuple(self.memo[(id(c), id(mask))][1] for c in ir.children(e))
        if all(p.type.is_scalar() for p in parts):
            return ir.with_children(e, parts)
        if isinstance(e, ir.Select) and parts[0].type.is_scalar():
            wide: tuple[Expr, ...] = (parts[0], *(broadcast(p, self.lanes) for p in parts[1:]))
        else:
            wide = tuple(broadcast(p, self.lanes) for p in parts)
        return replace(ir.with_children(e, wide), type=e.type.with_lanes(self.lanes))

    def _load(self, e: ir.Load, mask: Expr | None) -> Expr:
        conditional = mask is not None and mask is not self.tail
        if e.name in self.private:
            # The element may not exist in lanes where the condition fails.
            index = self._private_index(e.index, mask)
            return ir.Load(e.type.with_lanes(self.lanes), e.name, index, mask if conditional else None)
        divided = self._divided(e, mask)
        if divided is None:
            divided = self._at_border(e, mask)
        if divided is None:
            divided = self._in_cases(e, mask)
        if divided is not None:
            return divided
        index = self.index(e.index, mask)
        if index.type.is_scalar():
            if not conditional:
                return ir.Load(e.type, e.name, index, e.predicate)
            # The element may not exist where the condition fails in every lane.
            index = broadcast(index, self.lanes)
        whole = e.name.endswith(ACCUMULATOR)
        return ir.Load(e.type.with_lanes(self.lanes), e.name, index, None if whole else mask)

    def _at_border(self, e: ir.Load, mask: Expr | None) -> Expr | None:
        """A load at a clamped index, some lanes of which are clamped: a dense one of the others, and what the first or
        the last lane loads for these."""
        if not self.masks or e.predicate is not None or mask is not self.tail or _loads_any(e.index, self.private):
            return None
        found = without_clamps(e.index, self.loop.name)
        index = self.index(found[0], mask) if found is not None else None
        if found is None or not isinstance(index, ir.Ramp) or const_value(index.stride) != 1:
            return None
        _, inside, below, up = found
        count = self.loop.extent if mask is not None else const(self.lanes, I32)
        ends = [self.loop.min, simplify_index(self.loop.min + count - 1)]
        at_ends = [simplify_index(substitute(e.index, {self.loop.name: end})) for end in (ends if up else ends[::-1])]
        first, last = (broadcast(ir.Load(e.type, e.name, at), self.lanes) for at in at_ends)
        free = self._all(inside, mask)
        shown = free if mask is None else ir.And(free.type, mask, free)
        dense = ir.Load(e.type.with_lanes(self.lanes), e.name, index, shown)
        if len(below) == len(inside):
            other = first
        elif not below:
            other = last
        else:
            held = [self.value(c, mask) for c in below]
            low = held[0]
            for c in held[1:]:
                low = ir.Or(low.type, low, c)
            other = ir.Select(dense.type, low, first, last)
        return ir.Select(dense.type, free, dense, other)

    def _all(self, conditions: list[Expr], mask: Expr | None) -> Expr:
        total, *rest = (self.value(c, mask) for c in conditions)
        for c in rest:
            total = ir.And(total.type, total, c)
        return total

    def _in_cases(self, e: ir.Load, mask: Expr | None) -> Expr | None:
        """A load at one of two dense rows of indices, lane by lane: both, each under its mask."""
        if not self.masks or e.predicate is not None or _loads_any(e.index, self.private):
            return None
        found = arms(e.index, self.loop.name)
        if found is None:
            return None
        condition, *cases = found
        chosen = self.value(condition, mask)
        if any(not self._dense(c) for c in cases) or chosen.type.is_scalar():
            return None
        masks = [chosen, ir.Not(chosen.type, chosen)]
        if mask is not None:
            masks = [ir.And(m.type, mask, m) for m in masks]
        yes, no = (self._load(replace(e, index=c), m) for c, m in zip(cases, masks, strict=True))
        return ir.Select(yes.type, chosen, yes, no)

    def _dense(self, index: Expr) -> bool:
        """Whether an index, in each case of the choices that it has, goes up by one from lane to lane."""
        found = arms(index, self.loop.name)
        if found is not None:
            return all(self._dense(c) for c in found[1:])
        linear = linear_in(index, self.loop.name)
        return linear is not None and const_value(linear[0]) == 1

    def _divided(self, e: ir.Load, mask: Expr | None) -> Expr | None:
        """A load at rest + (lane + base) / c: one dense load for each remainder of the lane, interleaved; where all
        of them are one, its elements repeated, as those of every c-th element are: the alpha of each channel's pixel.

            f[(ramp(b, 1, 16) + 1) / 2]  becomes  interleave(f[ramp((b + 1) / 2, 1, 8)], f[ramp((b + 2) / 2, 1, 8)])"""
        if e.predicate is not None or (mask is not None and mask is not self.tail) or _loads_any(e.index, self.private):
            return None
        found = quotient_lanes(e.index, self.loop, self.lanes)
        if found is None:
            return None
        starts, step = found
        c = len(starts)
        count = self.lanes // c
        if len({key(s) for s in starts}) == 1:
            starts = starts[:1]
        elif c > _MOST_PARTS or step != 1:
            return None
        parts: list[Expr] = []
        for r, start in enumerate(starts):
            predicate: Expr | None = None
            if mask is not None:
                lane = ir.Ramp(I32.with_lanes(count), const(0, I32), const(1, I32), count)
                needed = simplify_index(ir.Div(I32, self.loop.extent + (c - 1 - r), const(c, I32)))
                predicate = ir.LT(Bool(count), lane, broadcast(needed, count))
            index = ir.Ramp(I64.with_lanes(count), start, const(step, I64), count)
            parts.append(ir.Load(e.type.with_lanes(count), e.name, index, predicate))
        whole = e.type.with_lanes(self.lanes)
        if len(parts) == 1:
            return ir.Shuffle(whole, tuple(parts), tuple(k // c for k in range(self.lanes)))
        return ir.Shuffle(whole, tuple(parts), tuple(k % c * count + k // c for k in range(self.lanes)))


def _inline_let(s: st.LetStmt) -> st.Stmt:
    return st.map_expressions(s.body, lambda e: substitute(e, {s.name: s.value}))
