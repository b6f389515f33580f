"""Reads that a condition guards, as stores of their own under that condition.

    d[y*w + x] = inside(x, y) ? s[j*w + i] : 0;      becomes      d[y*w + x] = 0;  and then, in a nest of its own,
                                                                  if (inside(x, y)) d[y*w + x] = s[j*w + i];

So do those that the first part of a condition guards (`x == 0 || s[x] != s[x - 1] ? 255 : 0`).
What is read only where the condition holds is then read only where a store is made.  (A choice in Halide evaluates both
of what it chooses from; an update under `RDom.where` evaluates nothing where the condition fails.)"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from halide_core.ir.expr import And, Expr, Or, Select, make_bool
from halide_core.ir.structural import key, post_order, transform
from lifter.algebra.fold import conjunction, fold, negate
from lifter.ir.effect_edits import Edit, Origin, in_domain, joined, renamed, restate, spaced
from lifter.ir.effects import Effect, Path, loads, sites
from lifter.ir.names import array_of, unused

_MOST = 4
"""Choices that are taken apart, at the most: each makes a store more of one."""


def split_guarded_reads(path: Path, outputs: Collection[str], of_data: bool) -> Edit | None:
    """Such stores; None if there are none, or too many.  What only data guard may be read in any case: by conditions
    `of_data` a store need not always be taken apart."""
    edit = Edit.on(path)
    for taken in range(_MOST + 1):
        parts = (_apart(edit.path, e, of_data) for e in edit.path.effects if e.array in outputs)
        found = next((p for p in parts if p is not None), None)
        if found is None:
            return edit if taken else None
        edit = edit.followed_by(found)
    return None


def _apart(path: Path, e: Effect, of_data: bool) -> Edit | None:
    last = max(x.order for x in path.effects if x.nest == e.nest)
    beside = [x for x in path.effects if x is not e and (x.nest == e.nest or e.order < x.order < last)]
    # What is stored under the guard is stored after all of its nest.
    if any(x.array in {e.array, *_read(e)} or e.array in _read(x) for x in beside):
        return None
    if not e.loops or any(loads(a) for a in e.index.atoms().values()):
        return None
    stored = {x.array for x in path.effects}
    if any(array_of(n) in stored for n in loads(e.value)):
        return None
    value, choice = _taken(e.value, of_data)
    if choice is None:
        return None
    values = [fold(_chosen(value, choice.condition, holds)) for holds in (True, False)]
    tests = [choice.condition, negate(choice.condition)]
    if not loads(values[0]):
        values, tests = values[::-1], tests[::-1]
    bare = not loads(values[1])
    first = replace(e, value=values[1], guard=e.guard if bare else _both(e.guard, tests[1]))
    edit = spaced(restate(path, {e.order: first}), 2)
    first = edit.effect(e.order * 2)
    second = replace(first, value=values[0], guard=_both(e.guard, tests[0]), order=last * 2 + 1)
    own = renamed(second, _fresh(path, second))
    origins = {e.order * 2: [Origin(e.order * 2)], second.order: [Origin(e.order * 2, own.back, own.here)]}
    return joined(edit, {second.order: in_domain(second, own)}, origins, ())


def _read(e: Effect) -> set[str]:
    return {array_of(n) for s in sites(e) for n in loads(s)}


def _taken(value: Expr, of_data: bool) -> tuple[Expr, Select | None]:
    """The choice to take apart, and the value in which it stands.  One of data is taken as a whole if it can be."""
    in_turn = _in_turn(value)
    found = _choice(in_turn, of_data=False)
    if found is None and of_data:
        whole = _choice(value, of_data=True)
        return (value, whole) if whole is not None else (in_turn, _choice(in_turn, of_data=True))
    return in_turn, found


def _both(guard: Expr | None, test: Expr) -> Expr:
    found = conjunction([test] if guard is None else [guard, test])
    assert found is not None
    return found


def _in_turn(value: Expr) -> Expr:
    """A value in which the second part of a condition is chosen by the first where it reads what that does not."""

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, And | Or) and {key(x) for x in loads(n.b)} - {key(x) for x in loads(n.a)}:
            yes, no = (n.b, make_bool(False)) if isinstance(n, And) else (make_bool(True), n.b)
            return Select(n.type, n.a, yes, no)
        if isinstance(n, Select) and isinstance(n.condition, Select):
            test = n.condition
            arms = (fold(replace(n, condition=c)) for c in (test.true_value, test.false_value))
            return Select(n.type, test.condition, *arms)
        return n

    return transform(value, rewrite)


def _choice(value: Expr, of_data: bool) -> Select | None:
    """The outermost choice that guards a read which it does not make itself to choose."""
    for n in reversed(list(post_order(value))):
        if isinstance(n, Select) and (of_data or not loads(n.condition)):
            made = {key(x) for x in loads(n.condition)}
            arms = [{key(x) for x in loads(arm)} - made for arm in (n.true_value, n.false_value)]
            if arms[0] != arms[1]:
                return n
    return None


def _chosen(value: Expr, condition: Expr, holds: bool) -> Expr:
    wanted = key(condition)

    def rewrite(n: Expr) -> Expr:
        if isinstance(n, Select) and key(n.condition) == wanted:
            return n.true_value if holds else n.false_value
        return n

    return transform(value, rewrite)


def _fresh(path: Path, e: Effect) -> dict[str, str]:
    """Names for loops of an effect's own."""
    used = {info.counter for info, _, _ in path.trips}
    names: dict[str, str] = {}
    for counter in e.counters:
        names[counter] = unused(f"{counter}g", used)
        used.add(names[counter])
    return names


__all__ = ["split_guarded_reads"]
