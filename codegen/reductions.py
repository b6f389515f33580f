"""Updates of lifted functions as reductions that Halide takes apart: f(args) = f(args) op e, in any order.

    n() = select(c, n() + e, n())                          ->   n() += select(c, e, 0)
    m() = select(e > m(), e, m())                          ->   m() = max(m(), e)
    sum() = 0;  sum() = int32(uint32(sum()) + uint32(e))   ->   sum_bits() = uint32(0);  sum_bits() += uint32(e)
                                                                sum() = int32(sum_bits())

A sum that goes on from what the memory holds is made from 0 on and added to that.  Sums of integers wrap in the
language; in Halide those of signed ones of 32 bits and more do not, so that they are made of unsigned ones, which are
the same modulo the range of the type."""

from __future__ import annotations

import itertools
from collections.abc import Container
from dataclasses import dataclass, replace

from halide_core.ir import expr as E
from halide_core.ir.expr import Call, CallType, Cast, Expr, Select, const
from halide_core.ir.operators import cast_to
from halide_core.ir.structural import key, post_order
from halide_core.ir.types import Type, UInt
from lifter.ir.summary import Definition, FuncSummary, PathSummary, Summary, var
from verifier.sign_queries import same_values

_GREATER: dict[type[Expr], bool] = {E.GT: True, E.GE: True, E.LT: False, E.LE: False}


def as_reductions(summary: Summary) -> Summary:
    """`summary`, with its updates as reductions where they are, and Funcs beside those that are sums."""
    return replace(summary, paths=tuple(map(_path, summary.paths)))


def _path(path: PathSummary) -> PathSummary:
    taken = {f.name for f in path.funcs} | {i.name for i in path.inputs}
    funcs: list[FuncSummary] = []
    for f in path.funcs:
        made = _rewritten(f, taken)
        funcs += made
        taken |= {g.name for g in made}
    return path if all(a is b for a, b in zip(funcs, path.funcs, strict=False)) else replace(path, funcs=tuple(funcs))


@dataclass(frozen=True, slots=True)
class _Step:
    """What an update does to an element: `node` (Add, Min or Max; None: nothing) with `operand`."""

    node: type[E.Add] | type[E.Min] | type[E.Max] | None = None
    operand: Expr | None = None


def _rewritten(f: FuncSummary, taken: Container[str]) -> list[FuncSummary]:
    """`f`, or the sum and the Func that has its values."""
    first = None if f.undefined else f.definitions[0]
    updates = list(f.definitions[first is not None :])
    if not f.type.is_int_or_uint() or f.type.is_bool() or not updates:
        return [f]
    wraps = f.type.is_int() and f.type.bits >= 32
    t = UInt(f.type.bits) if wraps else f.type
    steps = [_step(f, d, t) if d.rdom else None for d in updates]
    if wraps and all(s is not None and s.node is E.Add for s in steps):
        return _as_bits(f, first, updates, [s.operand for s in steps if s is not None], t, taken)
    made = [
        d if s is None or s.node is None or (wraps and s.node is E.Add) else _updated(f.name, f.type, d, s)
        for d, s in zip(updates, steps, strict=True)
    ]
    if all(a is b for a, b in zip(made, updates, strict=True)):
        return [f]
    return [replace(f, definitions=(*([] if first is None else [first]), *made))]


def _updated(name: str, t: Type, d: Definition, s: _Step) -> Definition:
    assert s.node is not None and s.operand is not None
    value = s.node(t, Call(t, name, d.args, CallType.HALIDE), s.operand)
    return d if key(value) == key(d.value) else replace(d, value=value, origin=None, steps=(), maps=())


def _as_bits(
    f: FuncSummary, first: Definition | None, updates: list[Definition], terms: list[Expr | None], t: Type,
    taken: Container[str],
) -> list[FuncSummary]:
    """The sum from `first` on, or, without that, from 0, which is added to what the memory holds."""
    numbered = (f"{f.name}_bits{n}" for n in itertools.count(2))
    name = next(n for n in itertools.chain([f"{f.name}_bits"], numbered) if n not in taken)
    args = tuple(var(x.name) for x in f.layout.dims)
    start = Definition(args, const(0, t), ())
    if first is not None:
        start = replace(first, value=cast_to(t, first.value), origin=None, steps=(), maps=())
    made = [start]
    made += [_updated(name, t, d, _Step(E.Add, term)) for d, term in zip(updates, terms, strict=True)]
    total: Expr = Call(t, name, args, CallType.HALIDE)
    if first is None:
        total = E.Add(t, Cast(t, Call(f.type, f.name, args, CallType.HALIDE)), total)
    values = Definition(args, cast_to(f.type, total), (), update=first is None)
    bits = replace(f, name=name, type=t, definitions=tuple(made), output=False, undefined=False)
    return [bits, replace(f, definitions=(values,))]


def _step(f: FuncSummary, d: Definition, t: Type) -> _Step | None:
    """What an update does, with what it adds in type `t`; None where it is something else."""
    beside = (*d.args, *([] if d.where is None else [d.where]))
    if _reads(f, *beside):
        return None
    found = _of(f, d, d.value, t)
    if found is None or found.node is None or found.operand is None:
        return found
    own = Call(f.type, f.name, d.args, CallType.HALIDE)
    kind = t if found.node is E.Add else f.type
    made = cast_to(f.type, found.node(kind, cast_to(kind, own), found.operand))
    # Nothing is taken from the rules above without a proof.
    return found if same_values((), d.value, made) else None


def _of(f: FuncSummary, d: Definition, v: Expr, t: Type) -> _Step | None:
    if _is_own(v, f, d):
        return _Step()
    if isinstance(v, Select):
        return _chosen(f, d, v, t)
    if isinstance(v, E.Add | E.Min | E.Max | E.Sub):
        sides = ((v.a, v.b), (v.b, v.a)) if not isinstance(v, E.Sub) else ((v.a, v.b),)
        for mine, other in sides:
            inner = _of(f, d, mine, t) if not _reads(f, other) else None
            if inner is None:
                continue
            if isinstance(v, E.Add | E.Sub):
                term = cast_to(t, other)
                term = E.Sub(t, const(0, t), term) if isinstance(v, E.Sub) else term
                return _joined(inner, _Step(E.Add, term))
            return _joined(inner, _Step(type(v), other))
    return None


def _joined(first: _Step, then: _Step) -> _Step | None:
    """Two steps on one element as one."""
    if first.node is None:
        return then
    if first.node is not then.node or first.operand is None or then.operand is None:
        return None
    return _Step(first.node, first.node(first.operand.type, first.operand, then.operand))


def _chosen(f: FuncSummary, d: Definition, v: Select, t: Type) -> _Step | None:
    extreme = _extreme(f, d, v)
    if extreme is not None:
        return extreme
    if _reads(f, v.condition):
        return None
    arms = [_of(f, d, e, t) for e in (v.true_value, v.false_value)]
    known = [a for a in arms if a is not None]
    nodes = {a.node for a in known if a.node is not None}
    if len(known) < 2 or len(nodes) != 1:
        return None
    (node,) = nodes
    kind = t if node is E.Add else f.type
    neutral = const(0 if node is E.Add else kind.max() if node is E.Min else kind.min(), kind)
    one, two = (neutral if a.operand is None else a.operand for a in known)
    return _Step(node, Select(kind, v.condition, one, two))


def _extreme(f: FuncSummary, d: Definition, v: Select) -> _Step | None:
    """select(e > own, e, own), and its like."""
    c = v.condition
    greater = _GREATER.get(type(c))
    if greater is None or not isinstance(c, E.LT | E.LE | E.GT | E.GE):
        return None
    for e, own, more in ((c.a, c.b, greater), (c.b, c.a, not greater)):
        if not _is_own(own, f, d) or _reads(f, e) or e.type != f.type:
            continue
        if key(v.true_value) == key(e) and _is_own(v.false_value, f, d):
            return _Step(E.Max if more else E.Min, e)
        if key(v.false_value) == key(e) and _is_own(v.true_value, f, d):
            return _Step(E.Min if more else E.Max, e)
    return None


def _is_own(e: Expr, f: FuncSummary, d: Definition) -> bool:
    if not isinstance(e, Call) or e.call_type is not CallType.HALIDE or e.name != f.name:
        return False
    return list(map(key, e.args)) == list(map(key, d.args))


def _reads(f: FuncSummary, *expressions: Expr) -> bool:
    calls = (n for e in expressions for n in post_order(e) if isinstance(n, Call))
    return any(n.name == f.name and n.call_type is CallType.HALIDE for n in calls)
