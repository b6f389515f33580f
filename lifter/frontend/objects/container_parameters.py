"""Parameters and results that are containers of the standard library: their memory and their lengths."""

from __future__ import annotations

from clang.cindex import Cursor
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, Variable, const
from halide_core.ir.types import Int
from lifter.frontend.clang import classes, types
from lifter.frontend.objects import memory_views, vectors
from lifter.frontend.objects.parameters import Taken
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    Alias,
    Rows,
    Vector,
)
from lifter.ir.loop_ir import Argument, Container, Param, Part


def take_container(ctx: Context, name: str, t: ClangType, at: Cursor) -> Taken:
    """A parameter that is a container, or a reference to one.  Raises Unsupported for pointers to containers."""
    kind, own = classes.container(t), types.canonical(t)
    passing = "reference" if types.is_reference(t) else "value"
    if kind == "unique_ptr":
        ctx.fail(f"parameter '{name}' of type '{at.type.spelling}'", at, "pass a pointer")
    element = vectors.element_of(ctx, t, at)
    flat = ctx.unique(name)
    unit = memory_views.unit_of(ctx, flat, element, at)
    assert unit is not None
    constant = passing == "reference" and types.is_const(own)
    ctx.arrays[flat] = unit
    ctx.pointer_parameters.add(flat)
    if constant:
        ctx.const_arrays.add(flat)
    if passing == "value" or kind == "rows":
        ctx.fresh.add(flat)
    if passing == "reference":
        ctx.containers[flat] = name
    params = [Param(flat, unit, True, constant, c_type=f"{element.spelling} *")]
    each = int(element.get_size()) // unit.bytes()
    bare = own.spelling.removeprefix("const ")
    spelled = t.get_canonical().spelling
    if kind == "array":
        extent = int(own.get_size()) // int(element.get_size())
        ctx.sizes[flat] = (extent, each)
        binding = Alias(Vector(flat, const(extent, I64), element))
        return Taken(Argument(name, spelled, bare, passing, (Part(flat, "@.data()", "data"),), True), params, binding)

    def number(hint: str) -> Expr:
        params.append(Param(hint, Int(32), c_type="int"))
        ctx.parameters[hint] = Int(32)
        ctx.stable.add(hint)
        return op.cast(Variable(Int(32), hint), I64)

    if kind == "vector":
        size = ctx.unique(f"{name}_size")
        length = number(size)
        ctx.sizes[flat] = (size, each)
        two = (Part(flat, "@.data()", "data"), Part(size, "@.size()", "size"))
        return Taken(Argument(name, spelled, bare, passing, two, True), params, Alias(Vector(flat, length, element)))
    rows, columns = ctx.unique(f"{name}_rows"), ctx.unique(f"{name}_cols")
    count, pitch = number(rows), number(columns)
    ctx.sizes[flat] = (rows, columns, each)
    ctx.rows.add(flat)
    parts = (Part(flat, element.spelling, "rows"), Part(rows, "@.size()", "count"), Part(columns, "", "length"))
    return Taken(Argument(name, spelled, bare, passing, parts, True), params, Alias(Rows(flat, count, pitch, element)))


def result(ctx: Context, t: ClangType, at: Cursor) -> tuple[Container, Param]:
    """The container that the function returns, whose elements lie in a parameter's memory."""
    array = ctx.result_array
    if not array:
        ctx.fail("function that returns no container of its own", at)
    element = vectors.element_of(ctx, t, at)
    unit = ctx.arrays[array]
    extents = tuple(ctx.result_extents)
    ctx.sizes[array] = (*extents, int(element.get_size()) // unit.bytes())
    if len(extents) == 2:
        ctx.rows.add(array)
    return Container(array, element.spelling, extents), Param(array, unit, True, c_type=f"{element.spelling} *")
