"""Whether a new effect stores what the old one stores, if their reads see the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from halide_core.ir.expr import BOOL, Expr, Load, Not, Variable, children, make_bool
from halide_core.ir.structural import key, operator_of, transform
from lifter.algebra.fold import clauses, fold_node, negate
from lifter.algebra.polynomial import from_poly, to_poly
from lifter.ir.effect_edits import at
from lifter.ir.effects import reads_in
from lifter.ir.names import array_of, is_read
from lifter.simd.simplify import simplify_node
from verifier.rewritings.accesses import Image
from verifier.sign_queries import same_values

Pairs = list[tuple[Load, Load]]


@dataclass(frozen=True, slots=True)
class Said:
    """What a new effect says of an old one's work, over the counters of the image."""

    pairs: Pairs
    """The old effect's reads and the new one's, pair by pair."""
    exact: bool
    """Whether both say the same under the same condition; if not, the new value is the old one where both conditions
    hold."""
    was: Expr
    """The old effect's condition, its reads as variables."""
    now: Expr
    """The new one's."""
    kept: Load | None = None
    """What the old effect reads of its own element and gives it back wherever the new one does not store, if so."""


def said(image: Image, conditions: Sequence[Expr]) -> Said | None:
    """What an image is known to say; None where its values may differ."""
    old, new = image.old, image.new
    known = [c for c in conditions if not reads_in(c)]
    pairs: Pairs = []
    a, b = at(from_poly(old.index), image.was), at(from_poly(new.index), image.now)
    if (reads_in(a) or reads_in(b)) and not _match(_plain(a), _plain(b), pairs, set()):
        return None
    values = at(old.value, image.was), at(new.value, image.now)
    guards = tuple(
        make_bool(True) if e.guard is None else at(e.guard, counters)
        for e, counters in ((old, image.was), (new, image.now))
    )
    found = len(pairs)
    if _match(_plain(guards[0]), _plain(guards[1]), pairs, set()) and _equal(*values, pairs, known):
        return Said(pairs, True, guards[0], guards[1])
    del pairs[found:]
    opaque = _without_reads([guards[0], values[0]], [guards[1], _where(guards[0], values[1])], pairs)
    if opaque is None:
        return None
    (was, before), (now, after) = opaque
    if before.type != after.type or not same_values([*known, was, now], before, after):
        return None
    own = [n for n in reads_in(_plain(old.value)) if array_of(n) == old.array and to_poly(n.index) == old.index]
    kept = len(own) == 1 and not image.was and same_values([*known, was, Not(BOOL, now)], before, _hidden(own[0]))
    return Said(pairs, False, was, now, own[0] if kept else None)


def _where(condition: Expr, value: Expr) -> Expr:
    """A value where a condition holds."""
    known: dict[int, bool] = {}
    for c in clauses(_plain(condition)):
        known |= {key(c): True, key(negate(c)): False}
    return transform(_plain(value), lambda n: make_bool(known[key(n)]) if key(n) in known else fold_node(n))


def implies(given: Expr, goal: Expr) -> bool:
    """Whether a condition without reads has another one hold."""
    return same_values([given], goal, make_bool(True))


def same_result(a: Expr | None, b: Expr | None) -> Pairs | None:
    """The reads of the results, pair by pair."""
    pairs: Pairs = []
    if a is None or b is None:
        return pairs if a is b else None
    return pairs if _equal(a, b, pairs, ()) else None


def _equal(a: Expr, b: Expr, pairs: Pairs, conditions: Sequence[Expr]) -> bool:
    found = len(pairs)
    if _match(_plain(a), _plain(b), pairs, set()):
        return True
    del pairs[found:]
    return _equal_by_proof(_plain(a), _plain(b), pairs, conditions)


def _plain(e: Expr) -> Expr:
    """An expression in a simple form, addresses as polynomials."""

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, Load):
            return replace(n, index=from_poly(to_poly(n.index)))
        return simplify_node(fold_node(n))

    return transform(e, rewrite)


def _match(a: Expr, b: Expr, pairs: Pairs, seen: set[tuple[int, int]]) -> bool:
    """Whether two expressions are one but for what is read where, and when."""
    if (key(a), key(b)) in seen:
        return True
    seen.add((key(a), key(b)))
    if is_read(a) and is_read(b):
        if a.type != b.type:
            return False
        pairs.append((a, b))
        inner = reads_in(a.index), reads_in(b.index)
        return not any(inner) or (array_of(a) == array_of(b) and _match(a.index, b.index, pairs, seen))
    if operator_of(a) != operator_of(b) or len(children(a)) != len(children(b)):
        return False
    return all(_match(x, y, pairs, seen) for x, y in zip(children(a), children(b), strict=True))


def _equal_by_proof(a: Expr, b: Expr, pairs: Pairs, conditions: Sequence[Expr]) -> bool:
    """Whether two expressions of the same reads are one value, by the solver."""
    if a.type != b.type:
        return False
    opaque = _without_reads([a], [b], pairs)
    return opaque is not None and same_values(conditions, opaque[0][0], opaque[1][0])


def _without_reads(
    old: Sequence[Expr], new: Sequence[Expr], pairs: Pairs
) -> tuple[list[Expr], list[Expr]] | None:
    """Expressions with variables in place of what they read: the same one for what is read of one place before and
    after, which are added to the pairs.  None where a place is read at several times, or by what is read."""
    old, new = [_plain(e) for e in old], [_plain(e) for e in new]
    known: dict[tuple[str, int], Load] = {}
    for n in {key(n): n for e in old for n in reads_in(e)}.values():
        place = array_of(n), key(n.index)
        if reads_in(n.index) or place in known:
            return None
        known[place] = n
    met: dict[tuple[str, int], Load] = {}
    for m in {key(m): m for e in new for m in reads_in(e)}.values():
        place = array_of(m), key(m.index)
        other = known.get(place)
        if other is None or other.type != m.type or place in met:
            return None
        met[place] = m
    # A read that only the old effect makes is of no account.
    pairs += [(known[place], m) for place, m in met.items()]
    return [_hidden(e) for e in old], [_hidden(e) for e in new]


def _hidden(e: Expr) -> Expr:
    return transform(e, lambda n: Variable(n.type, f"{array_of(n)}!{key(n.index)}") if is_read(n) else n)
