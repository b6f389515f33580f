"""Questions about a loop: what its statements do, how often, and what becomes of what it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from halide_core.ir.expr import BOOL, EQ, GE, GT, I32, LE, LT, NE, Expr, Load, Variable, const, const_value
from halide_core.ir.structural import nodes, post_order
from lifter.algebra.polynomial import Obligation, Poly, to_poly
from lifter.ir import loop_ir as L
from lifter.ir.counting_loops import steps_by_one
from lifter.ir.effects import Effect, loads
from lifter.ir.names import array_of, is_counter, is_undefined
from lifter.symexec.state import State


def loads_any(e: Expr, arrays: set[str]) -> bool:
    return any(array_of(n) in arrays for n in loads(e))


def changes(guard: Expr | None, effects: Sequence[Effect], depth: int) -> bool:
    """Whether stores of a loop, inside `depth` others, may be to what its guard reads."""
    for n in loads(guard) if guard is not None else ():
        for e in effects:
            if e.array == array_of(n) and not elsewhere(e, to_poly(n.index), depth):
                return True
    return False


def elsewhere(e: Effect, index: Poly, depth: int) -> bool:
    """Whether no iteration of the loops inside of `depth` others stores to an element: by how often they run, if that
    is a number."""
    apart = e.index - index
    low = high = 0
    for loop in e.loops[depth:]:
        step, trip = apart.coefficient(loop.counter), loop.trip.constant_value()
        by = step.constant_value() if step is not None else None
        if by is None or (by and trip is None):
            return False
        ends = 0, by * (trip - 1) if by and trip is not None else 0
        low, high = low + min(ends), high + max(ends)
    first = apart.substitute({loop.counter: Poly() for loop in e.loops[depth:]}).constant_value()
    return first is not None and not low <= -first <= high


def overwrites(effects: list[Effect], counter: str, trip: int) -> bool:
    """Whether the iterations of a loop, one after the other, write what all of them read: the channels of a pixel that
    was read as a whole before the loop over its channels."""
    written = {
        (e.array, e.index.substitute({counter: Poly.constant(k)}))
        for e in effects
        if counter in e.index.names()
        for k in range(trip)
    }
    return any((array_of(n), to_poly(n.index)) in written for e in effects for n in loads(e.value))


def recurs(effects: list[Effect], counter: str) -> bool:
    """Whether the iterations of a loop add to one element what they read of others of the array: the taps of a
    recursive filter (`d[i] += b[j] * d[i - j]`)."""
    for e in effects:
        if counter not in e.index.names():
            read = [to_poly(n.index) for n in loads(e.value) if array_of(n) == e.array]
            if e.index in read and any(counter in p.names() for p in read):
                return True
    return False


def counting(ways: dict[str, Poly], counter: str, s: State) -> str:
    """The variable that counts the iterations from zero."""
    for v, way in ways.items():
        if way == Poly.variable(counter, I32) and to_poly(s.env[v]).is_zero():
            return v
    return ""


def decided(e: Expr, met: list[Obligation] | None = None) -> Expr:
    """A comparison of polynomials that differ by a constant, decided; what that rests on goes to `met`."""

    if isinstance(e, LT | LE | GT | GE | EQ | NE) and e.a.type.is_int_or_uint():
        d = (to_poly(e.a) - to_poly(e.b)).constant_value()
        if d is not None:
            for x in (e.a, e.b) if met is not None else ():
                to_poly(x, met)
            answers = {LT: d < 0, LE: d <= 0, GT: d > 0, GE: d >= 0, EQ: d == 0, NE: d != 0}
            return const(answers[type(e)], BOOL)
    return e


def constant_count(loop: L.Loop) -> int | None:
    """How often a loop runs that counts up by one to a constant, from zero as most do."""
    v, test = steps_by_one(loop), loop.condition
    if v is None or not isinstance(test, LT) or not isinstance(test.a, Variable) or test.a.name != v:
        return None
    count = const_value(test.b)
    return int(count) if count is not None else None


def iterations_inside(loop: L.Loop) -> int:
    """How often the most frequent of the loops of constant numbers of iterations in a loop's body runs in each."""
    inner = [x for x in loop.body if isinstance(x, L.Loop)]
    return max(((constant_count(x) or 1) * iterations_inside(x) for x in inner), default=1)


def only_adds(loop: L.Loop) -> bool:
    """Whether a loop stores to no array, as sums and extremes do not."""
    return not any(isinstance(x, L.Store | L.Declare) for x in L.walk(loop.body))


def made_anew(loop: L.Loop) -> set[str]:
    """The arrays that each iteration of a loop makes of what they hold, whatever that is."""
    read = {n.name for x in L.walk((loop,)) for e in L.expressions(x) for n in nodes(e, Load)}
    direct = Counter(x.array for x in loop.body if isinstance(x, L.Store))
    everywhere = Counter(x.array for x in L.walk((loop,)) if isinstance(x, L.Store))
    return {a for a in read if 0 < direct[a] == everywhere[a]}


def stored(body: tuple[L.Stmt, ...]) -> Iterator[str]:
    """Arrays by the stores of a body, those of loops inside of it left out."""
    for x in body:
        if isinstance(x, L.Store):
            yield x.array
        elif isinstance(x, L.If):
            yield from stored((*x.then, *x.otherwise))


def assigned(loop: L.Loop) -> list[str]:
    """Scalars assigned anywhere in the loop, in first-assignment order."""
    return list(dict.fromkeys(s.name for s in L.walk((loop,)) if isinstance(s, L.Assign)))


def is_invariant(step: Poly, placeholders: set[str], s: State) -> bool:
    """Whether a step is the same in every iteration: no placeholders, no memory, nothing undefined."""
    names = step.names()
    if names & placeholders or any(is_undefined(n) for n in names):
        return False
    known = {loop.counter for loop in s.loops}
    for e in step.atoms().values():
        for n in post_order(e):
            if isinstance(n, Load):
                return False
            if isinstance(n, Variable) and is_counter(n.name) and n.name not in known:
                return False
    return True
