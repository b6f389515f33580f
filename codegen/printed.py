"""What is printed of a path: its definitions in the part of the language that the package `halide` shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from codegen.intervals import known_of
from codegen.plan import PathPlan, plan_path, repeated
from codegen.portable import Portable
from codegen.tight import tight_layouts
from halide_core.ir import expr as E
from halide_core.ir.expr import Call, CallType, Expr, Variable
from halide_core.ir.structural import post_order
from halide_core.ir.types import Int
from lifter.algebra.polynomial import from_poly
from lifter.ir.loop_ir import Param, PureFunction
from lifter.ir.summary import Definition, FuncSummary, Layout, PathSummary, Summary

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


@dataclass(frozen=True, slots=True)
class PrintedPath:
    """One path as it is printed."""

    plan: PathPlan
    definitions: Mapping[str, tuple[PrintedDefinition, ...]]
    """Of each Func, in order."""
    result: Expr | None
    parameters: tuple[Param, ...]
    """Scalar parameters that are mentioned."""
    layouts: Mapping[str, Layout]
    """The boxes of the images and of the outputs."""

    def expressions(self) -> Iterator[Expr]:
        """All that is printed."""
        for made in (d for definitions in self.definitions.values() for d in definitions):
            yield from (made.value, *made.args, *made.extents, *([] if made.where is None else [made.where]))
        if self.result is not None:
            yield self.result


def _printed_path(summary: Summary, number: int) -> PrintedPath:
    """Path `number` as it is printed."""
    plan = plan_path(summary, number)
    path = plan.path
    tight = tight_layouts(path)
    definitions = {f.name: tuple(_definition(path, f, d, tight) for d in f.definitions) for f in path.funcs}
    layouts = {i.name: tight.get(i.name, i.layout) for i in plan.images} | {f.name: f.layout for f in plan.outputs}
    result = None if path.result is None else Portable().value(path.result)
    made = PrintedPath(plan, definitions, result, (), layouts)
    mentioned = {n.name for e in made.expressions() for n in post_order(e) if isinstance(n, Variable)}
    parameters = tuple(p for p in summary.function.params if not p.pointer and p.name in mentioned)
    return replace(made, parameters=parameters)


_LAST: dict[int, tuple[Summary, tuple[PrintedPath, ...]]] = {}
"""What was made of one summary, by its id: its texts are written one after the other."""


def printed_paths(summary: Summary) -> tuple[PrintedPath, ...]:
    """All paths."""
    if id(summary) not in _LAST:
        made = tuple(_printed_path(summary, number) for number in range(len(summary.paths)))
        _LAST.clear()
        _LAST[id(summary)] = summary, made
    return _LAST[id(summary)][1]


def _definition(
    path: PathSummary, f: FuncSummary, d: Definition, tight: Mapping[str, Layout]
) -> PrintedDefinition:
    conditions = (*path.conditions, *(i.condition for i in path.contract if i.condition is not None))
    boxes = {name: tight.get(name, layout) for name, layout in path.layouts().items() if name != f.name}
    portable = Portable(known_of(f, d, conditions), boxes, tight.keys())
    extents = tuple(portable.coordinate(from_poly(r.extent, Int(32))) for r in d.rdom)
    where = None if d.where is None else portable.condition(d.where)
    args = tuple(portable.coordinate(a) for a in d.args)
    value = portable.value(repeated(f, d, d.value))
    return PrintedDefinition(args, value, extents, tuple(r.name for r in d.rdom), where)


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
