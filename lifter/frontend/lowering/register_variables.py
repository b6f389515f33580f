"""Register variables and what initialises them."""

from __future__ import annotations

from dataclasses import replace

from clang.cindex import Cursor

from halide_core.ir.expr import I64, const
from lifter.frontend.clang import types
from lifter.frontend.clang.libclang import evaluate, operands
from lifter.frontend.lowering import evaluated
from lifter.frontend.objects import registers
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.frames import Held
from lifter.frontend.state.values import ElementPlace, LanesPlace, Pointer
from lifter.simd.lanes import Lanes, is_constant, zeros


def declare(ctx: Context, c: Cursor, init: Cursor | None) -> Lanes | LanesPlace | ElementPlace:
    """The object that the declaration of a register variable creates, or its value for good."""
    if registers.key(c) in ctx.found.addressed:
        memory = registers.new_array(ctx, c.spelling, c, registers.key(c))
        if init is not None:
            registers.store(ctx, memory.pointer, evaluated.register(ctx, init), c)
        return memory
    place = _declared(ctx, c, init)
    if not isinstance(place, LanesPlace):
        return place
    return replace(place, key=registers.key(c), once=init is None and ctx.changed[c.hash] == 1)


def _declared(ctx: Context, c: Cursor, init: Cursor | None) -> Lanes | LanesPlace:
    size = 8 * types.register_bytes(c.type)
    known = ctx.found.lane_types.get(registers.key(c))
    changes = c.hash in ctx.changed
    if init is None:
        guessed = "" if known else registers.key(c)
        return registers.new_place(ctx, c.spelling, size, known or types.register_element(c.type), guessed)
    v = evaluated.register(ctx, init)
    if is_constant(v) and not changes:
        return v
    guessed = registers.key(c) if known is None and is_constant(v) else ""
    place = registers.new_place(ctx, c.spelling, size, known or v.type, guessed)
    registers.write(ctx, place, v)
    return place


def listed(ctx: Context, c: Cursor) -> Lanes:
    """The register that an initialiser list of its declared lanes gives."""
    element = types.scalar(types.canonical(c.type).element_type)
    assert element is not None
    held: list[Held] = []
    for item in operands(c):
        found = evaluate(item)
        e = ctx.settled(evaluated.scalar(ctx, item)) if found is None else const(found, element)
        held.append(ctx.hold(op.cast(e, element)))
    parts = ctx.release_all(held)
    total = 8 * types.register_bytes(c.type)
    return Lanes((*parts, *zeros(total - len(parts) * element.bits, element)))


def fill(ctx: Context, place: ElementPlace, items: list[Cursor | None], at: Cursor) -> None:
    """Emits the stores of an initialiser list; None stands for zeros."""
    (array,) = place.pointer.targets
    each = types.innermost(place.pointer.pointee)
    lanes = types.register_bytes(each) // ctx.arrays[array].bytes()
    for index, item in enumerate(items):
        v = evaluated.register(ctx, item) if item is not None else registers.zero(each)
        registers.store(ctx, Pointer(place.pointer.targets, const(index * lanes, I64), each), v, at)
