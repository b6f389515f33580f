"""Sums of signed integers as sums of unsigned ones, which Halide may put together in any order.

    sum() = 0;  sum() = int32(uint32(sum()) + uint32(e))   ->   sum_bits() = uint32(0);  sum_bits() += uint32(e)
                                                                sum() = int32(sum_bits())

Sums wrap in the language, and in Halide where they are unsigned: both are the sum modulo the range of the type."""

from __future__ import annotations

import itertools
from collections.abc import Container
from dataclasses import replace

from halide_core.ir import expr as E
from halide_core.ir.expr import Call, CallType, Cast, Expr
from halide_core.ir.operators import cast_to
from halide_core.ir.structural import key, post_order
from halide_core.ir.types import Type, UInt
from lifter.ir.summary import Definition, FuncSummary, PathSummary, Summary, var


def with_unsigned_sums(summary: Summary) -> Summary:
    """`summary`, with Funcs beside those that are sums."""
    return replace(summary, paths=tuple(map(_path, summary.paths)))


def _path(path: PathSummary) -> PathSummary:
    taken = {f.name for f in path.funcs} | {i.name for i in path.inputs}
    funcs: list[FuncSummary] = []
    for f in path.funcs:
        made = _apart(f, taken)
        funcs += made
        taken |= {g.name for g in made}
    return path if len(funcs) == len(path.funcs) else replace(path, funcs=tuple(funcs))


def _apart(f: FuncSummary, taken: Container[str]) -> list[FuncSummary]:
    """`f` as the sum and the Func that has its values."""
    if f.undefined or not f.type.is_int() or f.type.bits < 32 or len(f.definitions) < 2:
        return [f]
    first, *updates = f.definitions
    terms = [_term(f, d) for d in updates]
    if not all(d.rdom for d in updates) or any(t is None for t in terms):
        return [f]
    t = UInt(f.type.bits)
    numbered = (f"{f.name}_bits{n}" for n in itertools.count(2))
    name = next(n for n in itertools.chain([f"{f.name}_bits"], numbered) if n not in taken)
    made = [replace(first, value=Cast(t, first.value), origin=None, steps=(), maps=())]
    for d, term in zip(updates, terms, strict=True):
        assert term is not None
        own = Call(t, name, d.args, CallType.HALIDE)
        made.append(replace(d, value=E.Add(t, own, term), origin=None, steps=(), maps=()))
    args = tuple(var(x.name) for x in f.layout.dims)
    values = Definition(args, cast_to(f.type, Call(t, name, args, CallType.HALIDE)), ())
    bits = replace(f, name=name, type=t, definitions=tuple(made), output=False)
    return [bits, replace(f, definitions=(values,))]


def _term(f: FuncSummary, d: Definition) -> Expr | None:
    """What an update adds, unsigned; None where it does something else."""
    v, t = d.value, UInt(f.type.bits)
    if not isinstance(v, E.Add | E.Sub):
        return None
    for mine, other in ((v.a, v.b), (v.b, v.a))[: 2 if isinstance(v, E.Add) else 1]:
        if _is_own(mine, f, d) and not _reads(f, other, *d.args, *([] if d.where is None else [d.where])):
            term = _unsigned(t, other)
            return term if isinstance(v, E.Add) else E.Sub(t, E.const(0, t), term)
    return None


def _unsigned(t: Type, e: Expr) -> Expr:
    return cast_to(t, e)


def _is_own(e: Expr, f: FuncSummary, d: Definition) -> bool:
    if not isinstance(e, Call) or e.call_type is not CallType.HALIDE or e.name != f.name:
        return False
    return list(map(key, e.args)) == list(map(key, d.args))


def _reads(f: FuncSummary, *expressions: Expr) -> bool:
    calls = (n for e in expressions for n in post_order(e) if isinstance(n, Call))
    return any(n.name == f.name and n.call_type is CallType.HALIDE for n in calls)
