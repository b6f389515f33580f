"""Pointers and references that the function itself returns: how far they lie behind a pointer that it was given.

    uint8_t *copied(uint8_t *d, ...) {       int64 copied(uint8 *d, ...) {
        if (n < 0) return NULL;                  if (n < 0) return NULL_RESULT
        while (n--) *d++ = *s++;                 ...
        return d;                                return (bytes of) d's offset
    }                                        }

All that are not null lie in one parameter's memory, `loop_ir.ReturnedPointer`."""

from __future__ import annotations

from functools import partial

from clang.cindex import Cursor, CursorKind, TypeKind
from clang.cindex import Type as ClangType

from halide_core.ir.expr import I64, Expr, const, const_value
from lifter.frontend.clang import classes, queries, types
from lifter.frontend.clang.libclang import operands
from lifter.frontend.lowering import branches, evaluated
from lifter.frontend.objects import conversions, pointers
from lifter.frontend.state import descent
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import (
    ADDRESS,
    NULL,
    Container,
    Place,
    Pointer,
    PointerAddress,
    RecordPointer,
    RowTable,
    Value,
    Vector,
)
from lifter.ir.loop_ir import NULL_RESULT, Return, ReturnedPointer

K = CursorKind
_ADVICE = "return a scalar, or a pointer that is given"


def is_of(t: ClangType) -> bool:
    """Whether a type is a pointer to objects, or a reference to one."""
    if t.get_canonical().kind is TypeKind.LVALUEREFERENCE:
        return not types.is_function(types.canonical(t))
    return types.is_pointer(t) and not types.is_function(types.pointee(t))


def return_(ctx: Context, wanted: ClangType, result: Cursor) -> None:
    """The statement `return result;` of a function that returns a pointer or a reference."""
    chosen = queries.unwrap(result)
    if chosen.kind is K.CONDITIONAL_OPERATOR:
        _one_of_two(ctx, wanted, chosen)
        return
    base, distance = _place(ctx, wanted, result)
    distance = ctx.settled(distance)
    ctx.flush()
    if base:
        if ctx.returned_base not in ("", base):
            shown = " or ".join(sorted({ctx.returned_base, base}))
            ctx.fail(f"function that returns a pointer into one of several arguments ({shown})", result)
        ctx.returned_base = base
    ctx.emit(Return(ctx.line, distance, base))
    ctx.alive = False


def finished(ctx: Context, wanted: ClangType) -> ReturnedPointer:
    """What the interface says, when all returns are known."""
    container = ctx.containers.get(ctx.returned_base, "") if classes.container(wanted) else ""
    return ReturnedPointer(ctx.returned_base, types.is_reference(wanted), container)


def _one_of_two(ctx: Context, wanted: ClangType, c: Cursor) -> None:
    """return test ? a : b, as an `if` with two returns."""
    test, *arms = operands(c)
    line, condition = ctx.line, ctx.settled(evaluated.condition(ctx, test))
    known = const_value(condition)
    if known is not None:
        return_(ctx, wanted, arms[0 if known else 1])
        return
    (then, _), (otherwise, _) = (branches.path(ctx, partial(return_, ctx, wanted, a)) for a in arms)
    ctx.line = line
    ctx.branch(condition, then, otherwise)
    ctx.alive = False


def _place(ctx: Context, wanted: ClangType, result: Cursor) -> tuple[str, Expr]:
    """The parameter that a returned pointer or reference lies behind, and how many bytes; "" of null."""
    own = types.canonical(wanted) if types.is_reference(wanted) else types.pointee(wanted)
    if own.is_volatile_qualified():
        ctx.fail(f"function returning '{wanted.spelling}'", result, _ADVICE)
    v: Value
    if classes.container(wanted):
        return _container(ctx, evaluated.container(ctx, result), result)
    if types.is_reference(wanted):
        place: Place = descent.place(ctx, result)
        v = pointers.pointer_to(ctx, place, own, result)
    else:
        v = conversions.convert(ctx, descent.value(ctx, result), wanted, result)
    if isinstance(v, RecordPointer):
        return _object(ctx, v, own, result)
    if isinstance(v, PointerAddress) and v.place.name in ctx.referred:
        return ctx.referred[v.place.name], const(0, I64)
    if not isinstance(v, Pointer):
        what = "a row of an array of pointers" if isinstance(v, RowTable) else queries.describe(wanted)
        ctx.fail(f"function that returns {what}", result, _ADVICE)
    if v.targets == {NULL}:
        return "", const(NULL_RESULT, I64)
    return _of_memory(ctx, v, result)


def _container(ctx: Context, v: Container, at: Cursor) -> tuple[str, Expr]:
    """A container that a parameter refers to, as a whole."""
    if v.array not in ctx.containers or (isinstance(v, Vector) and (v.row or const_value(v.offset) != 0)):
        ctx.fail("function that returns a reference to a container that it was not given", at, _ADVICE)
    return v.array, const(0, I64)


def _object(ctx: Context, v: RecordPointer, wanted: ClangType, at: Cursor) -> tuple[str, Expr]:
    """An object of the caller's that was taken apart."""
    address = v.address or v.place.address
    if not address:
        ctx.fail(f"function that returns the address of its own object of type '{v.place.type.spelling}'", at, _ADVICE)
    if not types.same_but_const(types.canonical(wanted), v.place.type):
        ctx.fail(f"function that returns an object of '{v.place.type.spelling}' as one of '{wanted.spelling}'", at)
    return address, const(0, I64)


def _of_memory(ctx: Context, p: Pointer, at: Cursor) -> tuple[str, Expr]:
    if NULL in p.targets:
        ctx.fork(p.targets)
    for target in sorted(p.targets - {NULL}):
        refused = "" if target.removeprefix("&") in ctx.referred else _refused(ctx, target)
        if refused:
            ctx.fail(f"function that returns {refused}", at, _ADVICE)
    array = ctx.array_of(p, at)
    if array.startswith("&"):
        return ctx.referred[array[1:]], p.offset  # in bytes
    offset, null = ctx.with_null(p), const(NULL_RESULT, I64)
    if offset is None:
        ctx.fail(f"returned pointer {p.name or 'expression'} that is null on some paths only", at, "return null there")
    distance = op.offset_scaled(offset, ctx.arrays[array].bytes())
    if NULL in p.targets and distance is not offset:
        distance = op.select(op.binary("==", offset, null), null, distance)
    return array, distance


def _refused(ctx: Context, target: str) -> str:
    """What a pointer that may not be returned points to; "" for memory of the caller's."""
    name = target.lstrip("!&")
    if target == ADDRESS:
        return "a pointer made from a number"
    if target.startswith("()"):
        return "a pointer to a function"
    if target.startswith("&") and name in ctx.fixed:
        return f"the address of {ctx.fixed[name]}"
    if target.startswith("&"):
        return f"the address of the local variable '{name}'"
    if name in ctx.tables:
        return f"a pointer to the constant table '{name}'"
    if name not in ctx.pointer_parameters:
        return f"a pointer to memory of its own, '{name}'"
    if name in ctx.row_tables:
        return f"a row of the array of pointers '{name}'"
    if any(name == p.name for _, params in ctx.statics.values() for p in params):
        return f"a pointer to static memory ('{name}')"
    return f"a pointer into its own copy of '{name}'" if name in ctx.fresh else ""
