"""What every code generator needs to know of one path: its images, parameters, coordinates and outputs."""

from __future__ import annotations

from dataclasses import dataclass

from codegen import reserved
from halide_core.ir import expr as E
from halide_core.ir.expr import I32, Call, CallType, Expr, Variable, const
from halide_core.ir.structural import post_order
from lifter.algebra.polynomial import from_poly
from lifter.ir.loop_ir import ConstArray, Param, PureFunction
from lifter.ir.summary import Definition, FuncSummary, InputSummary, PathSummary, Summary, var


@dataclass(frozen=True, slots=True)
class PathPlan:
    """One path, ready to be written out."""

    path: PathSummary
    images: tuple[InputSummary, ...]
    """Images of the caller's that are read, constant tables left out."""
    tables: tuple[InputSummary, ...]
    parameters: tuple[Param, ...]
    """Scalar parameters that the definitions mention."""
    coordinates: tuple[str, ...]
    outputs: tuple[FuncSummary, ...]
    """Funcs whose points the caller sees; of several on one array, the last."""
    intermediate: frozenset[str]
    result_name: str

    def names(self) -> frozenset[str]:
        """All names that what is written of the path may use."""
        calls = {n.name for e in path_expressions(self.path) for n in post_order(e) if isinstance(n, Call)}
        images = {i.name for i in (*self.images, *self.tables)}
        own = {p.name for p in self.parameters} | {f.name for f in self.path.funcs}
        return frozenset(calls | images | own | set(self.coordinates) | {self.result_name})


def plan_path(summary: Summary, number: int) -> PathPlan:
    """The plan of path `number`."""
    path = summary.paths[number]
    function = summary.function
    tables = tuple(i for i in path.inputs if i.layout.array in function.tables)
    images = tuple(i for i in path.inputs if i.layout.array not in function.tables)
    expressions = path_expressions(path)
    expressions += [from_poly(r.extent) for f in path.funcs for d in f.definitions for r in d.rdom]
    mentioned = {n.name for e in expressions for n in post_order(e) if isinstance(n, Variable)}
    bodies = [f.body for f in used_functions(summary)]
    assert not any(isinstance(n, E.Load) for b in bodies for n in post_order(b))
    parameters = tuple(p for p in function.params if not p.pointer and p.name in mentioned)
    coordinates = tuple(dict.fromkeys(d.name for f in path.funcs for d in f.layout.dims))
    last: dict[str, FuncSummary] = {}
    for f in path.funcs:
        if f.output:
            last[f.layout.array] = f
    outputs = tuple(last.values())
    intermediate = frozenset(f.name for f in path.funcs if f not in outputs)
    taken = {f.name for f in path.funcs} | {p.name for p in function.params}
    result_name = "result"
    while result_name in taken:
        result_name += "_"
    return PathPlan(path, images, tables, parameters, coordinates, outputs, intermediate, result_name)


def repeated(f: FuncSummary, d: Definition, value: Expr) -> Expr:
    """`value`, made to mention the reduction domain of `d`: Halide finds a definition's domain in what it mentions, and
    an update that is the same in each of its points (`d[x] += 16`) would be made once."""
    names = {r.name for r in d.rdom}
    if not names or any(isinstance(n, Variable) and n.name in names for e in (value, *d.args) for n in post_order(e)):
        return value
    always = E.GE(E.BOOL, var(d.rdom[0].name), const(0, I32))
    return E.Select(value.type, always, value, Call(f.type, f.name, d.args, CallType.HALIDE))


def path_expressions(path: PathSummary) -> list[Expr]:
    """Every expression in the definitions of a path, left-hand sides and the result included."""
    found = [x for f in path.funcs for d in f.definitions for x in d.expressions()]
    return found + ([path.result] if path.result is not None else [])


def image_tables(summary: Summary, plan: PathPlan) -> list[ConstArray]:
    """The constant tables that a path reads."""
    return [summary.function.tables[i.layout.array] for i in plan.tables]


def used_functions(summary: Summary) -> list[PureFunction]:
    """The pure functions that the summary calls, callees first."""
    out: dict[str, PureFunction] = {}

    def visit(e: Expr) -> None:
        for n in post_order(e):
            if isinstance(n, Call) and n.call_type is CallType.FUNCTION and n.name in summary.functions:
                f = summary.functions[n.name]
                if f.name not in out:
                    visit(f.body)
                    out[f.name] = f

    for path in summary.paths:
        for e in path_expressions(path):
            visit(e)
    return list(out.values())


def function_names(summary: Summary) -> dict[str, str]:
    """What the text calls the pure functions: their own names, where nothing else in it has these."""
    taken = set(reserved.PYTHON)
    for number in range(len(summary.paths)):
        taken |= plan_path(summary, number).names() - summary.functions.keys()
        taken |= {f"build_{number}", f"regions_{number}"}
    taken |= {p.name for p in summary.function.params}
    names = {}
    for f in used_functions(summary):
        name = f.name
        while name in taken:
            name += "_"
        names[f.name] = name
        taken.add(name)
    return names
