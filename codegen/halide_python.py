"""Summaries as Halide Python source that runs under the package `halide` and under `halide_core`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath

from codegen.conditions import NumberText, helpers, pointer_names
from codegen.device_text import ScheduledText
from codegen.differs import differences
from codegen.notation import result_lines
from codegen.plan import function_names, image_tables, used_functions
from codegen.printed import PrintedDefinition, PrintedPath, computes_floats, printed_body, printed_paths
from codegen.printer import PythonPrinter, python_float
from codegen.reading import check_module
from codegen.shared_subexpressions import in_parts
from halide_core.autoschedule.device.scheduler import DeviceSchedule
from halide_core.ir.expr import Expr
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.loop_ir import ConstArray, Function, PureFunction
from lifter.ir.summary import FuncSummary, Layout, Summary
from lifter.support.shown import shown
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


def dsl_module(summary: Summary, file: str, unverified: bool = False, device: ScheduledText | None = None) -> str:
    """Source of a module with, for each path, `build` (inputs, parameters and outputs), and `regions`, the boxes of the
    caller's memory that the images stand for.  `device`: the schedules for one, of which `build` applies its own."""
    if device is not None:
        summary = device.summary
    function = summary.function
    state = "NOT VERIFIED" if unverified else "verified"
    name = shown(PurePath(file).name)
    lines = [f"Lifted from {name}, line {function.line} ({state}):", f"    {signature(function)}", ""]
    lines += [*result_lines(function), ""] if result_lines(function) else []
    lines += ["Holds when:", *_contract_lines(summary)]
    lines += renamed(summary, PythonPrinter().name)
    paths = printed_paths(summary)
    lines += [f"Under the package `halide`: {d}." for d in differences(summary, paths)]
    lines += [] if device is None else device.words()
    title = f"{function.name} as a Halide pipeline."
    body = "\n".join(lines).replace("\\", "\\\\")
    parts = [HEADER.format(title=title, body=body)]
    if device is not None and device.is_made:
        parts.append(f'TARGET = "{device.target}"')
    names = function_names(summary)
    for f in used_functions(summary):
        parts.append(_pure_function(f, names))
    many = len(summary.paths) > 1
    for number, path in enumerate(paths):
        suffix = f"_{number}" if many else ""
        schedule = device.schedules[number] if device is not None and device.is_made else None
        parts.append(_Builder(summary, path, names, schedule).source(suffix))
        parts.append(_regions(summary, path, suffix))
    parts.append(_variants(summary))
    parts[1:1] = helpers("".join(parts))
    text = "\n\n".join(p.rstrip() + "\n" for p in parts)
    check_module(text, summary, paths)
    return text


def signature(function: Function) -> str:
    """The C signature."""
    args = ", ".join(f"{p.c_type} {p.name}" for p in function.params)
    return f"{function.c_return_type} {function.name}({args})"


def renamed(summary: Summary, name: Callable[[str], str]) -> list[str]:
    """A line that says which parameters have other names in the text; none where all have their own."""
    others = [f"{p.name} is {name(p.name)}" for p in summary.function.params if name(p.name) != p.name]
    return [f"Here {', '.join(others)}."] if others else []


def _contract_lines(summary: Summary) -> list[str]:
    lines: list[str] = []
    for number, path in enumerate(summary.paths):
        if len(summary.paths) > 1:
            conditions = " and ".join(index_text_of(c) for c in path.conditions) or "otherwise"
            lines.append(f"  variant {number} ({conditions}):")
        lines += [f"    {i.text}" for i in path.contract] or ["    (always)"]
    return lines


def _pure_function(f: PureFunction, names: Mapping[str, str]) -> str:
    printer = PythonPrinter(names)
    args = ", ".join(printer.name(n) for n, _ in f.params)
    return f"def {names[f.name]}({args}):\n    return {printer.operand(printed_body(f), None)}"


class _Builder:
    """The source of one `build` function."""

    def __init__(
        self, summary: Summary, path: PrintedPath, functions: Mapping[str, str], schedule: DeviceSchedule | None
    ) -> None:
        self.summary, self.path, self.plan, self.schedule = summary, path, path.plan, schedule
        taken = self.plan.names() | frozenset(functions.values()) | {p.name for p in path.parameters}
        self.printer = PythonPrinter(functions, taken)

    def source(self, suffix: str) -> str:
        plan = self.plan
        given = "" if self.schedule is None else "device=True"
        out = [f"def build{suffix}({given}):", '    """Returns (images, parameters, outputs), each by name."""']
        out += [f"    {line}" for line in self._inputs()]
        for f in plan.path.funcs:
            out += ["", *(f"    {line}" for line in self._func(f))]
        if self.path.result is not None:
            out += ["", f'    {plan.result_name} = hl.Func("{plan.result_name}")']
            out += [f"    {line}" for line in self._assigned(f"{plan.result_name}[()]", self.path.result)]
        if self.schedule is not None and self.schedule.on_device:
            made = self.schedule.schedule.lines(True, self.printer.name, plan.coordinates)
            out += ["", "    if device:", *(f"        {line}".rstrip() for line in made)]
        out += ["", f"    return {', '.join(self._returned())}"]
        return "\n".join(out)

    def _inputs(self) -> list[str]:
        printer, plan, out = self.printer, self.plan, []
        if plan.coordinates:
            names = ", ".join(printer.name(n) for n in plan.coordinates)
            out.append(names + " = " + ", ".join(f'hl.Var("{n}")' for n in plan.coordinates))
        for p in self.path.parameters:
            out.append(f'{printer.name(p.name)} = hl.Param({printer.type_text(p.type)}, "{p.name}")')
        for image in plan.images:
            made = f'hl.ImageParam({printer.type_text(image.type)}, {len(image.layout.dims)}, "{image.name}")'
            out.append(f"{printer.name(image.name)} = {made}")
        for table in image_tables(self.summary, plan):
            # Halide does not keep an array alive, only its own copy of one.
            out.append(f"{printer.name(table.name)} = hl.Buffer({_array(table)}).copy()")
        return out

    def _func(self, f: FuncSummary) -> list[str]:
        printer = self.printer
        name = printer.name(f.name)
        out = [f'{name} = hl.Func("{f.name}")']
        if f.undefined:
            coords = [printer.name(d.name) for d in f.layout.dims]
            out.append(f"{printer.access(name, coords)} = {printer.undef(f.type)}")
        for number, made in enumerate(self.path.definitions[f.name]):
            out += self._definition(name, made, number)
        if f.name in self.plan.intermediate:
            out.append(f"{name}.compute_root()")
        return out

    def _definition(self, name: str, made: PrintedDefinition, number: int) -> list[str]:
        out = []
        if made.names:
            extents = ", ".join(f"(0, {self.printer.operand(e, None)})" for e in made.extents)
            out.append(f'r = hl.RDom([{extents}], "r{number}")')
        if made.where is not None:
            out.append(f"r.where({self._strict(made.where)})")
        left = [self._strict(a) if computes_floats(a, self.summary) else self.printer.text(a) for a in made.args]
        return out + self._assigned(self.printer.access(name, left), made.value)

    def _assigned(self, left: str, e: Expr) -> list[str]:
        parts, value = in_parts(e, self.printer.taken)
        out = [f"{part} = {self.printer.operand(p, None)}" for part, p in parts]
        text = self.printer.operand(value, None)
        return [*out, f"{left} = {self.printer.strict(text) if computes_floats(e, self.summary) else text}"]

    def _strict(self, e: Expr) -> str:
        text = self.printer.operand(e, None)
        return self.printer.strict(text) if computes_floats(e, self.summary) else text

    def _returned(self) -> list[str]:
        printer, plan = self.printer, self.plan
        images = ", ".join(f'"{i.name}": {printer.name(i.name)}' for i in plan.images)
        params = ", ".join(f'"{p.name}": {printer.name(p.name)}' for p in self.path.parameters)
        outputs = [(f.name, printer.name(f.name)) for f in plan.outputs]
        if plan.path.result is not None:
            outputs.append((plan.result_name, plan.result_name))
        results = ", ".join(f'"{n}": {v}' for n, v in outputs)
        return [f"{{{images}}}", f"{{{params}}}", f"{{{results}}}"]


def _array(table: ConstArray) -> str:
    # `ulonglong` is the one of two equal types that the package takes.
    dtype = "bool_" if table.type.is_bool() else "ulonglong" if str(table.type) == "uint64" else str(table.type)
    values = ", ".join(python_float(float(v)) if table.type.is_float() else repr(v) for v in table.values)
    return f"np.array([{values}], dtype=np.{dtype})"


def _regions(summary: Summary, path: PrintedPath, suffix: str) -> str:
    names = ", ".join(PythonPrinter().name(p.name) for p in summary.function.params if not p.pointer)
    out = ['@np.errstate(all="ignore")', f"def regions{suffix}({names}):"]
    out.append(
        '    """name: (pointer parameter, offset, ((min, extent, stride), ...)), in elements, innermost first."""'
    )
    out.append("    return {")
    for name, layout in path.layouts.items():
        out.append(f'        "{name}": {_layout(layout)},')
    if path.result is not None:
        out.append(f'        "{path.plan.result_name}": ("", 0, ()),')
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
    return NumberText(PythonPrinter().name, places=True).text(from_poly(p))


def _variants(summary: Summary) -> str:
    function = summary.function
    groups = [[*p.conditions, *(i.condition for i in p.contract if i.condition is not None)] for p in summary.paths]
    pointers = pointer_names(function, [c for group in groups for c in group])
    names = [PythonPrinter().name(p.name) for p in function.params if not p.pointer]
    names += [name for name, address in pointers.values() if address]
    names += [f"{name}=False" for name, address in pointers.values() if not address]
    about = [f"`{name}`: whether the pointer `{p}` is null." for p, (name, address) in pointers.items() if not address]
    about += [f"`{name}`: the address that `{p}` holds." for p, (name, address) in pointers.items() if address]
    first = '"""(build, regions) for these parameters, or None where nothing is computed or nothing is promised.'
    lines = ['@np.errstate(all="ignore")', f"def variant({', '.join(names)}):"]
    lines += [f'    {first}"""'] if not about else [f"    {first}", "", *(f"    {a}" for a in about), '    """']
    many = len(summary.paths) > 1
    numbers = NumberText(PythonPrinter().name, pointers)
    for number, (path, group) in enumerate(zip(summary.paths, groups, strict=True)):
        suffix = f"_{number}" if many else ""
        lines.append(f"    if {' and '.join(numbers.text(c) for c in group) or 'True'}:")
        computed = path.funcs or path.result is not None
        lines.append(f"        return build{suffix}, regions{suffix}" if computed else "        return None")
    lines.append("    return None")
    if not any("np." in line for line in lines[1:]):
        del lines[0]  # integers only
    return "\n".join(lines)


def dsl_source(summaries: Sequence[Summary], file: str) -> dict[str, str]:
    """Module source by function name."""
    return {s.function.name: dsl_module(s, file) for s in summaries}
