"""Vectorized reductions keep a vector of partial results.

    for r in [0, +n): vectorized v in [0, +min(8, m - r*8)): f[0] = f[0] + g[v + r*8]

becomes

    allocate f.acc[8]; f.acc[0..7] = 0
    for r in [0, +n): vectorized v in [0, +min(8, m - r*8)): f.acc[v] = f.acc[v] + g[v + r*8]
    f[0] = f[0] + vector_reduce_add(f.acc[ramp(0, 1, 8)])

where n > 0.  Integers only: they may be added in any order."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, I32, I64, Expr, Variable, const, const_value
from halide_core.ir.simplify import simplify
from halide_core.ir.structural import contains, key, post_order, variables
from halide_core.ir.types import Int, Type, UInt
from halide_core.passes.narrow import cannot_wrap, value_range
from halide_core.passes.vectorize import ACCUMULATOR, BYTE_SUMS, PAIR_SUMS, lanes_of

_NAMES: dict[type[Expr], str] = {ir.Add: "add", ir.Mul: "mul", ir.Min: "min", ir.Max: "max"}


def accumulate_in_vectors(s: st.Stmt, pairs: bool) -> st.Stmt:
    """`s` with such loops rewritten; other statements as they are.  `pairs`: whether the target multiplies 16 bits and
    adds neighbouring products in one step."""
    if isinstance(s, st.For):
        found, runs = _reduction(s), _trips(s)
        if found is not None and runs is not None:
            # Where there is nothing to add, memory stays untouched: there may be none.
            rewritten = _rewrite(s, *found, pairs)
            return rewritten if const_value(runs) else st.IfThenElse(runs, rewritten)
    return st.rebuild(s, lambda x: accumulate_in_vectors(x, pairs), lambda e: e)


def identity(op: str, t: Type) -> Expr:
    """The value that `op` leaves others unchanged by."""
    return const({"add": 0, "mul": 1, "min": t.max(), "max": t.min(), "or": 0, "and": -1}[op], t)


def _operation(s: st.Store) -> tuple[str, Expr, type[Expr]] | None:
    """(reduction, operand, node) of a store f[i] = f[i] op e."""
    v = s.value
    if v.type.is_float() or not v.type.is_scalar():
        return None
    if type(v) in _NAMES:
        assert isinstance(v, ir._Binary)
        sides = [(v.a, v.b), (v.b, v.a)]
        op = _NAMES[type(v)]
    elif isinstance(v, ir.Sub):
        sides, op = [(v.a, v.b)], "add"
    else:
        return None
    for mine, other in sides:
        if isinstance(mine, ir.Load) and mine.name == s.name and key(mine.index) == key(s.index):
            if any(isinstance(n, ir.Load) and n.name == s.name for n in post_order(other)):
                return None
            return op, other, type(v)
    return None


def _reduction(s: st.For) -> tuple[st.For, st.Store, str, Expr, type[Expr]] | None:
    loops: set[str] = set()
    node: st.Stmt = s
    while isinstance(node, st.For) and node.kind is st.ForKind.SERIAL:
        loops.add(node.name)
        node = node.body
    if not isinstance(node, st.For) or node.kind is not st.ForKind.VECTORIZED or not isinstance(node.body, st.Store):
        return None
    loops.add(node.name)
    store = node.body
    found = _operation(store)
    if found is None or store.predicate is not None or variables(store.index) & loops:
        return None
    if lanes_of(node.extent, node.name) < 2:
        return None
    if contains(store.index, ir.Load):
        return None
    return node, store, *found


def _bytes_summed(operand: Expr) -> Expr | None:
    """The uint8 expression that `operand` is a widened copy of, or None."""
    if isinstance(operand, ir.Cast) and operand.value.type == UInt(8) and operand.type.bits >= 16:
        return operand.value
    return None


def _sum_of_bytes(s: st.For, vector: st.For, store: st.Store, narrow: Expr, lanes: int) -> st.Stmt:
    """Sums of bytes in uint64 partial sums of eight neighbouring lanes each, which is what psadbw computes.

    Exact: the sum's low bits do not depend on the width it is computed in."""
    wide = UInt(64)
    t = store.value.type
    name = store.name + BYTE_SUMS
    lane = ir.Div(I64, ir.Cast(I64, ir.Sub(I32, Variable(I32, vector.name), vector.min)), const(8, I64))
    step = ir.Add(wide, ir.Load(wide, name, lane), ir.Cast(wide, narrow))
    inner = st.For(vector.name, vector.min, vector.extent, vector.kind, st.Store(name, step, lane))

    def replace_inner(x: st.Stmt) -> st.Stmt:
        return inner if x is vector else st.rebuild(x, replace_inner, lambda e: e)

    count = lanes // 8
    whole: Expr = ir.Ramp(I64.with_lanes(count), const(0, I64), const(1, I64), count) if count > 1 else const(0, I64)
    zero = const(0, wide.with_lanes(count))
    partial = ir.Load(wide.with_lanes(count), name, whole)
    total = partial if count == 1 else ir.VectorReduce(wide, "add", partial)
    old = ir.Load(t, store.name, store.index)
    last = st.Store(store.name, ir.Add(t, old, ir.Cast(t, total)), store.index)
    start = st.Store(name, zero, whole)
    return st.Allocate(name, wide, const(count, I64), st.block(start, replace_inner(s), last))


def _factors(operand: Expr) -> tuple[Expr, Expr] | None:
    """Two int16 of which `operand`, of 32 bits, is the product, but for multiples of 2**32; or None."""
    if operand.type not in (I32, UInt(32)):
        return None
    if isinstance(operand, ir.Cast) and isinstance(operand.value, ir.Mul) and cannot_wrap(operand.value):
        operand = operand.value
    if not isinstance(operand, ir.Mul):
        return None
    factors = [_as_int16(side) for side in (operand.a, operand.b)]
    return None if factors[0] is None or factors[1] is None else (factors[0], factors[1])


def _as_int16(e: Expr) -> Expr | None:
    """`e` in int16, where it is a value of that type that is widened, or computed in no more bits."""
    inner = e.value if isinstance(e, ir.Cast) and e.type.bits > 16 else e
    if not inner.type.is_int_or_uint() or inner.type.is_bool() or inner.type.bits > 16:
        return None
    found, small = value_range(inner), Int(16)
    if found is None or found[0] < small.min() or found[1] > small.max():
        return None
    return inner if inner.type == small else ir.Cast(small, inner)


def _sum_of_products(s: st.For, vector: st.For, store: st.Store, factors: tuple[Expr, Expr], lanes: int) -> st.Stmt:
    """Sums of products of int16 in int32 partial sums of two neighbouring lanes each, which is what pmaddwd computes.

    Exact: int32 wraps, and so does the sum."""
    t, count = store.value.type, lanes // 2
    name = store.name + PAIR_SUMS
    lane = ir.Div(I64, ir.Cast(I64, ir.Sub(I32, Variable(I32, vector.name), vector.min)), const(2, I64))
    product = ir.Mul(I32, ir.Cast(I32, factors[0]), ir.Cast(I32, factors[1]))
    step = ir.Add(I32, ir.Load(I32, name, lane), product)
    inner = st.For(vector.name, vector.min, vector.extent, vector.kind, st.Store(name, step, lane))

    def replace_inner(x: st.Stmt) -> st.Stmt:
        return inner if x is vector else st.rebuild(x, replace_inner, lambda e: e)

    wide = I32.with_lanes(count)
    whole = ir.Ramp(I64.with_lanes(count), const(0, I64), const(1, I64), count)
    start = st.Store(name, const(0, wide), whole)
    total: Expr = ir.VectorReduce(I32, "add", ir.Load(wide, name, whole))
    total = total if t == I32 else ir.Cast(t, total)
    last = st.Store(store.name, ir.Add(t, ir.Load(t, store.name, store.index), total), store.index)
    return st.Allocate(name, I32, const(count, I64), st.block(start, replace_inner(s), last))


def _narrower(operand: Expr, t: Type) -> Expr | None:
    """The integer of fewer bits that `operand` is a copy of, value for value; None where there is none."""
    if not isinstance(operand, ir.Cast) or not operand.value.type.is_int_or_uint() or operand.value.type.is_bool():
        return None
    inner = operand.value.type
    return operand.value if inner.bits < t.bits and t.min() <= inner.min() and inner.max() <= t.max() else None


def _trips(s: st.For) -> Expr | None:
    """Whether the nest runs at all; None where inner loops' extents depend on outer loops."""
    loops: set[str] = set()
    out: Expr | None = None
    node: st.Stmt = s
    while isinstance(node, st.For):
        if variables(node.extent) & loops and node.kind is not st.ForKind.VECTORIZED:
            return None
        if node.kind is not st.ForKind.VECTORIZED:
            some = ir.LT(BOOL, const(0, I32), node.extent)
            out = some if out is None else ir.And(BOOL, out, some)
        loops.add(node.name)
        node = node.body
    return None if out is None else simplify(out)


def _extreme_of_narrow(
    s: st.For, vector: st.For, store: st.Store, op: str, narrow: Expr, node: type[Expr]
) -> st.Stmt:
    """A minimum or maximum of widened integers, in their own type; combined only where there was one at all, since
    no value of that type leaves every wider one unchanged."""
    lanes = lanes_of(vector.extent, vector.name)
    t, small = store.value.type, narrow.type
    name = store.name + ACCUMULATOR
    assert issubclass(node, ir._Binary)
    lane = ir.Cast(I64, ir.Sub(I32, Variable(I32, vector.name), vector.min))
    step = st.Store(name, node(small, ir.Load(small, name, lane), narrow), lane)
    inner = st.For(vector.name, vector.min, vector.extent, vector.kind, step)

    def replace_inner(x: st.Stmt) -> st.Stmt:
        return inner if x is vector else st.rebuild(x, replace_inner, lambda e: e)

    whole = ir.Ramp(I64.with_lanes(lanes), const(0, I64), const(1, I64), lanes)
    wide = small.with_lanes(lanes)
    start = st.Store(name, ir.Broadcast(wide, identity(op, small), lanes), whole)
    total = ir.Cast(t, ir.VectorReduce(small, op, ir.Load(wide, name, whole)))
    last = st.Store(store.name, node(t, ir.Load(t, store.name, store.index), total), store.index)
    return st.Allocate(name, small, const(lanes, I64), st.block(start, replace_inner(s), last))


def _rewrite(
    s: st.For, vector: st.For, store: st.Store, op: str, operand: Expr, node: type[Expr], pairs: bool
) -> st.Stmt:
    lanes = lanes_of(vector.extent, vector.name)
    t = store.value.type
    narrow = _bytes_summed(operand) if node is ir.Add else None
    if narrow is not None and lanes % 8 == 0:
        return _sum_of_bytes(s, vector, store, narrow, lanes)
    factors = _factors(operand) if pairs and node is ir.Add and lanes % 8 == 0 else None
    if factors is not None:
        return _sum_of_products(s, vector, store, factors, lanes)
    small = _narrower(operand, t) if op in ("min", "max") else None
    if small is not None:
        return _extreme_of_narrow(s, vector, store, op, small, node)
    name = store.name + ACCUMULATOR
    lane = ir.Cast(I64, ir.Sub(I32, Variable(I32, vector.name), vector.min))
    old = ir.Load(t, name, lane)
    assert issubclass(node, ir._Binary)
    inner = st.For(vector.name, vector.min, vector.extent, vector.kind, st.Store(name, node(t, old, operand), lane))

    def replace_inner(x: st.Stmt) -> st.Stmt:
        return inner if x is vector else st.rebuild(x, replace_inner, lambda e: e)

    wide = t.with_lanes(lanes)
    whole = ir.Ramp(I64.with_lanes(lanes), const(0, I64), const(1, I64), lanes)
    start = st.Store(name, ir.Broadcast(wide, identity(op, t), lanes), whole)
    total = ir.VectorReduce(t, op, ir.Load(wide, name, whole))
    combine: type[ir._Binary] = ir.Add if node is ir.Sub else node
    last = st.Store(store.name, combine(t, ir.Load(t, store.name, store.index), total), store.index)
    return st.Allocate(name, t, const(lanes, I64), st.block(start, replace_inner(s), last))
