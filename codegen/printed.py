"""What is printed of a path: its definitions in the part of the language that the package `halide` shares."""

from __future__ import annotations

from dataclasses import dataclass

from codegen.intervals import known_of
from codegen.plan import PathPlan, repeated
from codegen.portable import Portable
from halide_core.ir import expr as E
from halide_core.ir.expr import Call, CallType, Expr
from halide_core.ir.structural import post_order
from halide_core.ir.types import Int
from lifter.loops import PureFunction
from lifter.poly import from_poly
from lifter.summary import Definition, FuncSummary, PathSummary, Summary

_COMPARISONS = (E.LT, E.LE, E.GT, E.GE, E.EQ, E.NE)
_COMPUTED = (E.Add, E.Sub, E.Mul, E.Div, E.Mod, E.Min, E.Max)


@dataclass(frozen=True, slots=True)
class PrintedDefinition:
    """func(args) = value, over the domain `extents` (from 0) `where` a condition holds."""

    args: tuple[Expr, ...]
    value: Expr
    extents: tuple[Expr, ...]
    names: tuple[str, ...]
    """Of the variables of the domain."""
    where: Expr | None


def printed_definition(path: PathSummary, f: FuncSummary, d: Definition) -> PrintedDefinition:
    """One definition as it is printed."""
    conditions = (*path.conditions, *(i.condition for i in path.contract if i.condition is not None))
    portable = Portable(known_of(f, d, conditions))
    extents = tuple(portable.coordinate(from_poly(r.extent, Int(32))) for r in d.rdom)
    where = None if d.where is None else portable.coordinate(d.where)
    args = tuple(portable.coordinate(a) for a in d.args)
    value = portable.value(repeated(f, d, d.value))
    return PrintedDefinition(args, value, extents, tuple(r.name for r in d.rdom), where)


def printed_result(plan: PathPlan) -> Expr:
    """What a path returns."""
    assert plan.path.result is not None
    return Portable().value(plan.path.result)


def printed_body(f: PureFunction) -> Expr:
    """What a scalar function returns, whatever its arguments."""
    return Portable().value(f.body)


def computes_floats(e: Expr, summary: Summary) -> bool:
    """Whether anything is computed with floats, for which Halide must be told to do as is written."""
    for n in post_order(e):
        if isinstance(n, Call) and n.call_type is CallType.FUNCTION:
            if computes_floats(summary.functions[n.name].body, summary):
                return True
        elif isinstance(n, _COMPARISONS):
            if n.a.type.is_float():
                return True
        elif n.type.is_float() and (isinstance(n, _COMPUTED) or (isinstance(n, Call) and not _is_read(n))):
            return True
    return False


def _is_read(n: Call) -> bool:
    return n.call_type in (CallType.IMAGE, CallType.HALIDE)
