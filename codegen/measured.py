"""Arrays whose values address memory: the C++ that finds the least and the greatest of them, of all elements that the
path which is taken reads (verifier/conditions/measured.py)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from codegen.c_expressions import c_expression
from codegen.paths_in_c import names_in_c, runs
from halide_core.aot.compile import c_type
from halide_core.ir.types import Type
from lifter.algebra.polynomial import from_poly
from lifter.ir.loop_ir import Measured
from lifter.ir.summary import Layout, Summary

_SHORT = 16
"""Iterations that a loop may do for nothing."""


def helpers(summaries: Iterable[Summary]) -> list[str]:
    """The functions that the statements of `measure` call, each for the widest registers that there are."""
    kinds = {c_type(s.function.arrays[m.array]) for s in summaries for m in s.function.measured}
    return [text for kind in sorted(kinds) for text in _helper(kind)]


def _helper(kind: str) -> list[str]:
    passed = f"const {kind} *v, int64_t n, int64_t step, {kind} *least, {kind} *most, uint64_t *sum"
    body = f"""{{
    {kind} low = *least, high = *most;
    uint64_t all = 0;
    if (step == 1)
        for (int64_t i = 0; i < n; i++) {{
            low = v[i] < low ? v[i] : low, high = v[i] > high ? v[i] : high;
            all += (uint64_t)v[i];
        }}
    else
        for (int64_t i = 0; i < n; i++) {{
            low = v[i * step] < low ? v[i * step] : low, high = v[i * step] > high ? v[i * step] : high;
            all += (uint64_t)v[i * step];
        }}
    *least = low, *most = high, *sum += all;
}}"""
    return [
        f"static inline __attribute__((__always_inline__)) void lift_each_{kind}({passed}) {body}",
        "#if defined(__GNUC__) && !defined(__clang__)",
        "#pragma GCC push_options",
        '#pragma GCC optimize("O3")',
        "#endif",
        f"static __attribute__((__noinline__)) void lift_plain_{kind}({passed}) "
        f"{{ lift_each_{kind}(v, n, step, least, most, sum); }}",
        "#if defined(__x86_64__)",
        f'static __attribute__((__noinline__, __target__("avx2"))) void lift_wide_{kind}({passed}) '
        f"{{ lift_each_{kind}(v, n, step, least, most, sum); }}",
        "#endif",
        "#if defined(__GNUC__) && !defined(__clang__)",
        "#pragma GCC pop_options",
        "#endif",
        f"static void lift_ends_{kind}({passed}) {{",
        "#if defined(__x86_64__)",
        f'    if (__builtin_cpu_supports("avx2")) {{ lift_wide_{kind}(v, n, step, least, most, sum); return; }}',
        "#endif",
        f"    lift_plain_{kind}(v, n, step, least, most, sum);",
        "}",
    ]


def measure(summary: Summary, given: Mapping[str, str]) -> list[str]:
    """Statements that set the flat parameters of all ends that are measured, or `missed`.  `given`: what the flat
    parameters are called.  Raises EmitError."""
    measured = summary.function.measured
    if not measured:
        return []
    # What the other arguments say is right where nothing was missed: only then are the boxes what the original reads.
    lines = ["    if (!missed) {"]
    if any(m.role for m in measured):
        lines.append("    double lift_idle = 0, lift_begin = 0, lift_end = 0;")
    for m in measured:
        lines += _one(summary, m, given)
    if any(m.role for m in measured):
        # Loops run from the least to the greatest: not where that is far more than what there is to do.
        lines.append(f"    missed |= lift_idle > lift_end - lift_begin + {_SHORT};")
    return [*lines, "    }"]


def _one(summary: Summary, m: Measured, given: Mapping[str, str]) -> list[str]:
    function = summary.function
    names, unknown = names_in_c(function, given), function.measured_ends
    kind = c_type(function.arrays[m.array])
    lines = [
        "    {",
        f"        const {kind} *values = (const {kind} *){given[m.array]};",
        f"        {kind} least = 0, most = 0;",
        "        uint64_t sum = 0, count = 0;",
    ]
    for path in summary.paths:
        for layout in (i.layout for i in path.inputs if i.layout.array == m.array):
            sizes = [c_expression(from_poly(p), names) for p in path.sizes_without(unknown)]
            nothing = " || ".join([*(f"{size} < 1" for size in sizes), "0"])
            lines.append(f"        if ({runs(path, layout, unknown, names)}) {{")
            lines.append(f"            if ({nothing}) missed = true;")  # the original reads no values then
            lines.append("            else {")
            lines += [f"                {line}" for line in _scan(layout, names, m, function.arrays[m.array])]
            lines.append("            }")
            lines.append("        }")
    end = next(p.type for p in function.params if p.name == m.least)
    if end != function.arrays[m.array]:
        below = f"least < {int(end.min())} || " if function.arrays[m.array].is_int() else ""
        lines.append(f"        missed |= {below}most > {int(end.max())};")
    lines.append(f"        {given[m.least]} = least, {given[m.most]} = most;")
    if m.role:
        mean = "(double)(int64_t)sum / count"
        idle = f"most - {mean}" if m.role == "end" else f"{mean} - least"
        lines.append(f"        if (count) lift_idle += {idle}, lift_{m.role} += {mean};")
    return [*lines, "    }"]


def _scan(layout: Layout, names: Mapping[str, str], m: Measured, array_type: Type) -> list[str]:
    """Loops over those elements of a box, which is not empty, that are measured."""
    lines, place = [], c_expression(from_poly(layout.offset), names)
    dims = range(len(layout.dims))
    for k, d in enumerate(layout.dims):
        assert d.stride is not None
        low, count, step = (c_expression(from_poly(p), names) for p in (d.min, d.extent, d.stride))
        lines.append(f"const int64_t low_{k} = {low}, count_{k} = {count}, step_{k} = {step};")
        place += f" + low_{k} * step_{k}"
    lines.append(f"const int64_t start = {place};")
    outer = dims[1:]
    loops = "".join(f"for (int64_t i_{k} = 0; i_{k} < count_{k}; i_{k}++) " for k in reversed(outer))
    row = " + ".join(["values + start", *(f"i_{k} * step_{k}" for k in outer)])
    kind = c_type(array_type)
    if not layout.dims or m.step == 1:
        number, step = ("count_0", "step_0") if layout.dims else ("1", "1")
        lines.append("if (!count) least = most = values[start];")
        lines.append(f"{loops}lift_ends_{kind}({row}, {number}, {step}, &least, &most, &sum);")
        lines.append(f"count += {' * '.join(f'count_{k}' for k in dims) or '1'};")
        return lines
    # Those at the places that are measured: the first of each row, and how far it is to the next.
    lines += [
        "int64_t by = 1;",
        f"while (by * step_0 % {m.step}) by++;",
        f"{loops}{{",
        f"    int64_t here = {row} - values, left = count_0;",
        f"    for (int64_t k = 0; k < by && lift_mod(here, {m.step}) != {m.first}; k++) here += step_0, left--;",
        f"    if (left > 0 && lift_mod(here, {m.step}) == {m.first}) {{",
        "        if (!count) least = most = values[here];",
        f"        lift_ends_{kind}(values + here, (left - 1) / by + 1, by * step_0, &least, &most, &sum);",
        "        count += (left - 1) / by + 1;",
        "    }",
        "}",
    ]
    return lines
