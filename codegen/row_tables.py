"""Arrays of pointers to rows: the C++ that finds out whether the rows lie at equal distances, as one image.

The lifted function takes the first row and the distance.  Which rows there are says the summary, path by path; only
these pointers are read, for the original reads them too (verifier/conditions/rows.py).  What is written must not be the
table itself."""

from __future__ import annotations

from collections.abc import Mapping

from codegen.c_expressions import c_expression
from codegen.paths_in_c import names_in_c, runs
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.loop_ir import Function
from lifter.ir.names import address_name
from lifter.ir.row_tables import rows_of
from lifter.ir.summary import Layout, PathSummary, Summary

FIRST, PITCH, ADDRESS = "rows_first", "rows_pitch", "rows_address"
KINDS = (FIRST, PITCH, ADDRESS)
ALONE = 1 << 20
"""The distance in elements that a table of a single row is given."""


def gather(summary: Summary, array: str, table: str, given: Mapping[str, str]) -> list[str]:
    """Statements that set the flat parameters of an array and of its pitch from the pointers in `table`, or `missed`.
    `given`: what the flat parameters are called.  Raises EmitError."""
    function = summary.function
    pitch = function.row_tables[array]
    size, names, unknown = function.arrays[array].bytes(), names_in_c(function, given), _unknown(function)
    lines = ["    {", "        int64_t low = INT64_MAX, high = INT64_MIN;"]
    for path in summary.paths:
        boxes = [(layout, rows_of(layout, pitch)) for layout in _layouts(path) if layout.array == array]
        for layout, rows in boxes:
            if rows is None:
                lines.append("        missed = true;")
                continue
            low, high = (c_expression(from_poly(p), names) for p in rows)
            lines += [
                f"        if ({runs(path, layout, unknown, names)}) {{",
                f"            if ({low} < low) low = {low};",
                f"            if ({high} > high) high = {high};",
                "        }",
            ]
    first, step = given[array], given[pitch]
    lines += [
        f"        const char *const *rows = (const char *const *){table};",
        "        if (low < 0 || !rows) missed |= low <= high;",
        "        else if (low <= high) {",
        "            int64_t step = 0;",
        "            if (high > low) step = rows[low + 1] - rows[low];",
        f"            missed |= step % {size} != 0;",
        "            for (int64_t y = low; y <= high; y++) missed |= rows[y] != rows[low] + (y - low) * step;",
        f"            {step} = high > low ? step / {size} : {ALONE};",
        f"            {first} = (void *)(rows[low] - low * {step} * {size});",
        *_apart(summary, names, given),
        "        }",
        "    }",
    ]
    return lines


def _layouts(path: PathSummary) -> list[Layout]:
    return [*(f.layout for f in path.funcs if f.output), *(i.layout for i in path.inputs)]


def _unknown(function: Function) -> set[str]:
    """What is not known before the rows are."""
    tables = function.row_tables
    return {*tables, *tables.values(), *map(address_name, tables), *function.measured_ends}


def _apart(summary: Summary, names: Mapping[str, str], given: Mapping[str, str]) -> list[str]:
    """That nothing is written where the pointers lie."""
    lines = []
    for path in summary.paths:
        for f in (f for f in path.funcs if f.output and f.layout.array in given):
            low, high = f.layout.corners()
            size, base = f.type.bytes(), f"(const char *){given[f.layout.array]}"
            begin, end = (c_expression(from_poly(p.scale(size)), names) for p in (low, high + Poly.constant(1)))
            lines += [
                f"            if ({runs(path, f.layout, _unknown(summary.function), names)})",
                f"                missed |= {base} + {begin} < (const char *)(rows + high + 1)",
                f"                    && (const char *)(rows + low) < {base} + {end};",
            ]
    return lines


def scatter(array: str, table: str, rows: str, function: Function, names: Mapping[str, str]) -> list[str]:
    """For tests: pointers to rows as the flat parameters say, as many as small images have, and `table` set to them."""
    size = function.arrays[array].bytes()
    step, first = names[function.row_tables[array]], names[array]
    return [
        f"    static char *{rows}[1 << 13];",
        f"    for (int64_t y = 0; y < 1 << 13; y++) {rows}[y] = (char *){first} + y * {step} * {size};",
        f"    {{ void *led = {rows}; __builtin_memcpy((void *)&{table}, &led, sizeof led); }}",
    ]
