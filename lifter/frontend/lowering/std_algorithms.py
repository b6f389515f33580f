"""Algorithms of the C++ library on ranges of scalars, other than copies and fills.

What sorts a fixed number of integers is a sorting network: whatever the library does, the result is the same one."""

from __future__ import annotations

from collections.abc import Iterator

from clang.cindex import Cursor

from halide_core.ir.expr import I64, Expr, Max, Min, Variable, const, const_value
from lifter.frontend.clang import queries, types
from lifter.frontend.lowering import block_copies, evaluated
from lifter.frontend.objects import access, counted_loops, pointers
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import ElementPlace, Nothing, Pointer
from lifter.ir.loop_ir import Assign

MOST_SORTED = 32
NAMES = {"sort": 2, "nth_element": 3, "reverse": 2, "accumulate": 3, "iota": 3}
"""How many arguments each has here."""


def call(ctx: Context, c: Cursor, name: str, arguments: list[Cursor]) -> Expr | Nothing:
    """The value of a call of one of `NAMES`."""
    first = block_copies.scalar_pointer(ctx, arguments[0])
    held = ctx.hold_pointer(first, unsequenced=True)
    count = block_copies.range_length(ctx, c, arguments[2 if name == "nth_element" else 1], first)
    held_count = ctx.hold(count, unsequenced=True)
    other: Expr | None = None
    if name in ("accumulate", "iota"):
        other = evaluated.scalar(ctx, arguments[2])
    elif name == "nth_element":
        other = block_copies.range_length(ctx, c, arguments[1], first)
    other = None if other is None else ctx.settled(other)
    count = counted_loops.simplified(ctx, ctx.release(held_count))
    first = ctx.release_pointer(first, held)
    if name == "reverse":
        return _reverse(ctx, c, first, count)
    if name == "sort":
        return _sort(ctx, c, first, count)
    assert other is not None
    if name == "nth_element":
        return _nth_element(ctx, c, first, count, other)
    return _accumulate(ctx, c, first, count, other) if name == "accumulate" else _iota(ctx, c, first, count, other)


def _sort(ctx: Context, c: Cursor, first: Pointer, count: Expr) -> Nothing:
    n = const_value(count)
    if n is None or n > MOST_SORTED:
        ctx.fail(f"sorting a number of elements that is not fixed, or more than {MOST_SORTED}", c)
    element = queries.element_type(ctx, first.pointee, c)
    if not element.is_int_or_uint() or element.is_bool():
        ctx.fail(f"sorting elements of type {element}", c, "equal ones may differ in their bits")
    for i, j in network(int(n)):
        low, high = (ElementPlace(pointers.advance(ctx, first, const(k, I64), c)) for k in (i, j))
        a, b = (ctx.temporary(_read(ctx, place, c)) for place in (low, high))
        access.write(ctx, low, Min(element, a, b), c)
        access.write(ctx, high, Max(element, a, b), c)
    return Nothing()


def _nth_element(ctx: Context, c: Cursor, first: Pointer, count: Expr, place: Expr) -> Nothing:
    """Only one element is known afterwards; what the others are is the library's choice, and nobody may read it."""
    n, nth = const_value(count), const_value(place)
    if nth is None:
        ctx.fail("nth_element at a place that is not fixed", c)
    _sort(ctx, c, first, count)
    assert n is not None
    element = queries.element_type(ctx, first.pointee, c)
    lost = Variable(element, ctx.new_local("lost", element))
    for k in range(int(n)):
        if k != nth:
            access.write(ctx, ElementPlace(pointers.advance(ctx, first, const(k, I64), c)), lost, c)
    return Nothing()


def _reverse(ctx: Context, c: Cursor, first: Pointer, count: Expr) -> Nothing:
    half = op.binary("/", count, const(2, I64))
    name, counter, half = counted_loops.counted(ctx, half)
    back = op.binary("-", op.binary("-", count, const(1, I64)), counter)
    with ctx.collecting() as body:
        a, b = (ElementPlace(pointers.advance(ctx, first, k, c)) for k in (counter, back))
        kept = ctx.temporary(_read(ctx, a, c))
        access.write(ctx, a, _read(ctx, b, c), c)
        access.write(ctx, b, kept, c)
    counted_loops.emit_loop(ctx, name, half, body)
    return Nothing()


def _accumulate(ctx: Context, c: Cursor, first: Pointer, count: Expr, start: Expr) -> Expr:
    total = ctx.temporary(start, "total")
    assert isinstance(total, Variable)
    name, counter, count = counted_loops.counted(ctx, count)
    with ctx.collecting() as body:
        element = _read(ctx, ElementPlace(pointers.advance(ctx, first, counter, c)), c)
        wide = types.usual(total.type, element.type)
        added = op.binary("+", op.cast(total, wide), op.cast(element, wide))
        ctx.emit(Assign(ctx.line, total.name, op.cast(added, total.type)))
    counted_loops.emit_loop(ctx, name, count, body)
    return total


def _iota(ctx: Context, c: Cursor, first: Pointer, count: Expr, start: Expr) -> Nothing:
    if not start.type.is_int_or_uint() or start.type.bits < 32:
        ctx.fail(f"iota from a value of type {start.type}", c)
    element = queries.element_type(ctx, first.pointee, c)
    start = ctx.temporary(start)
    name, counter, count = counted_loops.counted(ctx, count)
    with ctx.collecting() as body:
        value = op.cast(op.binary("+", start, op.cast(counter, start.type)), element)
        access.write(ctx, ElementPlace(pointers.advance(ctx, first, counter, c)), value, c)
    counted_loops.emit_loop(ctx, name, count, body)
    return Nothing()


def _read(ctx: Context, place: ElementPlace, c: Cursor) -> Expr:
    v = access.read(ctx, place, c)
    assert isinstance(v, Expr)
    return v


def network(n: int) -> Iterator[tuple[int, int]]:
    """The comparisons, in order, of Batcher's merge exchange (Knuth, The Art of Computer Programming 5.2.2, algorithm
    M) that sort n elements."""
    t = max(n - 1, 0).bit_length()
    p = 1 << (t - 1) if t else 0
    while p > 0:
        q, r, d = 1 << (t - 1), 0, p
        while True:
            yield from ((i, i + d) for i in range(n - d) if i & p == r)
            if q == p:
                break
            d, q, r = q - p, q >> 1, p
        p >>= 1


__all__ = ["NAMES", "call", "network"]
