"""Allocated memory that code aligns by hand: `uint8_t *row = (uint8_t *)(((intptr_t)memory + 63) & ~63);`.

How far the aligned address lies behind the memory's is nothing that the elements depend on, as long as none is reached
from the memory's own start: the aligned memory is an array of its own, as long as the whole."""

from __future__ import annotations

from collections.abc import Iterable

from clang.cindex import Cursor

from halide_core.ir.expr import Add, Call, Cast, Expr, Load, Variable, const, const_value
from halide_core.ir.structural import post_order, variables
from halide_core.ir.types import UInt
from lifter.frontend.state import operators as op
from lifter.frontend.state.context import Context
from lifter.frontend.state.values import Allocation
from lifter.ir.loop_ir import Assign, Declare, Stmt, Store, expressions, walk


def allocation(ctx: Context, address: Expr, at: Cursor) -> Allocation | None:
    """What lies behind a number that is the address of allocated memory rounded up; None where it is no such number."""
    memory = _rounded_up(ctx, address)
    if memory is None:
        return None
    position = next((k for k, s in enumerate(ctx.block) if isinstance(s, Declare) and s.array == memory), None)
    declared = None if position is None else ctx.block[position]
    if position is None or not isinstance(declared, Declare) or memory in ctx.aligned:
        ctx.fail(f"address of {memory} as a number", at, "align memory once, where it is allocated")
    if any(isinstance(s, Assign) and s.name in variables(declared.size) for s in walk(ctx.block[position:])):
        ctx.fail(f"address of {memory} as a number", at, "align memory where it is allocated")
    ctx.aligned.add(memory)
    size = op.binary("*", op.cast(declared.size, UInt(64)), const(ctx.arrays[memory].bytes(), UInt(64)))
    return Allocation(size, declared.zeroed)


def _rounded_up(ctx: Context, e: Expr) -> str | None:
    """The allocated memory of which `e` is (address + distance) & -alignment, not before its start."""
    e = _bare(e)
    if not isinstance(e, Call) or e.name != "bitwise_and":
        return None
    for sum_, mask in (e.args, e.args[::-1]):
        value = const_value(mask)
        alignment = (-int(value)) % (1 << 64) if value is not None else 0
        if alignment == 0 or alignment & (alignment - 1):
            continue
        distance, names = 0, []
        stack = [_bare(sum_)]
        while stack:
            n = stack.pop()
            part = const_value(n)
            if isinstance(n, Add):
                stack += [_bare(n.a), _bare(n.b)]
            elif part is not None:
                distance += int(part)
            elif isinstance(n, Variable):
                names.append(n.name)
            else:
                return None
        if len(names) == 1 and names[0].removeprefix("addr.") in ctx.heap and distance >= alignment - 1:
            return names[0].removeprefix("addr.")
    return None


def _bare(e: Expr) -> Expr:
    """Without conversions among integers of 64 bits."""
    while isinstance(e, Cast) and e.type.bits == 64 and e.value.type.bits == 64:
        e = e.value
    return e


def check(ctx: Context, block: Iterable[Stmt]) -> None:
    """Raises Unsupported where the address of allocated memory is used for anything else, or memory both as it is and
    aligned."""
    numbers = {f"addr.{name}" for name in ctx.heap}
    for s in walk(block):
        found = expressions(s)
        used = {s.array} if isinstance(s, Store) else set()
        used |= {n.name for e in found for n in post_order(e) if isinstance(n, Load)}
        taken = {n for e in found for n in variables(e)} & numbers
        if taken:
            ctx.line = s.line
            ctx.fail(f"address of {min(taken).removeprefix('addr.')} as a number")
        if used & ctx.aligned:
            ctx.line = s.line
            ctx.fail(f"memory '{min(used & ctx.aligned)}' both as it is and aligned")


__all__ = ["allocation", "check"]
