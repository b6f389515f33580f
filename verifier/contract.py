"""The contract: what must hold of the parameters for the summary to be right (DESIGN section 4).

Each item is printed, stands in the summary, is assumed by the proof, and is checked at run time by the drop-in
replacement."""

from __future__ import annotations

import contextlib
import copy
import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import reduce

from halide_core.ir.expr import BOOL, GE, I64, LE, Call, Cast, Div, Expr, Load, Mul, Or, Variable, const, const_value
from halide_core.ir.expr import Add as AddNode
from halide_core.ir.structural import contains, key, post_order
from halide_core.ir.types import Float, Int, Type
from lifter.algebra.fold import clauses, negate
from lifter.algebra.index_printer import index_text
from lifter.algebra.polynomial import (
    Monomial,
    Obligation,
    Poly,
    ahead_of,
    atom_of,
    from_poly,
    is_power_of_two,
    poly_text,
    to_poly,
)
from lifter.algebra.symbolic_intervals import Unbounded, interval, settled
from lifter.ir.effects import Effect, FoundObligation, LoopInfo, Path, loads
from lifter.ir.loop_ir import Function
from lifter.ir.names import address_name, array_of, is_read
from lifter.ir.summary import ContractItem, Layout
from verifier.memory_states import sure_loads
from verifier.sized_memory import room_of_box
from verifier.smt import IndexEncoder, Proved, Query, prove


class ContractBuilder:
    """Collects the items of one path, leaving out what follows from those before."""

    def __init__(self, function: Function, path: Path) -> None:
        self.function = function
        self.path = path
        self.items: list[ContractItem] = []
        self._encoder = IndexEncoder()
        self._assumed = [self._encoder.given(c) for c in path.conditions]
        self._known: dict[tuple[Poly, tuple[str, ...]], bool] = {}
        """What follows, or does not, from the items as they are."""
        for condition, line in path.asserts:
            said = condition
            if const_value(condition) == 0 and path.conditions:  # of the calls that run this path: none of them
                said = reduce(lambda a, b: Or(BOOL, a, b), map(negate, path.conditions))
            text = index_text_of(said)
            if line:
                self._add(ContractItem("assert", f"{text}  [assert, line {line}]", condition, inferred=False))
            elif said is condition and (ahead := ahead_of(condition)) is not None:
                self._add(ContractItem("apart", at_least_zero_text(ahead), condition))
            else:  # a path that is left to the original asks nothing of the others
                self._add(ContractItem("apart", text, condition, inferred=const_value(condition) != 0))

    def branch(self) -> ContractBuilder:
        """A builder with the same items, to which more can be added that this one does not get."""
        out = copy.copy(self)
        out.items, out._assumed, out._known = [*self.items], [*self._assumed], dict(self._known)
        return out

    def _add(self, item: ContractItem) -> None:
        self.items.append(item)
        if item.condition is not None:
            self._assumed.append(self._encoder.given(item.condition))
            self._known.clear()

    def follows(self, p: Poly, loops: tuple[LoopInfo, ...] = ()) -> bool:
        """Whether p >= 0 follows from the items so far, inside the given loops."""
        asked = p, tuple(loop.counter for loop in loops)
        if asked not in self._known:
            self._known[asked] = self._follows(p, loops)
        return self._known[asked]

    def _follows(self, p: Poly, loops: tuple[LoopInfo, ...]) -> bool:
        inside = []
        for loop in loops:
            k = self._encoder.symbol(loop.counter)
            inside += [k >= 0, k < self._encoder.poly(loop.trip)]
        goal = self._encoder.poly(p) >= 0
        query = Query((*self._assumed, *self._encoder.facts, *inside), goal)
        return isinstance(prove(query, 1.0), Proved)

    def require(self, p: Poly, kind: str) -> bool:
        """Makes p >= 0 hold, by an item of its own if need be; False where it is not over parameters only, or over
        numbers that are too large."""
        if self.follows(p):
            return True
        if not over_parameters(p, self.function):
            return False
        p = without_quotient(p)
        value = p.constant_value()
        if value is not None:
            return value >= 0
        if any(abs(c) >= 1 << (31 if m else 62) for m, c in p.terms.items()):
            return False  # too large for the check that a drop-in makes in 64 bits
        self._add(ContractItem(kind, at_least_zero_text(p), GE(BOOL, from_poly(p), const(0, I64))))
        return True

    def loops(self) -> None:
        """Trip counts are not negative."""
        for info, around, _ in self.path.trips:
            if self.follows(info.trip, around):
                continue
            parameters = {p.name: p.type for p in self.function.params if not p.pointer}
            rounded = [a for a in info.trip.atoms().values() if not _plain(a)]
            if rounded or around:
                for name in sorted(info.trip.names() & set(parameters)):
                    if self.follows(info.trip, around):
                        break
                    self.require(Poly.variable(name, parameters[name]), "extent")
            if not self.follows(info.trip, around):
                self.require(info.trip, "extent")

    def runs(self) -> None:
        """Loops run at all: sizes are not so small that only borders are left.  Not asked of what blocks leave over."""
        for info, _, guard in self.path.trips:
            terms = [m for m in info.trip.terms if m]
            plain = all(_plain(atom_of(a)) for m in terms for a in m)
            if guard is None and (plain or (len(terms) == 1 and info.trip.terms[terms[0]] > 0 and _halved(terms[0]))):
                # Between borders three, so that what lies beside them is read whole.
                least = 3 if any(c < 0 for c in info.trip.terms.values()) else 1
                self.require(info.trip - Poly.constant(least), "extent")
        for e in self.path.effects:
            for n, given in sure_loads(e.value):
                if array_of(n) not in self.path.arrays:
                    self.reached(e, given)

    def reached(self, e: Effect, given: Sequence[Expr]) -> None:
        """Comparisons of counters under which an image is read hold somewhere, and together: there are rows below those
        left out, and rows between those above and those below."""
        env = {loop.counter: (Poly(), loop.trip - Poly.constant(1)) for loop in e.loops}
        each = [p for c in given for d in clauses(c) if (p := ahead_of(d)) is not None]
        moving = [p for p in each if p.names() & set(e.counters)]
        between = [p + q for p, q in itertools.combinations(moving, 2) if not (p + q).names() & set(e.counters)]
        for ahead in (*moving, *between):
            with contextlib.suppress(Unbounded):
                _, most = interval(ahead, env, self.follows)
                if over_parameters(most, self.function):
                    self.require(most, "extent")

    def tails(self) -> None:
        """A row's last register starts within the row: `width - 16` is not negative."""
        places: dict[str, dict[Poly, Effect]] = {}
        for e in (*self.path.effects, *self.path.reads):
            found = [(array_of(n), to_poly(n.index)) for n in loads(e.value) if is_read(n)]
            for array, place in found if not e.array else [(e.array, e.index), *found]:
                places.setdefault(array, {})[place] = e
        starts: set[Poly] = set()
        for here in places.values():
            moving = {(m, e.counters) for place, e in here.items() for m in place.terms if len(m) > 1}
            strides = {frozenset(_without(m, counters)) for m, counters in moving if _without(m, counters) != m}
            for place, e in here.items():
                start = place.substitute({c: Poly() for c in e.counters})
                start = Poly({m: c for m, c in start.terms.items() if not any(s and s <= set(m) for s in strides)})
                if start.terms.get((), 0) < -1 and all(c > 0 for m, c in start.terms.items() if m):
                    starts.add(start)
        for start in sorted(starts, key=lambda p: (p.terms[()], str(p))):
            if over_parameters(start, self.function):
                self.require(start, "extent")

    def counters_fit(self) -> None:
        """Every trip count fits the 32-bit coordinates of the lifted code."""
        most = Poly.constant((1 << 31) - 1)
        for info, around, _ in self.path.trips:
            if over_parameters(info.trip, self.function) or not self.follows(most - info.trip, around):
                self.require(most - info.trip, "extent")

    def obligations(self) -> None:
        """Sign conditions of index arithmetic that only speak of parameters."""
        for found in self.path.obligations:
            o = found.obligation
            if o.type is not None and (o.type.is_int() and o.type.bits >= 32):
                continue
            if o.type is not None and o.type.bits < 32:
                self._narrow(found, o.type)
                continue
            if o.type is not None and o.type.is_uint() and found.loops and not self.fits(found):
                self._size(found)
            if self.follows(o.poly, found.loops):
                continue
            if over_parameters(o.poly, self.function):
                self.require(o.poly, "sign")
                continue
            if not _falls(found) or not self._last(found):
                self._sign_by_parameters(found)

    def _narrow(self, found: FoundObligation, narrow: Type) -> None:
        """Asks that a counter of 8 or 16 bits gets to where its loop ends."""
        room = Obligation(Poly.constant(int(narrow.max())) - found.obligation.poly, None)
        if found.loops and not narrow.is_bool() and not self.follows(room.poly, found.loops):
            self._last(replace(found, obligation=room))

    def _last(self, found: FoundObligation) -> bool:
        """Asks that what must stay below a number does so in the last iteration; False where that is not known to be
        the largest, or not made of parameters."""
        env = {loop.counter: (Poly(), loop.trip - Poly.constant(1)) for loop in found.loops}
        with contextlib.suppress(Unbounded):
            least, _ = interval(found.obligation.poly, env, lambda p: self.follows(p, found.loops))
            return over_parameters(least, self.function) and self.require(least, "overflow")
        return False

    def _sign_by_parameters(self, found: FoundObligation) -> None:
        for loop in found.loops:  # x*(width - 1): the other factor
            factor = found.obligation.poly.coefficient(loop.counter)
            if factor is not None and over_parameters(factor, self.function):
                if self.follows(found.obligation.poly, found.loops):
                    return
                if _falls(found) and all(c < 0 for c in factor.terms.values()):  # steps that do not go too far
                    self.require(factor.scale(-1), "sign")
                    if self._last(found):
                        return
                    continue
                self.require(factor, "sign")
        parameters = {p.name: p.type for p in self.function.params if not p.pointer}
        for name in sorted(found.obligation.poly.names() & set(parameters)):
            if self.follows(found.obligation.poly, found.loops):
                return
            coefficient = found.obligation.poly.coefficient(name)
            if coefficient is None or all(c > 0 for c in coefficient.terms.values()):
                self.require(Poly.variable(name, parameters[name]), "sign")

    def fits(self, found: FoundObligation) -> bool:
        """Whether unsigned arithmetic is known not to wrap upwards."""
        assert found.obligation.type is not None
        return self.follows(Poly.constant(found.obligation.type.max()) - found.obligation.poly, found.loops)

    def _size(self, found: FoundObligation) -> None:
        """An item that keeps an unsigned position, `start + i * step`, below its type's greatest value."""
        assert found.obligation.type is not None
        last = found.obligation.poly
        for loop in reversed(found.loops):
            last = last.substitute({loop.counter: loop.trip})
        magnitude = Poly({m: abs(c) for m, c in last.terms.items()})
        if over_parameters(magnitude, self.function) and all(i.bound != magnitude for i in self.items):
            self._overflow(magnitude, Int(found.obligation.type.bits))

    def layout(self, layout: Layout) -> bool:
        """Each stride spans the dimension below it: distinct points have distinct locations."""
        dims = [d for d in layout.dims if d.stride is not None]
        held = True
        for d in dims:
            held &= self.require(d.extent, "extent")
        for inner, outer in itertools.pairwise(dims):
            assert inner.stride is not None and outer.stride is not None
            held &= self.require(outer.stride - inner.extent * inner.stride, "stride")
        if dims and dims[0].stride is not None:
            held &= self.require(dims[0].stride - Poly.constant(1), "stride")
        return held

    def inside(self, layout: Layout) -> bool:
        """A box lies in its array's memory, where the size of that is known.

        The original has undefined behaviour where it does not, and may survive it in its own memory."""
        held = True
        for p in room_of_box(self.function, self.path.defined, layout):
            held &= self.require(p, "inside")
        return held

    def non_negative(self, p: Poly) -> bool:
        """Whether a factor of an address is known not to be negative; a plain parameter may become an item."""
        if self.follows(p):
            return True
        if self.follows(p.scale(-1)):
            return False
        single = len(p.terms) == 1 and all(c > 0 for c in p.terms.values())
        return single and self.require(p, "stride")

    def settled(self, p: Poly) -> Poly:
        """`p` with each min and max that the items decide replaced by the operand that it is."""
        return settled(p, self.follows)

    def disjoint(self, a: str, b: str, may_coincide: bool) -> None:
        """Two arrays do not overlap."""
        text = f"{a} and {b} do not overlap" + (", or are the same" if may_coincide else "")
        self._add(ContractItem("disjoint", text, None, (a, b), may_coincide=may_coincide))

    def no_overflow(self, layouts: Iterable[Layout], sums: bool) -> None:
        """Index arithmetic stays within the type that the original computes it in: products, and plain `sums` too."""
        narrow = index_type(self.function, self.path)
        bounds: list[Poly] = []
        for layout in layouts:
            for magnitude in self._magnitudes(layout):
                products = any(len(m) > 1 for m in magnitude.terms)
                if (products or (sums and len(magnitude.terms) > 1)) and over_parameters(magnitude, self.function):
                    bounds.append(magnitude)
        for magnitude in _maximal(list(dict.fromkeys(bounds))):
            self._overflow(magnitude, narrow)

    def _magnitudes(self, layout: Layout) -> Iterable[Poly]:
        """What the indices of a box's elements are at most, above and below zero: its terms without their signs, where
        the signs of their factors are known."""
        total = layout.offset
        for d in layout.dims:
            if d.stride is not None:
                total = total + d.stride * (d.min + d.extent)
                total = total + d.stride * Poly({m: 2 * abs(c) for m, c in d.min.terms.items()})
        atoms = {a: to_poly(atom_of(a)) for m in total.terms for a in m}
        signs = {a: 1 if self.follows(p) else -1 if self.follows(p.scale(-1)) else 0 for a, p in atoms.items()}
        if all(signs.values()):
            yield Poly({m: math.prod(signs[a] for a in m) * abs(c) for m, c in total.terms.items()})
        else:
            low, high = layout.corners()
            yield from (high, low.scale(-1))

    def coordinates_fit(self, layouts: Iterable[Layout]) -> None:
        """Coordinates are 32 bits wide, also where the original computes its addresses in 64."""
        if index_type(self.function, self.path) == Int(32):
            return
        bounds: list[Poly] = []
        for layout in layouts:
            for d in layout.dims:
                if _has_choices(d.min) or _has_choices(d.extent):  # of either sign
                    for end in (d.min, d.extent, d.min + d.extent - Poly.constant(1)):
                        self.small(end, end)
                    continue
                magnitude = Poly()
                for end in (d.min, d.extent):
                    magnitude = magnitude + Poly({m: abs(c) for m, c in end.terms.items()})
                variable = len(magnitude.terms) == 1 and all(
                    len(m) == 1 and c == 1 and isinstance(atom_of(m[0]), Variable) for m, c in magnitude.terms.items()
                )
                if magnitude.constant_value() is not None or not over_parameters(magnitude, self.function):
                    continue
                if not variable:
                    bounds.append(magnitude)
                else:
                    self.require(Poly.constant((1 << 31) - 1) - magnitude, "extent")
        for magnitude in _maximal(list(dict.fromkeys(bounds))):
            self._overflow(magnitude, Int(32))

    def lean(self) -> tuple[ContractItem, ...]:
        """The items without those that follow from the others: `width >= 0` beside `width >= 2`."""
        conditions = [c for c in self.path.conditions if not loads(c)]
        kept = list(self.items)
        for item in self.items:
            if item.condition is None or not item.inferred or item.kind == "overflow":
                continue
            index = IndexEncoder()
            goal = _at_least_zero(item)
            if goal is not None:
                asked = index.poly(goal) >= 0
            elif index.faithful(item.condition):
                asked = index.expr(item.condition)
            else:
                fits, read = index.reading(item.condition)
                asked = index.all_of([*fits, read])
            others = [i for i in kept if i is not item]
            given = [index.given(c) for c in conditions]
            for other in others:
                if (p := _at_least_zero(other)) is not None:
                    given.append(index.poly(p) >= 0)
                elif other.condition is not None and other.kind != "overflow":
                    given.append(index.given(other.condition))
            if _upper(item.condition):  # of use for these only, and slow
                given += [index.poly(i.bound) <= i.most for i in others if i.bound is not None]
            if isinstance(prove(Query((*given, *index.facts), asked), 0.5), Proved):
                kept = others
        return tuple(kept)

    def small(self, low: Poly, high: Poly) -> None:
        """What lies between two bounds fits 32 bits."""
        room = Poly.constant(Int(32).max()) - high, low - Poly.constant(Int(32).min())
        if all(self.follows(p) for p in room):
            return
        magnitude = Poly()
        for end in (low, high):
            for m, c in end.terms.items():
                magnitude = magnitude + Poly({m: max(0, abs(c) - magnitude.terms.get(m, 0))})
        if not over_parameters(magnitude, self.function):
            return
        parameters = {p.name: p.type for p in self.function.params if not p.pointer}
        mentioned = {n: t for n, t in parameters.items() if n in magnitude.names()}
        if all(self.follows(Poly.variable(n, t)) for n, t in mentioned.items()):
            known = [i.bound for i in self.items if i.bound is not None and i.most <= Int(32).max()]
            if not any(all(b.terms.get(m, 0) >= c for m, c in magnitude.terms.items()) for b in known):
                self._overflow(magnitude, Int(32))
            return
        if any(len(m) > 2 for m in magnitude.terms):
            return
        for n, t in mentioned.items():  # of either sign, and small enough that the sums do not overflow 64 bits
            if t.bits > 32:
                self._between(Poly.variable(n, t), Poly.variable(n, t))
        self._between(low, high)

    def _between(self, low: Poly, high: Poly) -> None:
        self.require(low - Poly.constant(Int(32).min()), "overflow")
        self.require(Poly.constant(Int(32).max()) - high, "overflow")

    def _overflow(self, magnitude: Poly, narrow: Type) -> None:
        most = (narrow.max() + 1) >> 1
        if _greatest(magnitude) <= most:
            return
        condition = LE(BOOL, _as_double(magnitude), const(float(narrow.max() >> 1), Float(64)))
        text = f"{poly_text(magnitude)} does not overflow {narrow}"
        self._add(ContractItem("overflow", text, condition, bound=magnitude, most=most))


def _falls(found: FoundObligation) -> bool:
    """Whether what must not be negative becomes less with each iteration, or is what 32 bits leave."""
    p = found.obligation.poly
    steps = [p.coefficient(loop.counter) for loop in found.loops]
    known = [s.constant_value() for s in steps if s is not None and not s.is_zero()]
    down = bool(known) and all(v is not None and v < 0 for v in known)
    return down or p.terms.get((), 0) >= Int(32).max()


def index_type(function: Function, path: Path) -> Type:
    """The type of the sizes and strides, or 32 bits where these are of several widths."""
    integers = [q for q in function.params if q.type.is_int_or_uint() and not (q.pointer or q.type.is_bool())]
    shaping = {n for e in path.effects for p in (e.index, *(k.trip for k in e.loops)) for n in p.names()}
    widths = [p.type for p in integers if p.name in shaping] or [p.type for p in integers]
    return Int(64) if widths and all(t.bits == 64 for t in widths) else Int(32)


def _has_choices(p: Poly) -> bool:
    """Whether a polynomial has minima or maxima among its unknowns."""
    return any(not isinstance(atom_of(a), Variable) for m in p.terms for a in m)


def _greatest(p: Poly) -> float:
    """What a polynomial is at most, for all that its variables' types hold."""

    def size(e: Expr) -> float:
        return float(max(abs(e.type.min()), e.type.max())) if isinstance(e, Variable) else math.inf

    return sum(abs(c) * math.prod(size(atom_of(a)) for a in m) for m, c in p.terms.items())


def _at_least_zero(item: ContractItem) -> Poly | None:
    """What an item of `ContractBuilder.require` says is not negative, over Z."""
    required = item.inferred and item.kind != "apart"
    if required and isinstance(item.condition, GE) and const_value(item.condition.b) == 0:
        return to_poly(item.condition.a)
    return None


def _upper(condition: Expr) -> bool:
    """Whether a condition says that something fits 32 bits."""
    return isinstance(condition, GE) and to_poly(condition.a).terms.get((), 0) >= Int(32).max()


def _maximal(bounds: list[Poly]) -> list[Poly]:
    """Drops bounds that another one covers term by term."""

    def covers(wide: Poly, narrow: Poly) -> bool:
        return all(wide.terms.get(m, 0) * (1 if c > 0 else -1) >= abs(c) for m, c in narrow.terms.items())

    return [b for b in bounds if not any(o is not b and covers(o, b) for o in bounds)]


def _as_double(p: Poly) -> Expr:
    """A polynomial's magnitude in double precision: products of 32-bit values do not wrap there."""
    double = Float(64)
    total: Expr = const(0.0, double)
    for m, c in sorted(p.terms.items()):
        product: Expr = const(float(c), double)
        for a in m:
            product = Mul(double, product, Cast(double, atom_of(a)))
        total = AddNode(double, total, product)
    return total


def _without(m: Monomial, counters: tuple[str, ...]) -> Monomial:
    """The factors of a product that are no counters."""
    return tuple(a for a in m if not (isinstance(e := atom_of(a), Variable) and e.name in counters))


def _plain(e: Expr) -> bool:
    return isinstance(e, Variable)


def without_quotient(p: Poly) -> Poly:
    """What is not negative just where `p` is not, without a quotient that is all that `p` depends on: n - 2 for
    n/2 - 1."""
    while True:
        terms = [m for m in p.terms if m]
        atom = atom_of(terms[0][0]) if len(terms) == 1 and len(terms[0]) == 1 else None
        if not isinstance(atom, Div) or not atom.type.is_int() or p.terms[terms[0]] <= 0:
            return p
        divisor = const_value(atom.b)
        if divisor is None or divisor <= 0:
            return p
        least = -(p.terms.get((), 0) // p.terms[terms[0]])
        p = to_poly(atom.a) - Poly.constant(least * int(divisor))


def _halved(monomial: Monomial) -> bool:
    """Whether a term of a trip count is a size divided by a few: of loops over pairs of pixels."""
    return all(_plain(e) or (isinstance(e, Div) and 1 < (const_value(e.b) or 0) <= 4) for e in map(atom_of, monomial))


def over_parameters(p: Poly, function: Function) -> bool:
    """Whether a polynomial speaks of integer parameters and addresses only."""
    names = {q.name for q in function.params if not q.pointer and q.type.is_int_or_uint()}
    names |= {address_name(q.name) for q in function.params if q.pointer}
    for e in p.atoms().values():
        if contains(e, Load) or any(isinstance(n, Call) and not is_power_of_two(n) for n in post_order(e)):
            return False
    return p.names() <= names


def _multiple(p: Poly) -> tuple[Poly, int] | None:
    """x and m of x + -x / m * m, which is not negative just where x is a multiple of m."""
    for atom in p.atoms().values():
        m = const_value(atom.b) if isinstance(atom, Div) else None
        if isinstance(atom, Div) and m is not None and m > 1:
            x = p - Poly.atom(atom).scale(int(m))
            if (x + to_poly(atom.a)).is_zero():
                return x, int(m)
    return None


def at_least_zero_text(p: Poly) -> str:
    """`a - b >= 0` as people write it: `b <= a`."""
    multiple = _multiple(p)
    if multiple is not None:
        return f"{poly_text(multiple[0])} is a multiple of {multiple[1]}"
    positive = Poly({m: c for m, c in p.terms.items() if c > 0})
    negative = Poly({m: -c for m, c in p.terms.items() if c < 0})
    if negative.is_zero():
        return f"{poly_text(positive)} >= 0"
    value = negative.constant_value()
    if value is not None:
        return f"{poly_text(positive)} >= {value}"
    divisor = _divisor(positive, negative)
    if divisor is not None:
        whole = poly_text(negative)
        return f"{whole if len(negative.terms) == 1 else f'({whole})'}%{divisor} == 0"
    return f"{poly_text(negative)} <= {poly_text(positive)}"


def _divisor(whole: Poly, p: Poly) -> int | None:
    """The number that divides `p` where what of it is whole times a number, `whole`, is not less than it."""
    ((m, c),) = whole.terms.items() if len(whole.terms) == 1 else (((), 0),)
    e = atom_of(m[0]) if len(m) == 1 else None
    if not isinstance(e, Div) or const_value(e.b) != c or to_poly(e.a) != p:
        return None
    return c


def index_text_of(condition: Expr) -> str:
    """A condition on parameters as people write it."""
    from halide_core.ir import expr as E

    symbols: dict[type, str] = {
        E.EQ: "==",
        E.NE: "!=",
        E.LT: "<",
        E.LE: "<=",
        E.GT: ">",
        E.GE: ">=",
        E.And: "&&",
        E.Or: "||",
    }
    if isinstance(condition, E.Not):
        return f"!({index_text_of(condition.a)})"
    symbol = symbols.get(type(condition))
    if symbol is None:
        return index_text(condition)
    a, b = (
        f"({index_text_of(c)})" if isinstance(condition, E.And) and isinstance(c, E.Or) else index_text_of(c)
        for c in E.children(condition)
    )
    return f"{a} {symbol} {b}"


__all__ = ["ContractBuilder", "at_least_zero_text", "index_text_of", "index_type", "key", "negate", "over_parameters"]
