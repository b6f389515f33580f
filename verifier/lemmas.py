"""Equalities of expressions over their terminals, proved for all values, and chains of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from halide_core.ir.expr import Call, Expr, Variable, children, with_children
from halide_core.ir.structural import key, post_order, substitute, transform
from lifter.loops import PureFunction
from verifier.smt import Answer, Proved, Query, Unknown, ValueEncoder, prove

_ANSWERS: dict[tuple[int, int, tuple[int, ...]], Answer] = {}


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
    identity = (key(old), key(new), tuple(key(f) for f in facts))
    if identity not in _ANSWERS:
        a, b = abstract(old, new)
        answer: Answer = Unknown("not tried")
        if key(a) != key(old):
            answer = prove(lemma_query(a, b, (), inline), timeout)
        if not isinstance(answer, Proved):
            answer = prove(lemma_query(old, new, facts, inline), timeout)
        _ANSWERS[identity] = answer
    return _ANSWERS[identity]


def abstract(old: Expr, new: Expr) -> tuple[Expr, Expr]:
    """Both sides with their largest common sub-expressions replaced by fresh variables.

    If these are equal for all values of the variables, so are the sides; the converse does not hold."""
    common = {key(n) for n in post_order(old)} & {key(n) for n in post_order(new)}

    def cut(e: Expr) -> Expr:
        if not children(e):
            return e
        if key(e) in common:
            return Variable(e.type, f"any!{key(e)}")
        return with_children(e, tuple(cut(c) for c in children(e)))

    return cut(old), cut(new)


def remembered(old: Expr, new: Expr, facts: Sequence[Expr]) -> Answer | None:
    """The answer that this process has already had for a lemma."""
    return _ANSWERS.get((key(old), key(new), tuple(key(f) for f in facts)))


def inline_call(call: Call, functions: Mapping[str, PureFunction]) -> Expr | None:
    """The body of a pure function at a call of it."""
    definition = functions.get(call.name)
    if definition is None:
        return None
    return substitute(definition.body, {n: a for (n, _), a in zip(definition.params, call.args, strict=True)})


def replace_all(e: Expr, old: Expr, new: Expr) -> Expr:
    """`e` with every occurrence of `old` replaced."""
    wanted = key(old)
    return transform(e, lambda n: new if key(n) == wanted else n)


def apply_steps(origin: Expr, steps: Sequence[tuple[Expr, Expr]]) -> Expr:
    """The end of a chain of replacements."""
    e = origin
    for old, new in steps:
        e = replace_all(e, old, new)
    return e
