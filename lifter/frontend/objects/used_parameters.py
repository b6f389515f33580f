"""Which parts of the parameters are left after a function is lowered: those that something depends on."""

from __future__ import annotations

import itertools
from dataclasses import replace

from halide_core.ir.expr import Load, Variable
from halide_core.ir.structural import post_order
from lifter.frontend.objects.parameters import Taken
from lifter.frontend.objects.scalar_replacement import split_named
from lifter.frontend.state.context import Context
from lifter.ir.loop_ir import Argument, Assign, Declare, Param, Stmt, Store, expressions, walk


def split_arrays(ctx: Context, body: list[Stmt], taken: list[Taken]) -> tuple[list[Stmt], list[Taken]]:
    """Arrays inside objects, only read and at constant places, as a scalar for each: `pitch[3]` of three planes."""
    written = {s.array for s in walk(body) if isinstance(s, Store)}
    arrays = [p.param for t in taken for p in t.argument.parts if p.kind == "array"]
    arrays = [a for a in arrays if a not in written and a not in ctx.whole and a != ctx.returned_base]
    body, names = split_named(ctx, body, arrays)
    out = []
    for item in taken:
        a, parts, params = item.argument, list(item.argument.parts), list(item.params)
        for part in [p for p in parts if p.kind == "array"]:
            for (array, k), name in names.items():
                if array == part.param:
                    type_ = ctx.locals.pop(name)
                    ctx.parameters[name] = type_
                    element = replace(part, param=name, expression=f"{part.expression}[{k}]", kind="value")
                    ctx.part_of[name] = ctx.part_of[array][0], element
                    ctx.stable.add(name)
                    parts.append(element)
                    params.append(Param(name, type_, c_type=str(type_)))
        gone = {array for array, _ in names}
        kept = tuple(p for p in parts if p.param not in gone)
        whole = replace(a, parts=kept)
        out.append(Taken(whole, [p for p in params if p.name not in gone], item.binding))
    for array, _ in names:
        ctx.sizes.pop(array, None)
        ctx.pointer_parameters.discard(array)
    return body, out


def used(ctx: Context, body: list[Stmt], taken: list[Taken]) -> list[Taken]:
    """The parameters without those parts that nothing depends on."""
    names: set[str] = set()
    written: set[str] = set()
    for s in walk(body):
        if isinstance(s, Store):
            written.add(s.array)
        elif isinstance(s, Assign):  # a field of its own copy of an object, which nothing reads
            names.add(s.name)
        elif isinstance(s, Declare):
            continue
        for e in expressions(s):
            for n in post_order(e):
                if isinstance(n, Variable | Load):
                    names.add(n.name.removeprefix("addr."))
    names |= written | {ctx.returned_base}
    for array, pitch in ctx.row_tables.items():
        if pitch in names and array not in names:
            ctx.fail(f"distance of the rows of '{array}', an array of pointers")
        names |= {pitch} if array in names else set()
    _check_rows(ctx, taken, written)
    visible = {a for a in written if a in ctx.pointer_parameters and a not in ctx.fresh}
    # An object counts where something is written that might lie in it.
    names |= {o for o in ctx.objects if ctx.moved or any(ctx.objects_of.get(a) != o for a in visible)}
    out: list[Taken] = []
    for item in taken:
        if item.argument.container:
            out.append(item)
            continue
        if item.argument.passing == "plain":
            out.append(item)
            continue
        names |= {size for data, size in _pairs(item.argument) if data in names}
        kept = [p for p in item.params if p.name in names]
        parts = tuple(p for p in item.argument.parts if p.param in {k.name for k in kept})
        for p in item.params:
            if p.name not in names:
                ctx.sizes.pop(p.name, None)
                ctx.arrays.pop(p.name, None)
                ctx.locals.pop(p.name, None)
                ctx.objects.pop(p.name, None)
                ctx.row_tables.pop(p.name, None)
        a = item.argument
        out.append(Taken(replace(a, parts=parts), kept, item.binding))
    return out


def _pairs(a: Argument) -> list[tuple[str, str]]:
    """The memory of each vector inside an object, with the parameter that says how long it is."""
    return [(x.param, y.param) for x, y in itertools.pairwise(a.parts) if x.kind == "data" and y.kind == "size"]


def _check_rows(ctx: Context, taken: list[Taken], written: set[str]) -> None:
    """Rows are copied before the call and back after it: nothing else may read or write them meanwhile."""
    by_reference = {
        p.param
        for t in taken
        if t.argument.passing == "reference"
        for p in t.argument.parts
        if p.kind == "rows"
    }
    if not by_reference:
        return
    others = {p.name for t in taken for p in t.params if p.pointer and p.name not in ctx.fresh}
    if others & written or (others and by_reference & written):
        ctx.fail("a vector of vectors by reference beside other memory that is written", None, "pass both as vectors")
