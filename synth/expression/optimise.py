"""The cheapest proved equivalent of an expression, by a chain of proved replacements."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from halide_core.ir.constant_intervals import Range
from halide_core.ir.expr import Call, CallType, Cast, Expr, children
from halide_core.ir.structural import key
from lifter.algebra.value_ranges import ranges_of
from synth.expression.cost import cost
from synth.expression.rewrite_rules import proposals
from verifier.algebra.lemmas import decide_lemma, replace_all
from verifier.smt import Proved

MAX_STEPS = 120


def optimise(
    origin: Expr,
    facts: Sequence[Expr] = (),
    known: Mapping[str, Range] | None = None,
    inline: Callable[[Call], Expr | None] | None = None,
    check: Callable[[], None] = lambda: None,
) -> tuple[Expr, tuple[tuple[Expr, Expr], ...]]:
    """(cheapest, steps): `steps` turn `origin` into it, each a lemma that has been proved."""
    steps: list[tuple[Expr, Expr]] = []
    settled: set[int] = set()
    e, range_of = origin, ranges_of(known or {})
    while len(steps) < MAX_STEPS:
        found = _one_step(e, settled, facts, range_of, inline, check)
        if found is None:
            break
        steps.append(found)
        e = replace_all(e, *found)
    if cost(e) >= cost(origin):
        return origin, ()
    return e, tuple(steps)


def _one_step(
    e: Expr,
    settled: set[int],
    facts: Sequence[Expr],
    range_of: Callable[[Expr], Range],
    inline: Callable[[Call], Expr | None] | None,
    check: Callable[[], None],
) -> tuple[Expr, Expr] | None:
    """The first node, operands before operators, that has a cheaper proved form."""
    for n in _outside_coordinates(e):
        if key(n) in settled:
            continue
        check()
        price = _price(n)
        ranked = sorted(((_price(p), i, p) for i, p in enumerate(proposals(n, range_of))), key=lambda x: x[:2])
        for other, _, p in ranked:
            if other >= price or key(p) == key(n):
                continue
            if p.type != n.type:
                continue
            if isinstance(decide_lemma(n, p, facts, inline), Proved):
                return n, p
        settled.add(key(n))
    return None


def _outside_coordinates(e: Expr) -> list[Expr]:
    """Nodes, operands first, without those inside the coordinates of reads."""
    out: list[Expr] = []
    seen: set[int] = set()
    stack: list[tuple[Expr, bool]] = [(e, False)]
    while stack:
        n, expanded = stack.pop()
        if expanded:
            out.append(n)
            continue
        if key(n) in seen:
            continue
        seen.add(key(n))
        stack.append((n, True))
        if not (isinstance(n, Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE)):
            stack.extend((c, False) for c in reversed(children(n)))
    return out


def _price(e: Expr) -> float:
    """Cost without the conversion at the top, which the operation above mostly takes away."""
    if isinstance(e, Cast) and e.value.type.is_int_or_uint() and e.type.is_int_or_uint():
        inner = e.value
        return cost(inner) + 0.05 * e.type.bytes() + (0.0 if children(inner) else 0.1)
    return cost(e)
