"""Summaries as Halide Python source that runs under the package `halide` and under `halide_core`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from codegen.parts import in_parts
from codegen.plan import PathPlan, coordinate_name, image_tables, plan_path, repeated, used_functions
from codegen.printer import PythonPrinter
from halide_core.ir.expr import Expr
from halide_core.ir.structural import post_order
from lifter.loops import Function, PureFunction
from lifter.poly import Poly, from_poly
from lifter.summary import Definition, FuncSummary, Layout, Summary
from verifier.contract import index_text_of

HEADER = '''"""{title}

{body}
"""

from __future__ import annotations

import numpy as np

try:
    import halide as hl
except ImportError:
    import halide_core as hl
'''


WHOLE = '''def _whole(number):
    """A floating-point number as an int."""
    return int(number) if abs(number) < 2**31 else -(2**31)
'''


def dsl_module(summary: Summary, file: str, unverified: bool = False) -> str:
    """Source of a module with, for each path, `build` (inputs, parameters and outputs), and `regions`, the boxes of the
    caller's memory that the images stand for."""
    function = summary.function
    state = "NOT VERIFIED" if unverified else "verified"
    lines = [f"Lifted from {PurePath(file).name}, line {function.line} ({state}):", f"    {signature(function)}", ""]
    lines += ["Holds when:", *_contract_lines(summary)]
    title = f"{function.name} as a Halide pipeline."
    body = "\n".join(lines).replace("\\", "\\\\")
    parts = [HEADER.format(title=title, body=body)]
    for f in used_functions(summary):
        parts.append(_pure_function(f))
    many = len(summary.paths) > 1
    for number, _ in enumerate(summary.paths):
        plan = plan_path(summary, number)
        suffix = f"_{number}" if many else ""
        parts.append(_build(summary, plan, suffix))
        parts.append(_regions(summary, plan, suffix))
    parts.append(_variants(summary))
    if any("_whole(" in p for p in parts):
        parts.insert(1, WHOLE)
    return "\n\n".join(p.rstrip() + "\n" for p in parts)


def signature(function: Function) -> str:
    """The C signature."""
    args = ", ".join(f"{p.c_type} {p.name}" for p in function.params)
    return f"{function.c_return_type} {function.name}({args})"


def _contract_lines(summary: Summary) -> list[str]:
    lines: list[str] = []
    for number, path in enumerate(summary.paths):
        if len(summary.paths) > 1:
            conditions = " and ".join(index_text_of(c) for c in path.conditions) or "otherwise"
            lines.append(f"  variant {number} ({conditions}):")
        lines += [f"    {i.text}" for i in path.contract] or ["    (always)"]
    return lines


def _pure_function(f: PureFunction) -> str:
    printer = PythonPrinter()
    args = ", ".join(printer.name(n) for n, _ in f.params)
    return f"def {printer.name(f.name)}({args}):\n    return {printer.operand(f.body, None)}"


def _build(summary: Summary, plan: PathPlan, suffix: str) -> str:
    printer = PythonPrinter(taken=plan.names())
    out = [f"def build{suffix}():", '    """Returns (images, parameters, outputs), each by name."""']
    if plan.coordinates:
        names = ", ".join(printer.name(n) for n in plan.coordinates)
        values = ", ".join(f'hl.Var("{n}")' for n in plan.coordinates)
        out.append(f"    {names} = {values}")
    for p in plan.parameters:
        out.append(f'    {printer.name(p.name)} = hl.Param({printer.type_text(p.type)}, "{p.name}")')
    for image in plan.images:
        rank = len(image.layout.dims)
        out.append(
            f'    {printer.name(image.name)} = hl.ImageParam({printer.type_text(image.type)}, {rank}, "{image.name}")'
        )
    for table in image_tables(summary, plan):
        dtype = f"np.{table.type}" if not table.type.is_bool() else "np.bool_"
        values = ", ".join(repr(v) for v in table.values)
        # Halide does not keep an array alive, only its own copy of one.
        out.append(f"    {printer.name(table.name)} = hl.Buffer(np.array([{values}], dtype={dtype})).copy()")
    for f in plan.path.funcs:
        out += ["", *_func(f, printer, f.name in plan.intermediate)]
    if plan.path.result is not None:
        out += ["", f'    {plan.result_name} = hl.Func("{plan.result_name}")']
        parts, value = in_parts(plan.path.result, printer.taken)
        out += [f"    {part} = {printer.operand(e, None)}" for part, e in parts]
        out.append(f"    {plan.result_name}[()] = {_strict(value, printer)}")
    out.append("")
    images = ", ".join(f'"{i.name}": {printer.name(i.name)}' for i in plan.images)
    params = ", ".join(f'"{p.name}": {printer.name(p.name)}' for p in plan.parameters)
    outputs = [(f.name, printer.name(f.name)) for f in plan.outputs]
    if plan.path.result is not None:
        outputs.append((plan.result_name, plan.result_name))
    results = ", ".join(f'"{n}": {v}' for n, v in outputs)
    out.append(f"    return {{{images}}}, {{{params}}}, {{{results}}}")
    return "\n".join(out)


def _func(f: FuncSummary, printer: PythonPrinter, intermediate: bool) -> list[str]:
    name = printer.name(f.name)
    out = [f'    {name} = hl.Func("{f.name}")']
    if f.undefined:
        coords = [printer.name(d.name) for d in f.layout.dims]
        out.append(f"    {printer.access(name, coords)} = {printer.undef(f.type)}")
    for number, d in enumerate(f.definitions):
        out += _definition(f, d, printer, number)
    if intermediate:
        out.append(f"    {name}.compute_root()")
    return out


def _definition(f: FuncSummary, d: Definition, printer: PythonPrinter, number: int) -> list[str]:
    name = printer.name(f.name)
    out = []
    if d.rdom:
        extents = ", ".join(f"(0, {_coordinate(r.extent, printer)})" for r in d.rdom)
        out.append(f'    r = hl.RDom([{extents}], "r{number}")')
    if d.where is not None:
        out.append(f"    r.where({printer.operand(d.where, None)})")
    left = printer.access(name, [printer.text(a) for a in d.args])
    parts, value = in_parts(repeated(f, d, d.value), printer.taken)
    out += [f"    {part} = {printer.operand(e, None)}" for part, e in parts]
    out.append(f"    {left} = {_strict(value, printer)}")
    return out


def _coordinate(p: Poly, printer: PythonPrinter) -> str:
    from halide_core.ir.types import Int

    return printer.operand(from_poly(p, Int(32)), None)


def _strict(e: Expr, printer: PythonPrinter) -> str:
    text = printer.operand(e, None)
    floats = any(n.type.is_float() for n in post_order(e))
    return f"hl.strict_float({text})" if floats and e.type.is_float() else text


def _regions(summary: Summary, plan: PathPlan, suffix: str) -> str:
    names = ", ".join(PythonPrinter().name(p.name) for p in summary.function.params if not p.pointer)
    out = ['@np.errstate(all="ignore")', f"def regions{suffix}({names}):"]
    out.append(
        '    """name: (pointer parameter, offset, ((min, extent, stride), ...)), in elements, innermost first."""'
    )
    out.append("    return {")
    for name, layout in [*((i.name, i.layout) for i in plan.images), *((f.name, f.layout) for f in plan.outputs)]:
        out.append(f'        "{name}": {_layout(layout)},')
    if plan.path.result is not None:
        out.append(f'        "{plan.result_name}": ("", 0, ()),')
    out.append("    }")
    if not any("np." in line for line in out[1:]):
        del out[0]  # integers only
    return "\n".join(out)


def _layout(layout: Layout) -> str:
    dims = "".join(
        f"({_number(d.min)}, {_number(d.extent)}, {_number(d.stride or Poly())}), " for d in layout.dims
    ).rstrip()
    return f'("{layout.array}", {_number(layout.offset)}, ({dims}))'


def _number(p: Poly) -> str:
    return coordinate_name(from_poly(p), PythonPrinter().name)


def _variants(summary: Summary) -> str:
    names = ", ".join(PythonPrinter().name(p.name) for p in summary.function.params if not p.pointer)
    out = [
        f"def variant({names}):",
        '    """(build, regions) for these parameters, or None where nothing is computed or nothing is promised."""',
    ]
    many = len(summary.paths) > 1
    for number, path in enumerate(summary.paths):
        suffix = f"_{number}" if many else ""
        conditions = [*path.conditions, *(i.condition for i in path.contract if i.condition is not None)]
        text = " and ".join(coordinate_name(c, PythonPrinter().name) for c in conditions) or "True"
        out.append(f"    if {text}:")
        out.append(
            f"        return build{suffix}, regions{suffix}"
            if path.funcs or path.result is not None
            else "        return None"
        )
    out.append("    return None")
    return "\n".join(out)


def dsl_source(summaries: Sequence[Summary], file: str) -> dict[str, str]:
    """Module source by function name."""
    return {s.function.name: dsl_module(s, file) for s in summaries}
