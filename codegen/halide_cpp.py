"""Summaries as Halide C++ generators (paper, section 5.4)."""

from __future__ import annotations

from pathlib import PurePath

from codegen.device_text import ScheduledText
from codegen.halide_python import renamed, signature
from codegen.notation import result_lines
from codegen.plan import image_tables, used_functions
from codegen.printed import PrintedDefinition, PrintedPath, computes_floats, printed_body, printed_paths
from codegen.printer import CppPrinter
from codegen.shared_subexpressions import in_parts
from halide_core.autoschedule.device.scheduler import DeviceSchedule
from halide_core.ir.expr import Expr
from lifter.ir.loop_ir import PureFunction
from lifter.ir.summary import FuncSummary, Summary
from lifter.support.shown import shown
from verifier.contract import index_text_of


def generator_source(
    summary: Summary, file: str, unverified: bool = False, device: ScheduledText | None = None
) -> str:
    """A C++ file that registers one generator a path, named as the function (numbered where there are several).
    `device`: the schedules for one, which targets with a device take."""
    if device is not None:
        summary = device.summary
    function = summary.function
    state = "NOT VERIFIED" if unverified else "verified"
    name = shown(PurePath(file).name)
    out = [f"// Lifted from {name}, line {function.line} ({state}):", f"//     {signature(function)}"]
    out += [f"// {line}" for line in result_lines(function)]
    out += [f"// {line}" for line in renamed(summary, CppPrinter().name)]
    out += [] if device is None else [f"// {line}".rstrip() for line in device.words()]
    out += ['#include "Halide.h"', "", "namespace {", "", "using namespace Halide;", ""]
    for f in used_functions(summary):
        out += [_pure_function(f), ""]
    many = len(summary.paths) > 1
    registrations = []
    for number, path in enumerate(summary.paths):
        if not path.funcs and path.result is None:
            continue
        name = f"{function.name}_{number}" if many else function.name
        out += [f"// Holds when: {index_text_of(c)}" for c in path.conditions]
        out += [f"// Holds when: {i.text}" for i in path.contract]
        schedule = None if device is None else device.schedules[number]
        out += [_generator(summary, printed_paths(summary)[number], name, schedule), ""]
        registrations.append(f"HALIDE_REGISTER_GENERATOR(Generator_{name}, {name})")
    return "\n".join([*out, "}  // namespace", "", *registrations, ""])


def _pure_function(f: PureFunction) -> str:
    printer = CppPrinter()
    args = ", ".join(f"Expr {printer.name(n)}" for n, _ in f.params)
    return f"Expr {printer.name(f.name)}({args}) {{\n    return {printer.operand(printed_body(f), None)};\n}}"


def _generator(summary: Summary, printed: PrintedPath, name: str, schedule: DeviceSchedule | None) -> str:
    plan = printed.plan
    printer = CppPrinter(taken=plan.names() | {p.name for p in printed.parameters})
    out = [f"class Generator_{name} : public Generator<Generator_{name}> {{", "public:"]
    for image in plan.images:
        t = f"Input<Buffer<{printer.type_text(image.type)}, {len(image.layout.dims)}>>"
        out.append(f'    {t} {printer.name(image.name)}{{"{image.name}"}};')
    for p in printed.parameters:
        out.append(f'    Input<{printer.type_text(p.type)}> {printer.name(p.name)}{{"{p.name}"}};')
    for f in plan.outputs:
        t = f"Output<Buffer<{printer.type_text(f.type)}, {len(f.layout.dims)}>>"
        out.append(f'    {t} {printer.name(f.name)}{{"{f.name}"}};')
    if plan.path.result is not None:
        t = f"Output<Buffer<{printer.type_text(plan.path.result.type)}, 0>>"
        out.append(f'    {t} {plan.result_name}{{"{plan.result_name}"}};')
    out += ["", "    void generate() {"]
    if plan.coordinates:
        out.append("        Var " + ", ".join(f'{printer.name(n)}{{"{n}"}}' for n in plan.coordinates) + ";")
    for table in image_tables(summary, plan):
        t = printer.type_text(table.type)
        values = ", ".join(
            printer.constant(v, table.type).removeprefix("Expr(").removesuffix(")") if table.type.is_float() else str(v)
            for v in table.values
        )
        out.append(f"        static {t} {table.name}_values[] = {{{values}}};")
        out.append(f"        Buffer<{t}> {table.name}({table.name}_values, {len(table.values)});")
    for f in plan.path.funcs:
        if f.name in plan.intermediate:
            out.append(f'        Func {printer.name(f.name)}{{"{f.name}"}};')
        out += _func(summary, printed, f, printer)
        if f.name in plan.intermediate:
            out.append(f"        {printer.name(f.name)}.compute_root();")
    if printed.result is not None:
        out += [f"        {a}" for a in _assigned(summary, f"{plan.result_name}()", printed.result, printer)]
    if schedule is not None and schedule.on_device:
        made = schedule.schedule.lines(False, printer.name, plan.coordinates)
        lines = (f"            {line}".rstrip() for line in made)
        out += ["        if (get_target().has_gpu_feature()) {", *lines, "        }"]
    return "\n".join([*out, "    }", "};"])


def _func(summary: Summary, printed: PrintedPath, f: FuncSummary, printer: CppPrinter) -> list[str]:
    out = []
    if f.undefined:
        coords = [printer.name(d.name) for d in f.layout.dims]
        out.append(f"        {printer.access(printer.name(f.name), coords)} = {printer.undef(f.type)};")
    name = printer.name(f.name)
    for number, made in enumerate(printed.definitions[f.name]):
        out += ["        " + line for line in _definition(summary, name, made, printer, number)]
    return out


def _definition(
    summary: Summary, name: str, made: PrintedDefinition, printer: CppPrinter, number: int
) -> list[str]:
    left = [_strict(a, summary, printer) if computes_floats(a, summary) else printer.text(a) for a in made.args]
    assignments = _assigned(summary, printer.access(name, left), made.value, printer)
    if not made.names:
        return ["{", *(f"    {a}" for a in assignments), "}"] if len(assignments) > 1 else assignments
    bounds = ", ".join(f"{{0, {printer.operand(e, None)}}}" for e in made.extents)
    applied = [] if made.where is None else [f"r.where({_strict(made.where, summary, printer)});"]
    lines = [f'RDom r({{{bounds}}}, "r{number}");', *applied, *assignments]
    return ["{", *(f"    {line}" for line in lines), "}"]


def _assigned(summary: Summary, left: str, e: Expr, printer: CppPrinter) -> list[str]:
    parts, value = in_parts(e, printer.taken)
    out = [f"Expr {part} = {printer.operand(p, None)};" for part, p in parts]
    text = printer.operand(value, None)
    return [*out, f"{left} = {printer.strict(text) if computes_floats(e, summary) else text};"]


def _strict(e: Expr, summary: Summary, printer: CppPrinter) -> str:
    text = printer.operand(e, None)
    return printer.strict(text) if computes_floats(e, summary) else text
