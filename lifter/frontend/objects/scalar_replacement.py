"""Local arrays that are only used at constant places, as scalars: `__m128i rows[4]` is four registers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from halide_core.ir.expr import Expr, Load, Variable, const_value
from halide_core.ir.structural import post_order, transform
from lifter.frontend.state.context import Context
from lifter.ir.loop_ir import Assert, Assign, Declare, Define, If, Loop, Return, Stmt, Store, expressions, walk


def split(ctx: Context, block: Sequence[Stmt], arrays: Iterable[str]) -> list[Stmt]:
    """The statements with each of `arrays` that has constant indices only replaced by a local for each element.

    A local keeps its value from one iteration to the next where the array would be new, but no defined program reads
    an element that it has not written."""
    return split_named(ctx, block, arrays)[0]


def split_named(
    ctx: Context, block: Sequence[Stmt], arrays: Iterable[str]
) -> tuple[list[Stmt], dict[tuple[str, int], str]]:
    """As `split`, with the locals by array and index."""
    places: dict[str, set[int]] = {name: set() for name in arrays}

    def see(name: str, index: Expr) -> None:
        found = const_value(index)
        if name in places and found is None:
            del places[name]
        elif name in places:
            places[name].add(int(found or 0))

    for s in walk(block):
        if isinstance(s, Store):
            see(s.array, s.index)
        elif isinstance(s, Declare) and s.zeroed:
            places.pop(s.array, None)
        for e in expressions(s):
            for n in post_order(e):
                if isinstance(n, Load):
                    see(n.name, n.index)
    if not places:
        return list(block), {}
    names = {
        (array, k): ctx.new_local(f"{array}_{k}", ctx.arrays[array])
        for array, found in places.items()
        for k in sorted(found)
    }

    def read(n: Expr) -> Expr:
        if isinstance(n, Load) and n.name in places:
            return Variable(n.type, names[n.name, int(const_value(n.index) or 0)])
        return n

    for array in places:
        del ctx.arrays[array]
    return rewritten(block, lambda e: transform(e, read), names, set(places)), names


def rewritten(
    block: Iterable[Stmt], value: Callable[[Expr], Expr], names: dict[tuple[str, int], str], gone: set[str]
) -> list[Stmt]:
    """Statements with other expressions, and assignments of `names` in place of stores to the arrays `gone`."""
    out: list[Stmt] = []

    def inside(part: Iterable[Stmt]) -> tuple[Stmt, ...]:
        return tuple(rewritten(part, value, names, gone))

    for s in block:
        match s:
            case Declare() if s.array in gone:
                pass
            case Declare():
                out.append(replace(s, size=value(s.size)))
            case Store() if s.array in gone:
                out.append(Assign(s.line, names[s.array, int(const_value(s.index) or 0)], value(s.value)))
            case Store():
                out.append(replace(s, index=value(s.index), value=value(s.value)))
            case Assign() | Define():
                out.append(replace(s, value=value(s.value)))
            case Return():
                out.append(replace(s, value=None if s.value is None else value(s.value)))
            case Assert():
                out.append(replace(s, condition=value(s.condition)))
            case If():
                out.append(replace(s, condition=value(s.condition), then=inside(s.then), otherwise=inside(s.otherwise)))
            case Loop():
                prelude, body, step = inside(s.prelude), inside(s.body), inside(s.step)
                out.append(replace(s, condition=value(s.condition), prelude=prelude, body=body, step=step))
            case _:
                out.append(s)
    return out
