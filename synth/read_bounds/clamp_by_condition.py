"""Reads of images under a condition, of an update (RDom.where) or of a choice, held to what it says of coordinates.

`d(r.x, r.y) = s(i, j) where i >= 0 && i < w && ...` reads s where the condition holds, and there only; the box of `s`
is known once the coordinate says so too, `s(max(min(i, w - 1), 0), ...)`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from halide_core.ir.expr import I32, Call, CallType, Expr, Load, Max, Min, Select, children, with_children
from halide_core.ir.structural import key, post_order, transform
from lifter.algebra.fold import clauses, negate
from lifter.algebra.polynomial import Poly, ahead_of, from_poly, to_poly
from lifter.algebra.symbolic_intervals import Interval, Unbounded, interval, interval_by_choices, of_floats
from lifter.ir.summary import Definition, FuncSummary

Sign = Callable[[Poly], bool]


def domain(f: FuncSummary, d: Definition) -> dict[str, Interval]:
    """What the variables of a definition run over."""
    env = {x.name: (x.min, x.min + x.extent - Poly.constant(1)) for x in f.layout.dims}
    return env | {r.name: (Poly(), r.extent - Poly.constant(1)) for r in d.rdom}


def held_where_they_matter(f: FuncSummary, follows: Sign) -> FuncSummary:
    """`f` with the coordinates of images clamped to the ends that the conditions around them name, where they may lie
    beyond these."""
    return replace(f, definitions=tuple(_held(f, d, follows) for d in f.definitions))


def _held(f: FuncSummary, d: Definition, follows: Sign) -> Definition:
    env = domain(f, d)
    calls = (n for e in d.expressions() for n in post_order(e) if isinstance(n, Call) and n.call_type is CallType.IMAGE)
    atoms = {k for n in {key(n): n for n in calls}.values() for a in n.args for k in to_poly(a).atoms()}

    def visit(e: Expr, known: tuple[Poly, ...], memo: dict[int, Expr]) -> Expr:
        if id(e) not in memo:
            memo[id(e)] = held(e, known, memo)
        return memo[id(e)]

    def held(e: Expr, known: tuple[Poly, ...], memo: dict[int, Expr]) -> Expr:
        if isinstance(e, Call) and e.call_type is CallType.IMAGE:
            return replace(e, args=tuple(_between(a, known, applied, env, follows) for a in e.args))
        if isinstance(e, Select):
            arms = []
            for arm, condition in ((e.true_value, e.condition), (e.false_value, negate(e.condition))):
                more = _ends(condition, atoms)
                arms.append(visit(arm, (*known, *more), {} if more else memo))
            return with_children(e, (visit(e.condition, known, memo), *arms))
        return with_children(e, tuple(visit(c, known, memo) for c in children(e)))

    applied = () if d.where is None else _ends(d.where, atoms)
    memo: dict[int, Expr] = {}
    args = tuple(visit(a, applied, memo) for a in d.args)
    d = replace(d, value=visit(d.value, applied, memo), args=args)
    return d if d.where is None else _at_point_inside(f, d, env, follows)


def _at_point_inside(f: FuncSummary, d: Definition, env: dict[str, Interval], follows: Sign) -> Definition:
    """A definition whose point, where its condition fails too, is in the Func's box: Halide asks for the memory of all
    the points that it may be."""
    args = []
    for a, dim in zip(d.args, f.layout.dims, strict=True):
        low, high = dim.min, dim.min + dim.extent - Poly.constant(1)
        ends: Interval | None = None
        with contextlib.suppress(Unbounded):
            ends = interval(to_poly(a), env, follows)
        held = a if ends is not None and follows(high - ends[1]) else Min(I32, a, from_poly(high, I32))
        args.append(held if ends is not None and follows(ends[0] - low) else Max(I32, held, from_poly(low, I32)))

    def own(n: Expr) -> Expr:
        return replace(n, args=tuple(args)) if isinstance(n, Call) and reads_own_point(n, f, d) else n

    return replace(d, value=transform(d.value, own), args=tuple(args))


def reads_own_point(n: Call, f: FuncSummary, d: Definition) -> bool:
    """Whether a call in an update is of the very element that it changes."""
    own = n.call_type is CallType.HALIDE and n.name == f.name
    return own and all(key(a) == key(b) for a, b in zip(n.args, d.args, strict=True))


def _ends(condition: Expr, atoms: Collection[int]) -> tuple[Poly, ...]:
    """What is zero or more where a condition holds, of comparisons with what coordinates are made of."""
    found = (ahead_of(c) for c in clauses(condition))
    return tuple(ahead for ahead in found if ahead is not None and not ahead.atoms().keys().isdisjoint(atoms))


def _between(
    a: Expr, known: Sequence[Poly], applied: Sequence[Poly], env: dict[str, Interval], follows: Sign
) -> Expr:
    """A coordinate held to the ends that are known, where nothing else is known of it but what floating-point numbers
    say; or to those of an update's own condition, `applied`, where these are the closer ones."""
    p = to_poly(a)
    ends: Interval | None = None
    with contextlib.suppress(Unbounded):
        ends = interval(p, env, follows)
    told = ends is not None and not any(map(of_floats, ends))
    least = [p - ahead for ahead in (applied if told else known) if _of_parameters(p - ahead, env)]
    most = [p + ahead for ahead in (applied if told else known) if _of_parameters(p + ahead, env)]
    if told and ends is not None:
        least = [q for q in least if follows(q - ends[0]) and not follows(ends[0] - q)]
        most = [q for q in most if follows(ends[1] - q) and not follows(q - ends[1])]
    elif not least or not most:
        try:
            low, high = interval_by_choices(a, env, follows)
        except Unbounded:
            return a
        if of_floats(low) or of_floats(high):
            return a
        least, most = [low], [high]
    if most:
        a = Min(I32, a, from_poly(most[0], I32))
    return Max(I32, a, from_poly(least[0], I32)) if least else a


def held_ends(a: Expr) -> Interval | None:
    """The ends to which a coordinate is held by `_between`, which are in order where the condition holds."""
    if isinstance(a, Max) and isinstance(a.a, Min):
        return to_poly(a.b), to_poly(a.a.b)
    return None


def _of_parameters(p: Poly, env: dict[str, Interval]) -> bool:
    atoms = p.atoms().values()
    return not any(isinstance(n, Call | Load) for a in atoms for n in post_order(a)) and not p.names() & env.keys()


__all__ = ["domain", "held_ends", "held_where_they_matter"]
