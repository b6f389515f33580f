"""Neighbouring elements that a thread accesses, up to 16 bytes of them at a time.

    f[i] = src[j]; f[i + 1] = src[j + 1]   ->   if f, src, what i and j are made of are multiples:
                                                  f[ramp(i, 1, 2)] = src[ramp(j, 1, 2)]
                                                else:
                                                  f[i] = src[j]; f[i + 1] = src[j + 1]

A device accesses several elements at once where their address is a multiple of all of their bytes.  Where arrays begin,
how far their rows are apart and which part of them is computed is the caller's, so that the kernel asks: of values that
are the same for all threads, so that no warp goes both ways.  Vectors that a schedule asks for are told to be whole the
same way.  What threads need not be given is known without asking."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from halide_core.gpu.kernel import ALIGNMENT, apart
from halide_core.gpu.multiples import Needed, both, needed_for
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import BOOL, I64, Expr, Variable, const, const_value
from halide_core.ir.named_calls import ALIGNED_INDEX, is_aligned_index, is_atomic
from halide_core.ir.structural import key, nodes, transform
from halide_core.ir.types import Type
from halide_core.ir.well_typed import ALIGNED

# Expressions of a kernel that still is written twice.
_MOST = 4000

Lanes = dict[tuple[str, int], tuple[ir.Load, int]]
"""Scalar loads, by array and index, as elements of vectors."""


@dataclass(slots=True)
class _Plan:
    """What is found, and what it takes."""

    arrays: Mapping[str, Type]
    written: Collection[str]
    given: Collection[str]
    scalars: Mapping[str, Type]
    needed: Needed = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    """Of how many bytes addresses of the caller's arrays must be multiples."""
    found: int = 0

    def take(self, name: str, base: Expr, bytes_: int) -> bool:
        """Whether so many bytes from element `base` on may be accessed at once, which is taken down then."""
        more = needed_for(base, bytes_ // self.arrays[name].bytes(), self.scalars)
        if more is None:
            return False
        self.needed = both(self.needed, more) or {}
        if name in self.given:
            self.bytes[name] = max(self.bytes.get(name, 1), bytes_)
        self.found += 1
        return True

    def condition(self) -> Expr | None:
        """What must hold, in values that are the same for all threads; None where nothing is asked."""
        parts: list[Expr] = []
        for name, bytes_ in sorted(self.bytes.items()):
            first = ir.Load(self.arrays[name], name, const(0, I64))
            parts.append(ir.Call(BOOL, ALIGNED, (first, const(bytes_, I64)), ir.CallType.INTRINSIC))
        for name, multiple in sorted(self.needed.items()):
            t = self.scalars[name]
            rest = ir.intrinsic("bitwise_and", t, Variable(t, name), const(multiple - 1, t))
            parts.append(ir.EQ(BOOL, rest, const(0, t)))
        out: Expr | None = None
        for part in parts:
            out = part if out is None else ir.And(BOOL, out, part)
        return out


def widen_accesses(
    s: st.Stmt,
    arrays: Mapping[str, Type],
    written: Collection[str],
    given: Collection[str],
    scalars: Sequence[Variable],
) -> st.Stmt:
    """A kernel's body with accesses of several elements at once.  `arrays` are those in the device's memory, of which
    `written` are stored to and `given` begin anywhere; `scalars` are the Variables that the host gives."""
    if _size(s) > _MOST:
        return s
    kept = {n: t for n, t in arrays.items() if not t.is_bool()}
    plan = _Plan(kept, written, given, {v.name: v.type for v in scalars if v.type.is_int_or_uint()})
    wide = _visit(s, plan)
    if not plan.found:
        return s
    condition = plan.condition()
    if condition is None:
        return wide
    # LLVM makes one load of two that differ in what is known of their addresses.
    return st.IfThenElse(condition, st.block(apart(), wide, apart()), s)


def _size(s: st.Stmt) -> int:
    return sum(len(nodes(e, Expr)) for x in st.walk(s) for e in st.expressions(x))


def _visit(s: st.Stmt, plan: _Plan) -> st.Stmt:
    if isinstance(s, st.Store):
        return st.block(*_of_run([s], plan))
    if not isinstance(s, st.Block):
        return st.rebuild(s, lambda x: _visit(x, plan), lambda e: _vectors(e, plan))
    parts: list[st.Stmt] = []
    run: list[st.Store] = []
    for x in s.stmts:
        if isinstance(x, st.Store) and not is_atomic(x.value):
            run.append(x)
            continue
        parts += _of_run(run, plan)
        parts.append(_visit(x, plan) if not isinstance(x, st.Store) else x)
        run = []
    return st.block(*parts, *_of_run(run, plan))


def _of_run(run: list[st.Store], plan: _Plan) -> list[st.Stmt]:
    """Stores one after the other, with nothing between them."""
    if not run or is_atomic(run[0].value):
        return list(run)
    lanes = _lanes([e for s in run for e in (s.value, s.index)], plan)

    def value(e: Expr) -> Expr:
        return _vectors(transform(e, lambda n: _as_lane(n, lanes)) if lanes else e, plan)

    stores = [replace(s, value=value(s.value), index=_whole(s.name, s.index, s.value.type, plan)) for s in run]
    return _joined(run, stores, plan)


def _as_lane(e: Expr, lanes: Lanes) -> Expr:
    found = lanes.get((e.name, key(e.index))) if isinstance(e, ir.Load) and e.predicate is None else None
    return e if found is None else ir.Shuffle(e.type, (found[0],), (found[1],))


def _vectors(e: Expr, plan: _Plan) -> Expr:
    """`e` with dense vectors of it loaded as a whole."""

    def one(n: Expr) -> Expr:
        if not isinstance(n, ir.Load) or n.predicate is not None:
            return n
        index = _whole(n.name, n.index, n.type, plan)
        return n if index is n.index else replace(n, index=index)

    return transform(e, one) if nodes(e, ir.Ramp) else e


def _whole(name: str, index: Expr, t: Type, plan: _Plan) -> Expr:
    """The index of a dense vector, marked where its address is a multiple of its bytes, or of as many as are accessed
    at a time."""
    if not isinstance(index, ir.Ramp) or const_value(index.stride) != 1 or name not in plan.arrays:
        return index
    bytes_ = min(ALIGNMENT, t.lanes * t.bytes())
    if t.lanes & (t.lanes - 1) or _is_marked(index) or not plan.take(name, index.base, bytes_):
        return index
    return replace(index, base=_marked(index.base, bytes_))


def _marked(base: Expr, bytes_: int) -> Expr:
    return ir.Call(I64, ALIGNED_INDEX, (base, const(bytes_, I64)), ir.CallType.EXTERN)


def _is_marked(index: ir.Ramp) -> bool:
    return is_aligned_index(index.base)


def _apart(index: Expr) -> tuple[Expr, int]:
    """An index without what is constant of it, and that."""
    value = const_value(index.b) if isinstance(index, ir.Add) else None
    return (index.a, int(value)) if isinstance(index, ir.Add) and value is not None else (index, 0)


def _lanes(expressions: list[Expr], plan: _Plan) -> Lanes:
    """The scalar loads that stand beside each other."""
    groups: dict[tuple[str, int], tuple[Expr, dict[int, ir.Load]]] = {}
    for n in (n for e in expressions for n in nodes(e, ir.Load)):
        if n.type.is_scalar() and n.predicate is None and n.name in plan.arrays and n.name not in plan.written:
            base, constant = _apart(n.index)
            groups.setdefault((n.name, key(base)), (base, {}))[1][constant] = n
    out: Lanes = {}
    for (name, _), (base, loads) in groups.items():
        t = plan.arrays[name]
        for first, count in _runs(name, base, loads.keys(), plan):
            start = base if first == 0 else ir.Add(I64, base, const(first, I64))
            index = ir.Ramp(I64.with_lanes(count), _marked(start, count * t.bytes()), const(1, I64), count)
            vector = ir.Load(t.with_lanes(count), name, index)
            out |= {(name, key(loads[first + k].index)): (vector, k) for k in range(count)}
    return out


def _runs(name: str, base: Expr, constants: Collection[int], plan: _Plan) -> list[tuple[int, int]]:
    """(first, count) of constants that follow each other and begin at a multiple of their count."""
    left, out = set(constants), []
    count = ALIGNMENT // plan.arrays[name].bytes()
    while count > 1 and len(left) > 1:
        for first in sorted(c for c in left if c % count == 0):
            own = set(range(first, first + count))
            if own <= left and plan.take(name, base, count * plan.arrays[name].bytes()):
                left -= own
                out.append((first, count))
        count //= 2
    return out


def _joined(before: list[st.Store], stores: list[st.Store], plan: _Plan) -> list[st.Stmt]:
    """The stores, those of neighbours as one where the last of them stands."""
    groups: dict[tuple[str, int], tuple[Expr, dict[int, int]]] = {}
    for k, s in enumerate(before):
        if s.value.type.is_scalar() and s.predicate is None and s.name in plan.arrays:
            base, constant = _apart(s.index)
            groups.setdefault((s.name, key(base)), (base, {}))[1][constant] = k
    out: list[st.Stmt | None] = list(stores)
    for (name, _), (base, places) in groups.items():
        if not _may_wait(name, key(base), before):
            continue
        t = plan.arrays[name]
        for first, count in _runs(name, base, places.keys(), plan):
            own = [places[first + k] for k in range(count)]
            start = base if first == 0 else ir.Add(I64, base, const(first, I64))
            index = ir.Ramp(I64.with_lanes(count), _marked(start, count * t.bytes()), const(1, I64), count)
            value = ir.Shuffle(t.with_lanes(count), tuple(stores[k].value for k in own), tuple(range(count)))
            for k in own:
                out[k] = None
            out[max(own)] = st.Store(name, value, index)
    return [s for s in out if s is not None]


def _may_wait(name: str, base: int, run: list[st.Store]) -> bool:
    """Whether stores to an array from one base on may be done later in a run: no element is stored to twice, and none
    is loaded behind its store."""
    stored: set[int] = set()
    for s in run:
        for n in (n for e in (s.value, s.index) for n in nodes(e, ir.Load) if n.name == name):
            other, constant = _apart(n.index)
            if key(other) != base or constant in stored or n.type.is_vector():
                return False
        if s.name == name:
            other, constant = _apart(s.index)
            if key(other) != base or constant in stored or s.value.type.is_vector():
                return False
            stored.add(constant)
    return True
