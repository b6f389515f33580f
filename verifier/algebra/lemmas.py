"""Equalities of expressions over their terminals, proved for all values, and chains of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from halide_core.ir.constant_intervals import Range, full
from halide_core.ir.expr import BOOL, GE, LE, Call, CallType, Expr, Let, Variable, children, const, with_children
from halide_core.ir.structural import key, operator_of, post_order, same, transform
from lifter.algebra.value_ranges import ranges
from verifier.algebra.exact import exact_form, intervals
from verifier.smt import Answer, Proved, Query, Unknown, ValueEncoder, prove

_MOST_PARTS = 40
_PART_SECONDS = 0.5

_ANSWERS: dict[tuple[int, int, tuple[int, ...], tuple[int, ...]], Answer] = {}


def lemma_query(
    old: Expr, new: Expr, facts: Sequence[Expr], inline: Callable[[Call], Expr | None] | None = None
) -> Query:
    """old == new under `facts`, for all values of reads, parameters and coordinates."""
    encoder = ValueEncoder(inline)
    assumptions = tuple(encoder.encode(f) for f in facts)
    return Query(assumptions, encoder.equal(old, new))


def decide_lemma(
    old: Expr,
    new: Expr,
    facts: Sequence[Expr],
    inline: Callable[[Call], Expr | None] | None = None,
    timeout: float = 2.0,
) -> Answer:
    """The answer to old == new, remembered within the process."""
    identity = (key(old), key(new), tuple(key(f) for f in facts), _meanings((old, new, *facts), inline))
    if identity not in _ANSWERS:
        answer: Answer = Proved() if same_exactly(old, new, facts, inline) else Unknown("not tried")
        if not isinstance(answer, Proved):
            answer = prove(abstract_query(old, new, inline), timeout)
        if not isinstance(answer, Proved):
            answer = prove(lemma_query(old, new, facts, inline), timeout)
        _ANSWERS[identity] = answer
    return _ANSWERS[identity]


def _meanings(es: Sequence[Expr], inline: Callable[[Call], Expr | None] | None) -> tuple[int, ...]:
    """The bodies of the functions that are called: another file may have another one of the name."""
    if inline is None:
        return ()
    calls = [n for e in es for n in post_order(e) if isinstance(n, Call) and n.call_type is CallType.FUNCTION]
    bodies = (inline(n) for n in {key(n): n for n in calls}.values())
    return tuple(key(b) for b in bodies if b is not None)


def same_exactly(
    old: Expr, new: Expr, facts: Sequence[Expr], inline: Callable[[Call], Expr | None] | None = None
) -> bool:
    """Whether both have one normal form over the integers."""
    known = intervals(facts)
    forms = [exact_form(e if inline is None else _inlined(e, inline), known) for e in (old, new)]
    return same(*forms)


def part_by_part(old: Expr, new: Expr, facts: Sequence[Expr], inline: Callable[[Call], Expr | None] | None) -> bool:
    """Whether both are made by the same operators of operands that are equal, each proved by itself."""
    pairs = _unlike(old, new)
    if len(pairs) > _MOST_PARTS or any(a is old for a, _ in pairs):
        return False
    return all(isinstance(decide_lemma(a, b, facts, inline, _PART_SECONDS), Proved) for a, b in pairs)


def _unlike(old: Expr, new: Expr) -> list[tuple[Expr, Expr]]:
    """The outermost operands that differ, of two expressions that are made by the same operators down to there."""
    found: dict[tuple[int, int], tuple[Expr, Expr]] = {}
    seen = set[tuple[int, int]]()
    stack = [(old, new)]
    while stack:
        a, b = stack.pop()
        identity = key(a), key(b)
        if identity[0] == identity[1] or identity in seen:
            continue
        seen.add(identity)
        xs, ys = children(a), children(b)
        alike = operator_of(a) == operator_of(b) and all(x.type == y.type for x, y in zip(xs, ys, strict=True))
        if xs and alike and not isinstance(a, Let):
            stack += zip(xs, ys, strict=True)
        else:
            found[identity] = a, b
    return list(found.values())


def _inlined(e: Expr, inline: Callable[[Call], Expr | None]) -> Expr:
    """`e` with pure functions replaced by their bodies."""

    def visit(n: Expr) -> Expr:
        body = inline(n) if isinstance(n, Call) and n.call_type is CallType.FUNCTION else None
        return n if body is None else _inlined(body, inline)

    return transform(e, visit)


def abstract_query(old: Expr, new: Expr, inline: Callable[[Call], Expr | None] | None = None) -> Query:
    """old == new with their largest common sub-expressions replaced by fresh variables within proved intervals.

    If this holds so does the lemma; the converse is not so."""
    common = {key(n) for n in post_order(old)} & {key(n) for n in post_order(new)}
    table = ranges(old, {})
    encoder = ValueEncoder(inline)
    bounds: list[Any] = []

    done: dict[int, Expr] = {}

    def cut(e: Expr) -> Expr:
        number = key(e)
        if number not in done:
            done[number] = cut_anew(e)
        return done[number]

    def cut_anew(e: Expr) -> Expr:
        if not children(e):
            return e
        if key(e) in common:
            name = Variable(e.type, f"any!{key(e)}")
            claim = table.get(id(e))
            if claim is not None and not e.type.is_bool() and claim != full(e.type) and proved_range(e, claim, table):
                bounds.append(within(encoder, name, claim))
            return name
        return with_children(e, tuple(cut(c) for c in children(e)))

    goal = encoder.equal(cut(old), cut(new))
    return Query(tuple(bounds), goal)


def within(encoder: ValueEncoder, e: Expr, r: Range) -> Any:
    """low <= e <= high."""
    low, high = (encoder.encode(kind(BOOL, e, const(v, e.type))) for kind, v in ((GE, r[0]), (LE, r[1])))
    return encoder.both(low, high)


_RANGES: dict[tuple[int, Range], bool] = {}


def proved_range(e: Expr, claim: Range, table: Mapping[int, Range]) -> bool:
    """Whether `e` always lies within `claim`, proved node by node from the proved intervals of its operands."""
    identity = (key(e), claim)
    if identity not in _RANGES:
        encoder = ValueEncoder()
        bounds = []
        parts = []
        for c in children(e):
            part = c
            if children(c):
                part = Variable(c.type, f"any!{key(c)}")
                inner = table.get(id(c))
                if (
                    inner is not None
                    and not c.type.is_bool()
                    and inner != full(c.type)
                    and proved_range(c, inner, table)
                ):
                    bounds.append(within(encoder, part, inner))
            parts.append(part)
        node = with_children(e, tuple(parts))
        _RANGES[identity] = isinstance(prove(Query(tuple(bounds), within(encoder, node, claim)), 1.0), Proved)
    return _RANGES[identity]


def replace_all(e: Expr, old: Expr, new: Expr) -> Expr:
    """`e` with every occurrence of `old` replaced, outside the coordinates of reads."""
    wanted = key(old)
    done: dict[int, Expr] = {}

    def visit(n: Expr) -> Expr:
        number = key(n)
        if number == wanted:
            return new
        if number not in done:
            read = isinstance(n, Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE)
            done[number] = n if read else with_children(n, tuple(visit(c) for c in children(n)))
        return done[number]

    return visit(e)


def apply_steps(origin: Expr, steps: Sequence[tuple[Expr, Expr]]) -> Expr:
    """The end of a chain of replacements."""
    e = origin
    for old, new in steps:
        e = replace_all(e, old, new)
    return e
