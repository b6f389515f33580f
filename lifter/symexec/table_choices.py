"""Entries of constant tables that parameters pick, as choices: `widths[mode]` is `mode <= 0 ? 4 : mode <= 1 ? 8 : 16`.

A loop whose number of iterations stands in a table has one that depends on parameters, then, and not on data. The
place must be inside of the table: outside the choice has some value, the original whatever lies there."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from halide_core.ir.expr import BOOL, I64, LE, Cast, Expr, Load, Select, Variable, const
from halide_core.ir.structural import contains, post_order, transform
from halide_core.ir.types import Type
from lifter.algebra.fold import fold_node
from lifter.algebra.polynomial import Obligation, Poly, to_poly
from lifter.ir import loop_ir as L
from lifter.ir.names import array_of, is_counter, is_head, is_undefined

_MOST_RUNS = 32
"""Entries that differ from the one before; blocks of video codecs have some twenty sizes."""


def tables_as_choices(e: Expr, tables: Mapping[str, L.ConstArray], found: list[Obligation]) -> Expr:
    """An expression with choices for what it reads of constant tables at places that only parameters decide; appends
    that these places are inside of the tables."""
    if not contains(e, Load):
        return e
    made: dict[int, Expr] = {}

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, Cast) and id(n.value) in made:  # where the entries are given their type, not around the choice
            return kept(_with_arms(n.value, n.type))
        table = tables.get(array_of(n)) if isinstance(n, Load) else None
        if table is None or not isinstance(n, Load) or not _of_parameters(n.index):
            return fold_node(n)
        chosen = _choice(n, table)
        if chosen is None:
            return fold_node(n)
        place = to_poly(n.index, found)
        found.extend(Obligation(p, None) for p in (place, Poly.constant(len(table.values) - 1) - place))
        return kept(chosen)

    def kept(choice: Expr) -> Expr:
        made[id(choice)] = choice
        return choice

    return transform(e, rewrite)


def _of_parameters(index: Expr) -> bool:
    names = [n.name for n in post_order(index) if isinstance(n, Variable)]
    return not contains(index, Load) and not any(is_counter(n) or is_head(n) or is_undefined(n) for n in names)


def _choice(read: Load, table: L.ConstArray) -> Expr | None:
    runs = [(value, len(list(same))) for value, same in itertools.groupby(table.values)]
    if len(runs) > _MOST_RUNS or not read.type.is_int_or_uint():
        return None
    ends = list(itertools.accumulate(length for _, length in runs))
    chosen: Expr = const(runs[-1][0], read.type)
    for (value, _), end in reversed(list(zip(runs, ends, strict=True))[:-1]):
        chosen = Select(read.type, _at_most(read.index, end - 1), const(value, read.type), chosen)
    return chosen


def _at_most(index: Expr, last: int) -> Expr:
    """`index <= last`, in the type that the source counts in."""
    own = index.value if isinstance(index, Cast) and index.type == I64 else index
    fits = own.type.is_int_or_uint() and last <= own.type.max() and (own.type.is_int() or own.type.bits < 64)
    return fold_node(LE(BOOL, own, const(last, own.type)) if fits else LE(BOOL, index, const(last, I64)))


def _with_arms(choice: Expr, type_: Type) -> Expr:
    if isinstance(choice, Select):
        arms = (_with_arms(a, type_) for a in (choice.true_value, choice.false_value))
        return Select(type_, choice.condition, *arms)
    return fold_node(Cast(type_, choice))
