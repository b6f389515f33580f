"""Sums over windows are added up row by row.

    ((a[i] + a[i + 1]) + a[i + s]) + a[i + s + 1]     becomes     (a[i] + a[i + 1]) + (a[i + s] + a[i + s + 1])

so that the sum of a row is one expression in the windows of neighbouring rows, and is computed once where the loop over
these is unrolled.  Integers only, which wrap, so that the order of their sums is free."""

from __future__ import annotations

from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import Expr
from halide_core.ir.structural import cached, key, post_order, transform
from halide_core.ir.sums import build_sum, linear_terms

# What a term reads: arrays, each with the index but for its constant.
_Row = tuple[tuple[str, int], ...]
# The same, each with the least of the constants.
_Reads = tuple[tuple[str, int, int], ...]
_READS: dict[int, _Reads] = {}
_MOST = 8
_MOST_TERMS = 1024
"""Of one sum: a sum of sums that are shared may have any number of them."""


def regroup_sums(s: st.Stmt) -> st.Stmt:
    """`s` with the sums of stored values regrouped; the same object back where there are none."""
    if isinstance(s, st.Store):
        value = _regrouped(s.value)
        return s if value is s.value else st.Store(s.name, value, s.index, s.predicate, s.streaming)
    parts = {id(x): regroup_sums(x) for x in st.bodies(s)}
    if all(parts[id(x)] is x for x in st.bodies(s)):
        return s
    return st.rebuild(s, lambda x: parts[id(x)], lambda e: e)


def _regrouped(e: Expr) -> Expr:
    # A sum inside a sum is no sum of its own.
    inner = {id(c) for n in post_order(e) if isinstance(n, ir.Add) for c in ir.children(n) if isinstance(c, ir.Add)}
    wanted = {id(n): n for n in post_order(e) if isinstance(n, ir.Add) and id(n) not in inner}
    new = {number: _by_rows(n) for number, n in wanted.items()}
    changed = {key(wanted[k]): v for k, v in new.items() if v is not None}
    return transform(e, lambda n: changed.get(key(n), n)) if changed else e


def _by_rows(e: ir.Add) -> Expr | None:
    """The sum `e`, row by row, or None where it is none of two rows with two terms each."""
    if not e.type.is_int_or_uint() or e.type.is_bool() or not e.type.is_scalar():
        return None
    terms: list[Expr] = []
    work: list[Expr] = [e]
    while work:
        n = work.pop()
        if isinstance(n, ir.Add):
            work += [n.b, n.a]
        else:
            terms.append(n)
        if len(terms) > _MOST_TERMS:
            return None
    rows: dict[_Row, list[tuple[int, Expr]]] = {}
    for t in terms:
        row, place = _row_of(t)
        rows.setdefault(row, []).append((place, t))
    if sum(len(r) > 1 and row != () for row, r in rows.items()) < 2:
        return None
    sums = [_sum([t for _, t in sorted(r, key=lambda pair: pair[0])]) for r in rows.values()]
    return _sum(sums)


def _sum(terms: list[Expr]) -> Expr:
    out = terms[0]
    for t in terms[1:]:
        out = ir.Add(out.type, out, t)
    return out


def _row_of(t: Expr) -> tuple[_Row, int]:
    """What `t` reads, and how far along."""
    found = cached(_READS, t, _reads)
    return tuple((name, index) for name, index, _ in found), min((place for _, _, place in found), default=0)


def _reads(e: Expr, inner: list[_Reads]) -> _Reads:
    if isinstance(e, ir.Load):
        index, constant = linear_terms(e.index)
        return ((e.name, key(build_sum(index, 0, e.index.type)), constant),)
    least: dict[tuple[str, int], int] = {}
    for name, number, place in (x for reads in inner for x in reads):
        least[name, number] = min(place, least.get((name, number), place))
    # What reads that much is in no row, but the same one as all that does.
    return tuple((*k, least[k]) for k in sorted(least)[:_MOST])
