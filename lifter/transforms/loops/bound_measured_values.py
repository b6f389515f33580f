"""Values that address memory and of which nothing but the type is known, between the least and the greatest of them.

    dst[i] = src[position[i]]   becomes   dst[i] = src[clamp(position[i], position_least, position_most)]

Both ends are parameters of the lifted function, which callers do not see: an adapter measures them at each call, over
all elements that the original reads (verifier/conditions/measured.py), so that nothing is clamped in truth.  What is
read of `src` has bounds then, as Halide wants them.  Tables of pairs, `bounds[2 * x]` and `bounds[2 * x + 1]`, have
ends for each of the two."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from halide_core.ir.expr import I32, I64, Cast, Expr, Load, Max, Min, Variable
from halide_core.ir.structural import post_order, transform
from halide_core.ir.structural import replace as replace_in
from halide_core.ir.types import Type
from lifter.algebra.polynomial import Obligation, to_poly
from lifter.ir import loop_ir as L
from lifter.ir.shaping import shaping
from lifter.transforms.loops.bound_data_trips import with_bounded_trips

PASSING = "measured"
"""Of the argument of an interface that stands for such parameters."""
_MOST_STEP = 4
"""Numbers side by side in a table that are told from each other."""


def bounded(function: L.Function, arrays: Iterable[str]) -> L.Function | None:
    """The function with its reads of `arrays` between such parameters wherever they shape it; None where none of them
    can be measured: what the function writes, what is no array of integers of the caller's, what is measured."""
    written = {s.array for s in L.walk(function.body) if isinstance(s, L.Store)}
    written |= {*function.row_tables, *(m.array for m in function.measured)}
    pointers = {p.name: p for p in function.params if p.pointer and p.type.is_int_or_uint() and not p.type.is_bool()}
    chosen = [pointers[a] for a in sorted(set(arrays) & pointers.keys() - written)]
    if not chosen:
        return None
    taken = {p.name for p in function.params} | function.locals.keys() | function.arrays.keys()
    found = [m for p in chosen for m in _measured(function, p.name, taken)]
    types = {p.name: end_type(p.type) for p in chosen}
    params = [L.Param(n, types[m.array], c_type=c_type(types[m.array])) for m in found for n in (m.least, m.most)]
    told = [f"'{p.name}' is read at each call to find out which part of memory its values address" for p in chosen]
    made = replace(
        function,
        body=_Clamps(found, shaping(function.body)).block(function.body),
        params=(*function.params, *params),
        interface=_interface(function, found),
        measured=(*function.measured, *found),
        notes=(*function.notes, *told),
    )
    return with_bounded_trips(made)


def end_type(t: Type) -> Type:
    """The type of the ends of values: that of coordinates where theirs holds more."""
    return t if t == I32 or t.bits < 32 else I32


def c_type(t: Type) -> str:
    return f"{'' if t.is_int() else 'u'}int{t.bits}_t"


def _measured(function: L.Function, array: str, taken: set[str]) -> Iterator[L.Measured]:
    """What is measured of an array: each of the numbers that lie side by side in it, or all as one."""
    places = [_place(n.index) for s in L.walk(function.body) for e in L.expressions(s) for n in _loads(e, array)]
    step = math.gcd(*(step for step, _ in places))
    firsts = sorted({first % step for _, first in places}) if 1 < step <= _MOST_STEP else [0]
    if len(firsts) < 2:
        step, firsts = 1, [0]
    for first in firsts:
        which = f"_{first}" if len(firsts) > 1 else ""
        least, most = (_unique(f"{array}{which}_{end}", taken) for end in ("least", "most"))
        yield L.Measured(array, least, most, step, first)


def _loads(e: Expr, array: str) -> Iterator[Load]:
    return (n for n in post_order(e) if isinstance(n, Load) and n.name == array)


def _place(index: Expr) -> tuple[int, int]:
    """The step of which a place is a multiple, behind a first one; 1 where arithmetic might wrap."""
    found: list[Obligation] = []
    p = to_poly(index, found)
    if any(o.type is None or not o.type.is_int() or o.type.bits < 32 for o in found):  # signed overflow is undefined
        return 1, 0
    return math.gcd(*(c for m, c in p.terms.items() if m)), p.terms.get((), 0)


def _unique(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _interface(function: L.Function, found: Iterable[L.Measured]) -> L.Interface:
    """How the function is called, with arguments that callers do not give."""
    call = function.interface
    if call is None:
        plain = tuple(
            L.Argument(p.name, p.c_type, p.c_type, "plain", (L.Part(p.name, "@"),)) for p in function.params
        )
        call = L.Interface(plain, function.c_return_type)
    ends = [
        L.Argument(m.least, "", "", PASSING, (L.Part(m.least, m.array), L.Part(m.most, m.array))) for m in found
    ]
    return replace(call, arguments=(*call.arguments, *ends))


class _Clamps:
    """Writes clamps in addresses, in what they are made of, and in conditions of loops."""

    def __init__(self, found: Iterable[L.Measured], shaping_locals: set[str]) -> None:
        self.measured: dict[str, list[L.Measured]] = {}
        for m in found:
            self.measured.setdefault(m.array, []).append(m)
        self.shaping_locals = shaping_locals

    def clamp(self, n: Expr) -> Expr:
        """A read between its ends; as an index of 64 bits, without the type in between."""
        if isinstance(n, Load) and n.name in self.measured:
            choices = self.measured[n.name]
            m = choices[0] if len(choices) == 1 else _of_place(choices, n.index)
            t = end_type(n.type)
            value = n if t == n.type else Cast(t, n)
            between = Max(t, Min(t, value, Variable(t, m.most)), Variable(t, m.least))
            return between if t == n.type else Cast(n.type, between)
        if isinstance(n, Cast) and n.type == I64 and isinstance(n.value, Cast) and isinstance(n.value.value, Max):
            inner = n.value.value
            if inner.type == I32 and isinstance(inner.b, Variable) and inner.b.name in self._least:
                return Cast(I64, inner)
        return n

    @property
    def _least(self) -> set[str]:
        return {m.least for found in self.measured.values() for m in found}

    def shape(self, e: Expr) -> Expr:
        """An expression that shapes the function."""
        return transform(e, self.clamp)

    def value(self, e: Expr) -> Expr:
        """One that does not, in which addresses may stand."""
        return replace_in(e, lambda n: replace(n, index=self.shape(n.index)) if isinstance(n, Load) else None)

    def block(self, body: Iterable[L.Stmt]) -> tuple[L.Stmt, ...]:
        """The statements with clamps."""
        return tuple(map(self.one, body))

    def one(self, s: L.Stmt) -> L.Stmt:
        match s:
            case L.Store():
                return replace(s, index=self.shape(s.index), value=self.value(s.value))
            case L.Assign():
                return replace(s, value=(self.shape if s.name in self.shaping_locals else self.value)(s.value))
            case L.Define():
                return replace(s, value=self.value(s.value))
            case L.Declare():
                return replace(s, size=self.shape(s.size))
            case L.Return():
                return s if s.value is None else replace(s, value=self.value(s.value))
            case L.Assert():
                return replace(s, condition=self.value(s.condition))
            case L.If():
                then, otherwise = self.block(s.then), self.block(s.otherwise)
                return replace(s, condition=self.value(s.condition), then=then, otherwise=otherwise)
            case L.Loop():
                prelude, body, step = self.block(s.prelude), self.block(s.body), self.block(s.step)
                return replace(s, condition=self.shape(s.condition), prelude=prelude, body=body, step=step)
        return s


def _of_place(choices: Iterable[L.Measured], index: Expr) -> L.Measured:
    first = to_poly(index).terms.get((), 0)
    return next(m for m in choices if first % m.step == m.first)


__all__ = ["PASSING", "bounded", "c_type", "end_type"]
