"""Whether a new effect stores what the old one stores, if their reads see the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from halide_core.ir.expr import Expr, Load, Variable, children
from halide_core.ir.structural import key, operator_of, transform
from lifter.algebra.fold import fold_node
from lifter.algebra.polynomial import from_poly, to_poly
from lifter.ir.effect_edits import at
from lifter.ir.effects import reads_in
from lifter.ir.names import array_of, is_read
from lifter.simd.simplify import simplify_node
from verifier.rewritings.accesses import Image
from verifier.sign_queries import same_values

Pairs = list[tuple[Load, Load]]


def pairs_of(image: Image, conditions: Sequence[Expr]) -> Pairs | None:
    """The reads of the old effect and of the new one, over the old counters, pair by pair; None where what they store
    may be another value, or be stored under another condition."""
    old, new = image.old, image.new
    pairs: Pairs = []
    a, b = (from_poly(e.index) for e in (old, new))
    if (reads_in(a) or reads_in(b)) and not _match(_plain(a), _plain(at(b, image.origin.here)), pairs, set()):
        return None
    for x, y in ((old.guard, new.guard), (old.value, new.value)):
        if (x is None) != (y is None):
            return None
        if x is not None and y is not None and not _equal(x, at(y, image.origin.here), pairs, conditions):
            return None
    return pairs


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
    known: dict[tuple[str, int], Load] = {}
    names: dict[int, Variable] = {}
    for n in reads_in(a):
        place = array_of(n), key(n.index)
        if reads_in(n.index) or place in known:
            return False
        known[place] = n
        names[key(n)] = Variable(n.type, f"read!{len(known)}")
    met: Pairs = []
    for m in reads_in(b):
        other = known.get((array_of(m), key(m.index)))
        if other is None or other.type != m.type or names.get(key(m), names[key(other)]) is not names[key(other)]:
            return False
        names[key(m)] = names[key(other)]
        met.append((other, m))
    if len({key(m) for _, m in met}) < len(met) or len(met) > len({key(n) for n, _ in met}):
        return False
    # A read that only the old value makes is of no account.
    pairs += met
    x, y = (transform(e, lambda n: names.get(key(n), n)) for e in (a, b))
    return same_values([c for c in conditions if not reads_in(c)], x, y)
