"""The items of a function's contract as text, those of all its paths."""

from __future__ import annotations

from functools import reduce

from halide_core.ir.expr import BOOL, Expr, Or, const_value
from halide_core.ir.structural import key
from lifter.algebra.fold import negate
from lifter.ir.summary import ContractItem, PathSummary, Summary
from verifier.contract import index_text_of

_Clause = dict[int, Expr]
"""Conditions, of which one must hold, by their keys."""


def contract_texts(summary: Summary) -> tuple[list[str], list[str]]:
    """The items, each once, and those of them that the source does not state.

    Paths that are left to the original are told together: of `a or b` and `a or not b` that is `a`."""
    left = [p for p in summary.paths if _is_left(p)]
    clauses = [{key(negate(c)): negate(c) for c in p.conditions} for p in left]
    alone = {i.text for p in left for i in p.contract if _never(i)}
    items: dict[str, bool] = {}
    for p in summary.paths:
        for i in p.contract:
            if i.text not in alone:
                items[i.text] = items.get(i.text, False) or i.inferred
    for clause in _resolved(clauses):
        items.setdefault(index_text_of(reduce(lambda a, b: Or(BOOL, a, b), clause.values())), False)
    return list(items), [text for text, inferred in items.items() if inferred]


def _is_left(p: PathSummary) -> bool:
    return bool(p.conditions) and any(_never(i) for i in p.contract)


def _never(i: ContractItem) -> bool:
    return i.condition is not None and const_value(i.condition) == 0 and i.kind == "apart"


def _resolved(clauses: list[_Clause]) -> list[_Clause]:
    """Fewer and shorter conditions that together say the same."""
    known = {frozenset(c): c for c in clauses}
    while True:
        made = next(
            (m for a in known.values() for b in known.values() if (m := _joined(a, b)) is not None), None
        )
        if made is None:
            return list(known.values())
        known = {k: c for k, c in known.items() if not made.keys() <= c.keys()} | {frozenset(made): made}


def _joined(a: _Clause, b: _Clause) -> _Clause | None:
    """What two conditions say that differ in what one denies of the other: the rest of the shorter one."""
    for number, c in a.items():
        against = key(negate(c))
        if against in b and a.keys() - {number} <= b.keys() - {against}:
            return {k: e for k, e in b.items() if k != against}
    return None
