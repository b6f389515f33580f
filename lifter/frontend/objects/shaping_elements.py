"""Numbers in the caller's memory that decide where memory is touched: `dst[0] + y * stride[0]`, `x < size->width`.

An array of integers that is only read, and at constant places, and that addresses or numbers of iterations are made
of, is a parameter for each of its elements, as an object with as many fields would be: read before the function's work
where the original reads them, and apart from what is written.  A structure of which that is so is an object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeGuard

from halide_core.ir.expr import Expr, Load, Variable, const_value
from halide_core.ir.structural import post_order, substitute
from halide_core.ir.types import UInt
from lifter.frontend.objects.parameters import Taken, address_of_array
from lifter.frontend.objects.scalar_replacement import rewritten, split_named
from lifter.frontend.state.context import Context
from lifter.frontend.state.found import Again
from lifter.ir.loop_ir import Argument, Param, Part, Stmt, Store, expressions, walk
from lifter.ir.names import address_name
from lifter.ir.shaping import shaping_arrays


class Single(Again):
    """A parameter points to one structure, whose fields shape the function."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def as_parameters(ctx: Context, body: list[Stmt], taken: list[Taken]) -> tuple[list[Stmt], list[Taken]]:
    """The statements over a parameter for each element that is read of such arrays, and the parameters."""
    shaping = shaping_arrays(body)
    for name, size in ctx.structures.items():
        places = [const_value(i) for i in _places(body, name)]
        count = size // ctx.arrays[name].bytes() if name in ctx.arrays else 0
        if name in shaping and all(k is not None and 0 <= k < count for k in places):
            raise Single(name)
    written = {s.array for s in walk(body) if isinstance(s, Store)}

    def splits(item: Taken) -> bool:
        (p, *others) = item.params
        of_numbers = p.pointer and p.type.is_int_or_uint() and p.type.bits > 8 and p.name not in ctx.structures
        return of_numbers and not others and p.name in shaping - written - {ctx.returned_base}

    plain = {t.params[0].name: t for t in taken if t.argument.passing == "plain" and splits(t)}
    body, names = split_named(ctx, body, plain)
    out: list[Taken] = []
    addresses: dict[str, Expr] = {}
    for item in taken:
        elements = {k: name for (array, k), name in names.items() if plain.get(array) is item}
        out.append(_taken_apart(ctx, item, elements) if elements else item)
        if elements:
            old, new = (address_name(t.params[0].name) for t in (item, out[-1]))
            addresses[old] = Variable(UInt(64), new)
    return rewritten(body, lambda e: substitute(e, addresses), {}, set()), out


def _places(body: Iterable[Stmt], array: str) -> list[Expr]:
    """Where an array is touched."""
    statements = list(walk(body))
    read = [n.index for s in statements for e in expressions(s) for n in post_order(e) if _is_of(n, array)]
    return read + [s.index for s in statements if isinstance(s, Store) and s.array == array]


def _is_of(n: Expr, array: str) -> TypeGuard[Load]:
    return isinstance(n, Load) and n.name == array


def _taken_apart(ctx: Context, item: Taken, elements: dict[int, str]) -> Taken:
    a, (p,) = item.argument, item.params
    address, whole = address_of_array(ctx, p.name, (max(elements) + 1) * p.type.bytes())
    for known in (ctx.pointer_parameters, ctx.const_arrays):
        known.discard(p.name)
    ctx.locals.pop(p.name, None)
    ctx.sizes.pop(p.name, None)
    params, parts = [address], [whole]
    element = f"{'' if p.type.is_int() else 'u'}int{p.type.bits}_t"
    for k, name in elements.items():
        ctx.parameters[name] = ctx.locals.pop(name)
        params.append(Param(name, p.type, c_type=element))
        parts.append(Part(name, f"((const {element} *)@)[{k}]", through=("@",)))  # it may be declared otherwise
    return Taken(Argument(a.name, a.type, a.type, "value", tuple(parts)), params, item.binding)
