"""Reductions split into independent partial reductions (Halide's rfactor), for associative integer updates."""

from __future__ import annotations

from collections.abc import Mapping

from halide_core.dsl.variables import DOMAINS
from halide_core.function import Definition, Dim, Function, LoopLevel, ReductionDomain, StageSchedule
from halide_core.ir import expr as ir
from halide_core.ir.expr import I32, I64, Call, CallType, Expr, Variable, const
from halide_core.ir.operators import cast_to
from halide_core.ir.simplify import simplify, simplify_index
from halide_core.ir.structural import substitute
from halide_core.passes.races import associative_operation

_POINTS_PER_STRIP = 8192
# Where each point of the domain is a whole row.
_ROWS_PER_STRIP = 64


def neutral(operation: Expr) -> Expr | None:
    """The value that the operation of an update leaves others unchanged by; of a subtraction 0."""
    t = operation.type
    match operation:
        case ir.Add() | ir.Sub():
            return const(0, t)
        case ir.Mul():
            return const(1, t)
        case ir.Min():
            return const(t.max(), t)
        case ir.Max():
            return const(t.min(), t)
        case Call(name="bitwise_or" | "bitwise_xor"):
            return const(0, t)
        case Call(name="bitwise_and"):
            return const(-1, t)
    return None


def split_reduction(f: Function, index: int, strips: int, tables: int = 1) -> Function | None:
    """Rewrites update `index` of `f` over partial results and returns the Function that holds them, or None.

    The partial results have two more dimensions: the strip of the outermost reduction variable, and with `tables`
    > 1 the innermost one modulo `tables`.  Exact, since the operation is one of integers whose order is free."""
    d = f.updates[index]
    found = associative_operation(f, d)
    if found is None or d.domain is None or len(d.values) != 1:
        return None
    operation, operand = found
    start = neutral(operation)
    if start is None:
        return None
    strip_var, table_var = f"{f.name}$u{index}", f"{f.name}$t{index}"
    partial = Function(f"{f.name}$part{index}")
    _, _, extent = d.domain.variables[-1]
    rows = any(isinstance(a, Variable) and a.name == n for a, n in zip(d.args, f.args, strict=True))
    used = _strips_used(d.domain, strips, _ROWS_PER_STRIP if rows else _POINTS_PER_STRIP)
    length = simplify_index(ir.Div(I32, extent + (used - 1), used))
    u = Variable(I32, strip_var)
    values = {n: Variable(I32, f"{n}$p{index}") for n, _, _ in d.domain.variables}
    domain = _strip_of(d.domain, u, length, values)
    extra: list[Expr] = [u]
    names = [strip_var]
    if tables > 1:
        first = domain.variables[0][0]
        extra = [ir.Mod(I32, Variable(I32, first) - domain.variables[0][1], const(tables, I32)), u]
        names = [table_var, strip_var]
    args = tuple(substitute(a, values) for a in d.args)
    target = (*args, *extra)
    t = operation.type
    own = Call(t, partial.name, target, CallType.HALIDE, 0, partial)
    new_operand = substitute(operand, values)
    partial.args = (*f.args, *names)
    partial.storage_order = list(partial.args)
    pure_args = tuple(Variable(I32, n) for n in partial.args)
    partial.pure = Definition(pure_args, (start,), StageSchedule([Dim(n) for n in partial.args]))
    dims = [Dim(n) for n, _, _ in domain.variables]
    pure = [n for a, n in zip(d.args, f.args, strict=True) if isinstance(a, Variable) and a.name == n]
    dims += [Dim(n) for n in (*pure, strip_var)]
    partial.updates = [Definition(target, (_apply(operation, own, new_operand),), StageSchedule(dims), domain)]
    partial.compute = partial.store = LoopLevel()
    partial.bounds[strip_var] = (const(0, I32), const(strips, I32))
    if tables > 1:
        partial.bounds[table_var] = (const(0, I32), const(tables, I32))
    _combine(f, index, partial, operation, used, tables)
    return partial


def _strip_of(whole: ReductionDomain, strip: Expr, length: Expr, renamed: Mapping[str, Variable]) -> ReductionDomain:
    """One strip of the outermost variable of a domain, with its variables under other names."""
    *inner, (name, low, extent) = whole.variables
    rest = ir.Max(I32, ir.Min(I32, length, extent - strip * length), const(0, I32))
    local = renamed[name].name
    domain = ReductionDomain(
        f"{whole.name}$p",
        (*((renamed[n].name, a, e) for n, a, e in inner), (local, low + strip * length, rest)),
        [substitute(p, renamed) for p in whole.predicates],
        {local: (low, low + extent - 1)},
    )
    for n, _, _ in domain.variables:
        DOMAINS[n] = domain
    return domain


def _strips_used(domain: ReductionDomain, strips: int, share: int) -> Expr:
    """Strips worth making: one for every `share` points, at least one and at most `strips`."""
    points: Expr = const(1, I64)
    for _, _, extent in domain.variables:
        points = ir.Mul(I64, points, ir.Cast(I64, ir.Max(I32, extent, const(0, I32))))
    wanted = ir.Div(I64, points, const(share, I64))
    limited = ir.Max(I64, ir.Min(I64, wanted, const(strips, I64)), const(1, I64))
    return simplify(ir.Cast(I32, limited))


def _apply(operation: Expr, mine: Expr, other: Expr) -> Expr:
    if isinstance(operation, Call):
        return Call(operation.type, operation.name, (mine, other), CallType.INTRINSIC)
    assert isinstance(operation, ir._Binary)
    return type(operation)(operation.type, mine, other)


def _combine(f: Function, index: int, partial: Function, operation: Expr, strips: Expr, tables: int) -> None:
    """The update becomes a reduction over strips and tables, for every cell of `f`."""
    ranges: list[tuple[str, Expr]] = [(f"{f.name}$ru{index}", strips)]
    if tables > 1:
        ranges.insert(0, (f"{f.name}$rt{index}", const(tables, I32)))
    domain = ReductionDomain(f"{f.name}$r{index}", tuple((n, const(0, I32), e) for n, e in ranges), [])
    for n, _ in ranges:
        DOMAINS[n] = domain
    args = tuple(Variable(I32, n) for n in f.args)
    t = operation.type
    own = Call(t, f.name, args, CallType.HALIDE, 0, f)
    part = Call(t, partial.name, (*args, *(Variable(I32, n) for n, _ in ranges)), CallType.HALIDE, 0, partial)
    # Partial results of a subtraction are already negative.
    node: Expr = ir.Add(t, own, part) if isinstance(operation, ir.Sub) else _apply(operation, own, part)
    dims = [Dim(n) for n, _ in ranges] + [Dim(n) for n in f.args]
    f.updates[index] = Definition(args, (cast_to(t, node),), StageSchedule(dims), domain)
