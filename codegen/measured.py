"""Arrays whose values address memory: the C++ that finds the least and the greatest of them, of all elements that the
path which is taken reads (verifier/conditions/measured.py)."""

from __future__ import annotations

from collections.abc import Mapping

from codegen.c_expressions import c_expression
from codegen.paths_in_c import names_in_c, runs
from halide_core.aot.compile import c_type
from lifter.algebra.polynomial import from_poly
from lifter.ir.loop_ir import Measured
from lifter.ir.summary import Layout, Summary

_SHORT = 16
"""Iterations that a loop may do for nothing."""


def measure(summary: Summary, given: Mapping[str, str]) -> list[str]:
    """Statements that set the flat parameters of all ends that are measured, or `missed`.  `given`: what the flat
    parameters are called.  Raises EmitError."""
    measured = summary.function.measured
    lines = []
    if any(m.role for m in measured):
        lines.append("    double lift_idle = 0, lift_begin = 0, lift_end = 0;")
    for m in measured:
        lines += _one(summary, m, given)
    if any(m.role for m in measured):
        # Loops run from the least to the greatest: not where that is far more than what there is to do.
        lines.append(f"    missed |= lift_idle > lift_end - lift_begin + {_SHORT};")
    return lines


def _one(summary: Summary, m: Measured, given: Mapping[str, str]) -> list[str]:
    function = summary.function
    names, unknown = names_in_c(function, given), function.measured_ends
    kind = c_type(function.arrays[m.array])
    lines = [
        "    {",
        "        bool some = false;",
        f"        const {kind} *values = (const {kind} *){given[m.array]};",
        f"        {kind} least = 0, most = 0;",
        *(["        double sum = 0, count = 0;"] if m.role else []),
    ]
    for path in summary.paths:
        for layout in (i.layout for i in path.inputs if i.layout.array == m.array):
            sizes = [c_expression(from_poly(p), names) for p in path.sizes_without(unknown)]
            nothing = " || ".join([*(f"{size} < 1" for size in sizes), "0"])
            lines.append(f"        if ({runs(path, layout, unknown, names)}) {{")
            lines.append(f"            if ({nothing}) missed = true;")  # the original reads no values then
            lines.append("            else {")
            lines += [f"                {line}" for line in _scan(layout, names, m)]
            lines.append("            }")
            lines.append("        }")
    end = next(p.type for p in function.params if p.name == m.least)
    if end != function.arrays[m.array]:
        below = f"least < {int(end.min())} || " if function.arrays[m.array].is_int() else ""
        lines.append(f"        missed |= {below}most > {int(end.max())};")
    lines.append(f"        {given[m.least]} = least, {given[m.most]} = most;")
    if m.role:
        idle = "most - sum / count" if m.role == "end" else "sum / count - least"
        lines.append(f"        if (count) lift_idle += {idle}, lift_{m.role} += sum / count;")
    return [*lines, "    }"]


def _scan(layout: Layout, names: Mapping[str, str], m: Measured) -> list[str]:
    """Loops over those elements of a box, which is not empty, that are measured."""
    lines, place = [], c_expression(from_poly(layout.offset), names)
    dims = range(len(layout.dims))
    for k, d in enumerate(layout.dims):
        assert d.stride is not None
        low, count, step = (c_expression(from_poly(p), names) for p in (d.min, d.extent, d.stride))
        lines.append(f"const int64_t low_{k} = {low}, count_{k} = {count}, step_{k} = {step};")
        place += f" + low_{k} * step_{k}"
    lines.append(f"const int64_t start = {place};")
    at = " + ".join(["start", *(f"i_{k} * step_{k}" for k in dims)])
    begin, by = dict.fromkeys(dims, "0"), dict.fromkeys(dims, "1")
    asked = ""
    if m.step > 1 and len(layout.dims) == 1 and layout.dims[0].stride.constant_value() == 1:  # type: ignore[union-attr]
        lines.append(f"const int64_t ahead = ({m.first} - start % {m.step} + {m.step}) % {m.step};")
        begin[0], by[0] = "ahead", str(m.step)
    elif m.step > 1:
        asked = f"if (({at}) % {m.step} == {m.first}) "
    loops = (f"for (int64_t i_{k} = {begin[k]}; i_{k} < count_{k}; i_{k} += {by[k]}) " for k in reversed(dims))
    lines.append(f"{''.join(loops)}{asked}{{")
    lines.append(f"    const __typeof__(*values) value = values[{at}];")
    lines.append("    if (!some) least = most = value;")
    lines.append("    some = true;")
    lines.append("    least = value < least ? value : least;")
    lines.append("    most = value > most ? value : most;")
    if m.role:
        lines.append("    sum += value, count += 1;")
    return [*lines, "}"]
