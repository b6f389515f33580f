"""Conditions on what a lifted value reads: only elements that the original reads, inside their images."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from halide_core.ir.expr import BOOL, I32, And, Call, CallType, Expr, Load, Max, Min, const
from halide_core.ir.structural import key, post_order, substitute, transform
from halide_core.ir.types import Type
from lifter.algebra.fold import conjunction, negate, parts
from lifter.algebra.polynomial import Poly, floor_div, from_poly, poly_text, to_poly
from lifter.algebra.symbolic_intervals import float_sign, settled
from lifter.ir.effects import Effect, loads
from lifter.ir.inline_pure_calls import inline_all
from lifter.ir.names import array_of, split_tag, timed
from lifter.ir.summary import Definition, Dim, EffectMap, FuncSummary, InputSummary, Layout
from verifier.algebra.lemmas import decide_lemma
from verifier.conditions.base import Conditions, counters_in_range, point_text
from verifier.conditions.data_reach import reached, ways
from verifier.conditions.float_coordinates import between_ends
from verifier.memory_states import Unresolved, mentions, read_beforehand, sure_loads, unconditional_loads
from verifier.sized_memory import room
from verifier.smt import Proved, Query, prove

_FEW = 12
"""Reads of an image that are looked at one by one."""
_WHOLE_SECONDS = 3.0


class ReadConditions(Conditions):
    """Reads of images and of earlier Funcs."""

    def terminals(
        self, f: FuncSummary, d: Definition, e: Effect, m: EffectMap, instance: Mapping[str, Expr], original: Expr
    ) -> None:
        inside = [*self.domain(e.loops), *self.guard(e, m)]
        evaluated = unconditional_loads(original, lambda c: self.of_data(c, e))
        place = from_poly(e.index)
        if e.guard is None or not m.guard_in_value or all(self.of_data(c, e) for c in parts(e.guard, And)):
            evaluated |= {key(n) for n in loads(place)}
        beyond = [n for n in loads(original) if key(n) in evaluated and not self.within_reach(n, original)]
        evaluated -= {key(n) for n in beyond}
        refused = {key(self.keyed(n, e)) for n in beyond}
        if m.guard_in_value and not reached(place, parts(e.guard, And)) and e.array not in self.path.arrays:
            text = f"line {e.line}: {e.array} is touched only where the original touches it"
            self.decide(f.name, "readable", text, False)
        safe: dict[int, Expr] = {}
        for load in {key(n): n for n in (*loads(original), *loads(place))}.values():
            if key(load) in evaluated:
                seen = self.keyed(load, e)
                safe[key(seen)] = seen
        for other in self.path.effects:  # what the same iteration reads for other stores
            if other.loops == e.loops and other.order != e.order and self.may_apply_with(other, e):
                free = unconditional_loads(other.value)
                plain = _applies_with(other, e)
                of_one = [n for n in loads(other.value) if key(n) in free and (plain or not loads(n.index))]
                seen_too = [*(self.seen_by(n, other) for n in of_one), self.touched_by(other)]
                safe |= {key(n): n for n in seen_too if n is not None}
        for n in {key(n): n for x in (d.value, *d.args) for n in post_order(x)}.values():
            if not isinstance(n, Call):
                continue
            if n.call_type is CallType.HALIDE and self.summary.func(n.name).undefined:
                # what such a Func holds is the caller's memory: it is touched only where the original touches it
                here = self.read_calls(substitute(n, instance))
                text = f"line {e.line}: {n.name} is read by the original too"
                own = d.where is not None and n.name == f.name and list(map(key, n.args)) == list(map(key, d.args))
                if key(here) in safe or own:  # its own point, where the original stores
                    self.decide(f.name, "readable", text, True)
                else:
                    args = [self.read_calls(substitute(a, instance)) for a in n.args]
                    ways = self.touched_elsewhere(self.summary.func(n.name).layout, tuple(map(to_poly, args)))
                    self.add(f.name, "readable", text, inside, self.index.any_of(ways), e.line)
            if n.call_type is CallType.HALIDE:
                producer = self.summary.func(n.name)
                args = [self.read_calls(substitute(a, instance)) for a in n.args]
                coords = tuple(to_poly(a) for a in args)
                text = f"line {e.line}: {n.name}({point_text(coords)}) is read within what has been written to {n.name}"
                self.add(
                    f.name,
                    "defined",
                    self.say(text, e),
                    inside,
                    self.index.all_of(self.in_box(producer, coords)),
                    e.line,
                )
            elif n.call_type is CallType.IMAGE and key(self.read_calls(substitute(n, instance))) in refused:
                text = f"line {e.line}: {n.name} is read at places that some data make the original read"
                self.decide(f.name, "readable", text, False)
            elif n.call_type is CallType.IMAGE:
                self.within(f, e, n, instance, [*inside, *self.ends_of_floats(n, instance, f, e)])
                self.readable(f, d, e, n, instance, safe, inside)

    def may_apply_with(self, other: Effect, e: Effect) -> bool:
        """Whether an effect of the same iteration applies wherever `e` does, for some data at least."""
        held = {key(c) for c in parts(e.guard, And)} if e.guard is not None else set()
        asked = parts(other.guard, And) if other.guard is not None else []
        return all(key(c) in held or self.of_data(c, other) for c in asked)

    def touched_by(self, e: Effect) -> Expr | None:
        """What was there before of an element of the caller's that an effect stores to where data alone say so, as some
        do; None of others, and where the element is named by data."""
        if e.guard is None or e.array in self.path.arrays or loads(from_poly(e.index)):
            return None
        if not all(self.of_data(c, e) for c in parts(e.guard, And)):
            return None
        return self.seen_by(Load(e.value.type, timed(e.array, e.order), from_poly(e.index)), e)

    def seen_by(self, load: Expr, site: Effect) -> Expr | None:
        """What a read sees; None where that is no one thing."""
        try:
            return self.keyed(load, site)
        except Unresolved:
            return None

    def within_reach(self, load: Load, original: Expr) -> bool:
        """Whether the data that name an element are not what keeps the original from reading it."""
        if array_of(load) in self.function.tables or not loads(load.index):
            return True
        found = ways(original, load)
        return any(reached(load.index, way) for way in found)

    def ends_of_floats(
        self, call: Call, instance: Mapping[str, Expr], f: FuncSummary, e: Effect
    ) -> list[Any]:
        """What is known of the coordinates of a read that the original makes in every iteration, where these are made
        of floating-point numbers."""
        here = self.read_calls(substitute(call, instance))
        if e.guard is not None or not isinstance(here, Load):
            return []
        if not any(n.type.is_float() for n in post_order(here.index)):
            return []
        always = unconditional_loads(e.value)
        if all(key(self.keyed(n, e)) != key(here) for n in loads(e.value) if key(n) in always):
            return []
        out = []
        loops_run = self.domain(e.loops)
        for number, ends in between_ends(here.index, e.loops):
            value, corners = self.index.expr(number), [self.index.poly(p) for p in ends]
            signs = [float_sign(p, lambda q: self.non_negative(q, loops_run)) for p in ends]
            out += [corner >= 0 for corner, positive in zip(corners, signs, strict=True) if positive]
            out.append(self.index.any_of([value >= p for p in corners]))
            out.append(self.index.any_of([value <= p for p in corners]))
        return out

    def within(
        self, f: FuncSummary, e: Effect, call: Call, instance: Mapping[str, Expr], inside: list[Any]
    ) -> None:
        """An image is read inside its box: the run-time checks of overlap rest on it."""
        image = next(i for i in self.summary.inputs if i.name == call.name)
        args = [inline_all(substitute(a, instance), self.function.functions) for a in call.args]
        coords = tuple(to_poly(self.read_calls(a)) for a in args)
        asked = (call.name, coords, *(a.get_id() for a in inside))
        if asked in self._within:
            return
        self._within[asked] = inside
        text = self.say(f"line {e.line}: {call.name}({point_text(coords)}) lies in the box of {call.name}", e)
        self.add(f.name, "within", text, inside, self.index.all_of(self.in_box(image, coords)), e.line)

    def readable(
        self,
        f: FuncSummary,
        d: Definition,
        e: Effect,
        call: Call,
        instance: Mapping[str, Expr],
        safe: Mapping[int, Expr],
        inside: list[Any],
    ) -> None:
        """The lifted code reads nothing that the original does not read: in the same iteration, or in another one."""
        here = self.read_calls(substitute(call, instance))
        if key(here) in safe:
            self.decide(f.name, "readable", f"line {e.line}: {call.name} is read by the original too", True)
            return
        layout = self.summary.layouts()[call.name]
        target = tuple(to_poly(self.read_calls(substitute(a, instance))) for a in call.args)
        if isinstance(here, Load) and any(_clamped(p) for p in target):
            plain = layout.index(tuple(settled(p, lambda q: self.non_negative(q, inside)) for p in target))
            if any(isinstance(n, Load) and n.name == here.name and to_poly(n.index) == plain for n in safe.values()):
                self.decide(f.name, "readable", f"line {e.line}: {call.name} is read by the original too", True)
                return
        if layout.array in self.function.sizes:
            text = f"line {e.line}: {call.name}({point_text(target)}) lies in the memory of {layout.array}"
            there = [self.index.poly(p) >= 0 for p in room(self.function, self.path.defined, layout, target)]
            self.add(f.name, "readable", self.say(text, e), inside, self.index.all_of(there), e.line)
            return
        if layout.array in self.function.tables:
            place = self.index.poly(layout.index(target))
            there = [place >= 0, place < len(self.function.tables[layout.array].values)]
            text = f"line {e.line}: {call.name}({point_text(target)}) is an element of the table"
            self.add(f.name, "readable", self.say(text, e), inside, self.index.all_of(there), e.line)
            return
        asked = (key(here), target, e.loops, key(e.guard) if e.guard is not None and inside else None, len(inside))
        if asked in self._asked:
            return
        self._asked.add(asked)
        text = f"line {e.line}: {call.name}({point_text(target)}) is read by the original too"
        whole = self.read_throughout(f, e, call.name)
        if whole is not None:
            there = self.index.all_of(self.within_dims(whole, target))
            if isinstance(prove(Query((*self.contract, *self.index.facts, *inside), there), 1.0), Proved):
                self.add(f.name, "readable", self.say(text, e), inside, there, e.line)
                return
        hypotheses = (*self.contract, *self.index.facts, *inside)
        ways: list[Any] = []
        for more in self.passed_over(e, here, layout, target, safe):
            found = more()
            ways += found
            if found and isinstance(prove(Query(hypotheses, self.index.any_of(ways)), 2.0), Proved):
                break
        else:
            text = f"line {e.line}: {call.name}({point_text(target)}) lies between elements that the original reads"
            ways = [self.between(e, layout, target)]
        self.add(f.name, "readable", self.say(text, e), inside, self.index.any_of(ways), e.line)

    def passed_over(
        self, e: Effect, here: Expr, layout: Layout, target: tuple[Poly, ...], safe: Mapping[int, Expr]
    ) -> list[Callable[[], list[Any]]]:
        """Ways in which the original may read an element: in the same iteration, in another one, or beforehand; each
        made when it is asked for, for most reads are found among the first."""

        def now() -> list[Any]:
            if not isinstance(here, Load):
                return []
            place = self.index.poly(to_poly(here.index))
            same = [n for n in safe.values() if isinstance(n, Load) and n.name == here.name]
            out = [self.index.poly(to_poly(n.index)) == place for n in same]
            for other in self.certain():
                masked = other.order == e.order
                for index, given in self.sure_reads(other, layout.array, masked) if other.loops == e.loops else ():
                    when = self.holding(_all(other.guard, given), {})
                    out.append(self.index.all_of([self.index.poly(index) == place, *when]))
            return out

        def before() -> list[Any]:
            return [self.reached(o, layout, index, target, given) for o, index, given in self.beforehand(layout.array)]

        def around() -> list[Any]:
            return self.in_other_iterations(layout, target, e.counters)

        def masked() -> list[Any]:
            return self.under_masks(layout, target)

        return [now, lambda: self.in_other_iterations(layout, target), around, before, masked]

    def certain(self) -> list[Effect]:
        """The effects of which it is known, without image data, in which iterations they happen."""
        return [o for o in self.path.effects if o.guard is None or not loads(o.guard)]

    def in_other_iterations(
        self, layout: Layout, target: tuple[Poly, ...], kept: tuple[str, ...] = ()
    ) -> list[Any]:
        """That the original reads an element, for each read that iterations are sure to make; with counters `kept`, in
        the same iterations of loops around reductions: one pixel's window."""
        reads = {
            (index, other.loops, None if other.guard is None else key(other.guard), tuple(map(key, given))): (
                other, index, given
            )
            for other in self.certain()
            for index, given in self.sure_reads(other, layout.array)
        }
        return [self.reached(other, layout, index, target, given, kept) for other, index, given in reads.values()]

    def under_masks(self, layout: Layout, target: tuple[Poly, ...]) -> list[Any]:
        """That the original reads an element in any iteration, for each read that only conditions on the data keep
        iterations from making: one pixel's other channels, where a mask is for all of them."""
        found = []
        for e in self.path.effects:
            asked = parts(e.guard, And) if e.guard is not None else []
            on_data = [c for c in asked if loads(c)]
            if not all(self.of_data(c, e) for c in on_data):
                continue
            other = replace(e, guard=conjunction([c for c in asked if not loads(c)]))
            for index, given in self.sure_reads(e, layout.array, masked=True):
                if not any(loads(a) for a in index.atoms().values()):
                    found.append(self.reached(other, layout, index, target, given))
        return found

    def touched_elsewhere(self, layout: Layout, target: tuple[Poly, ...]) -> list[Any]:
        """That the original reads or writes an element, for each read and store that iterations are sure to make."""
        stores = [x for x in self.certain() if x.array == layout.array and not loads(from_poly(x.index))]
        reads = {
            (to_poly(n.index), e.loops, None if e.guard is None else key(e.guard), tuple(map(key, given))): (e, given)
            for e in self.certain()
            for n, given in sure_loads(e.value)
            if array_of(n) == layout.array and not loads(n.index)
        }
        return [
            *self.in_other_iterations(layout, target),
            *(self.reached(x, layout, x.index, target, () if x.guard is None else (x.guard,)) for x in stores),
            *(self.reached(e, layout, index, target, given) for (index, *_), (e, given) in reads.items()),
            *(self.reached(e, layout, index, target, given) for e, index, given in self.beforehand(layout.array)),
        ]

    def read_throughout(self, f: FuncSummary, e: Effect, name: str) -> tuple[Dim, ...] | None:
        """A box of an image every element of which the original reads where the loops around an effect run: asked once
        where many reads are of it, each of which then is of what the original reads if it lies in that box."""
        trips = tuple(loop.trip for loop in e.loops if not loop.trip.names() & set(e.counters))
        asked = (f.name, name, trips)
        self._reads[name] = self._reads.get(name, 0) + 1
        if asked not in self._throughout and self._reads[name] > _FEW:
            self._throughout[asked] = None
            image = next(i for i in self.summary.inputs if i.name == name)
            count = len(image.layout.dims)
            for box in (image.layout.dims, f.layout.dims[-count:]):  # an image of the size of what is made of it
                if len(box) == count and self._throughout[asked] is None and self.all_read(f, e, image, box, trips):
                    self._throughout[asked] = box
        return self._throughout.get(asked)

    def all_read(
        self, f: FuncSummary, e: Effect, image: InputSummary, box: tuple[Dim, ...], trips: tuple[Poly, ...]
    ) -> bool:
        """Whether the original reads every element of a box, where loops that run so often run at all."""
        anywhere = tuple(Poly.variable(f"anywhere.{d.name}", I32) for d in image.layout.dims)
        ways = self.index.any_of(self.in_other_iterations(image.layout, anywhere))
        given = [*self.within_dims(box, anywhere), *(self.index.poly(t) >= 1 for t in trips)]
        proved = isinstance(
            prove(Query((*self.contract, *self.index.facts, *given), ways), _WHOLE_SECONDS), Proved
        )
        if proved:
            sizes = ", ".join(f"{poly_text(d.min)} to {poly_text(d.min + d.extent)}" for d in box)
            text = f"line {e.line}: every element of {image.name} from {sizes} is read by the original"
            self.add(f.name, "readable", text, given, ways, e.line)
        return proved

    def sure_reads(self, e: Effect, array: str, masked: bool = False) -> list[tuple[Poly, tuple[Expr, ...]]]:
        """Elements of an array, as it was given, that an effect reads in every iteration in which conditions on
        counters and parameters hold; or, `masked`, in which the data let it too."""
        asked = (e.order, array, masked)
        if asked not in self._sure:
            self._sure[asked] = []
            for load, given in sure_loads(e.value, lambda c: masked and self.of_data(c, e)):
                seen = self.keyed(load, e)
                if isinstance(seen, Load) and seen.name == f"{array}#initial":
                    self._sure[asked].append((to_poly(seen.index), given))
        return self._sure[asked]

    def beforehand(self, array: str) -> list[tuple[Effect, Poly, tuple[Expr, ...]]]:
        """Elements that values of variables and conditions read, each once."""
        if array not in self._beforehand:
            found: dict[object, tuple[Effect, Poly, tuple[Expr, ...]]] = {}
            for e, index, given in read_beforehand(self.path, array):
                guard = key(e.guard) if e.guard is not None else None
                found[index, e.counters, guard, tuple(map(key, given))] = e, index, given
            self._beforehand[array] = list(found.values())
        return self._beforehand[array]

    def between(self, e: Effect, layout: Layout, target: tuple[Poly, ...]) -> Any:
        """Whether an element lies between two that the original reads, or between the one that its pointer points to
        and a later one: an array has no holes, so that it can be read."""
        place = layout.index(target)
        lows, highs = [self.index.poly(place) >= 0], []
        for other in self.path.effects:
            if other.guard is not None and loads(other.guard):
                continue
            for index, given in self.sure_reads(other, layout.array):
                for rename in _instants(other, e):
                    when = [*self.domain(other.loops, rename), *self.holding(_all(other.guard, given), rename)]
                    ahead = self.index.poly(index.substitute(rename) - place)
                    lows.append(self.index.all_of([*when, ahead <= 0]))
                    highs.append(self.index.all_of([*when, ahead >= 0]))
        return self.index.all_of([self.index.any_of(lows), self.index.any_of(highs)])

    def holding(self, conditions: tuple[Expr, ...], rename: Mapping[str, Poly]) -> list[Any]:
        """That conditions on counters and parameters, the counters renamed, hold, and mean over Z what they say."""
        out = []
        for c in conditions:
            renamed = substitute(c, {n: from_poly(p, I32) for n, p in rename.items()})
            if self.index.faithful(renamed):
                out.append(self.index.expr(renamed))
            else:
                needed, read = self.index.reading(renamed)
                out += [*needed, read]
        return out

    def reached(
        self, e: Effect, layout: Layout, index: Poly, target: tuple[Poly, ...], given: tuple[Expr, ...] = (),
        kept: tuple[str, ...] = (),
    ) -> Any:
        """Whether an unconditional read at `index` passes over `target` in some iteration of its effect, which it
        does where each of its coordinates is a sum of multiples of counters and a constant, the target is one of those
        places, lies in those counters' ranges, and the effect's guard holds there.  Of counters `kept` those stay as
        they are that are not a coordinate's last."""
        ways = [self.passed(e, places, given, kept) for places in _coordinates(layout, index, target)]
        return ways[0] if len(ways) == 1 else self.index.any_of(ways)

    def passed(
        self, e: Effect, places: Sequence[tuple[Poly, Poly]], given: tuple[Expr, ...], kept: tuple[str, ...]
    ) -> Any:
        """As `reached`: of each coordinate what is read, and what is asked for."""
        rename: dict[str, Poly] = {}
        conditions, staying = [], set[str]()
        for c, t in places:
            counters = [k for k in e.counters if k in c.names()]
            staying |= {k for k in counters[:-1] if k in kept}
            counters = [k for k in counters if k not in staying]
            if not counters:
                conditions.append(self.index.poly(c) == self.index.poly(t))
                continue
            steps = {k: step for k in counters if (p := c.coefficient(k)) is not None and (step := p.constant_value())}
            rest = c.substitute(dict.fromkeys(counters, Poly()))
            alike = len(counters) == 1 or all(step > 0 for step in steps.values())
            if len(steps) < len(counters) or not alike or set(counters) & set(rename) or staying & set(rename):
                return self.index.any_of([])
            down = any(step < 0 for step in steps.values())
            distance = rest - t if down else t - rest
            for k, step in sorted(steps.items(), key=lambda item: -abs(item[1])):  # registers, then lanes
                rename[k] = floor_div(distance, abs(step))
                distance = distance - rename[k].scale(abs(step))
            if min(map(abs, steps.values())) != 1:
                conditions.append(self.index.poly(c.substitute({k: rename[k] for k in steps})) == self.index.poly(t))
        left = [c for c in e.counters if c not in rename and c not in staying]
        if left:  # iterations that read the same element again: the first will do
            rename.update({c: Poly() for c in left})
        when = [*self.domain(e.loops, rename), *self.holding(_all(e.guard, given), rename)]
        return self.index.all_of([*conditions, *when])

    def of_data(self, condition: Expr, e: Effect) -> bool:
        """Whether the data alone, not counters or parameters, say whether a condition holds."""
        read = loads(condition)
        if not read or not all(self.is_data(n, e) for n in read):
            return False
        return not mentions(condition, set(e.counters)) or self.up_to_data(condition, e)

    def is_data(self, load: Load, e: Effect) -> bool:
        """Whether the caller's data say what is read: not of a constant table, but for a place that the data say, and
        not of an array into which anything else has been stored (a frame of zeros around a mask)."""
        array, _ = split_tag(load.name)
        if array in self.function.tables:
            return self.made_of_data(load.index, e)
        seen = self.keyed(load, e)
        if isinstance(seen, Load) and seen.name == f"{array}#initial":
            return True
        if array not in self._data:
            self._data[array] = False  # of itself alone it is not
            self._data[array] = all(self.made_of_data(o.value, o) for o in self.path.effects if o.array == array)
        return self._data[array]

    def made_of_data(self, value: Expr, e: Effect) -> bool:
        """Whether a value is made of data in every iteration, in the same way: not `x > 0 ? mask[x] : 0`."""
        evaluated = unconditional_loads(value)
        read = [n for n in loads(value) if key(n) in evaluated]
        return not mentions(value, set(e.counters)) and any(self.is_data(n, e) for n in read)

    def up_to_data(self, condition: Expr, e: Effect) -> bool:
        """Whether the data alone decide a condition that mentions counters too (`bits[x >> 3] & (128 >> (x & 7))`):
        in every iteration it holds if all that is read is one certain value, and fails if it is another."""
        read, inside = loads(condition), counters_in_range(e.loops)
        if not read or any(not n.type.is_int_or_uint() for n in read):
            return False
        answers: set[bool] = set()
        for of_type in (lambda t: const(t.max(), t), lambda t: const(0, t), lambda t: const(1, t)):
            fixed = transform(condition, partial(_for_loads, of_type))
            for wanted in {True, False} - answers:
                goal = fixed if wanted else negate(fixed)
                if isinstance(decide_lemma(goal, const(1, BOOL), inside, self.inline), Proved):
                    answers.add(wanted)
        return answers == {True, False}


def _clamped(p: Poly) -> bool:
    return any(isinstance(a, Min | Max) for a in p.atoms().values())


def _coordinates(layout: Layout, index: Poly, target: tuple[Poly, ...]) -> Iterator[list[tuple[Poly, Poly]]]:
    """What a place in memory is in each dimension, and what is asked for there; then with dimensions of constant
    strides as one, for a read that goes on from one row of these to the next: 24 numbers are 8 pixels.  Nothing where
    the place is between the elements."""
    rest, places = index - layout.offset, list[tuple[Poly, Poly, Poly]]()
    for dim, t in zip(reversed(layout.dims), reversed(target), strict=True):
        assert dim.stride is not None
        q, rest = rest.divide_by(dim.stride)
        places.insert(0, (q, t, dim.stride))
    if not rest.is_zero():
        return
    yield [(q, t) for q, t, _ in places]
    joined = [p for p in places if p[2].constant_value() is not None]
    if len(joined) > 1:
        place, asked = (sum((p[k] * p[2] for p in joined), Poly()) for k in (0, 1))
        yield [(place, asked), *((q, t) for q, t, s in places if s.constant_value() is None)]


def _all(guard: Expr | None, given: tuple[Expr, ...]) -> tuple[Expr, ...]:
    return given if guard is None else (guard, *given)


def _instants(other: Effect, e: Effect) -> list[dict[str, Poly]]:
    """Iterations of an effect in which it may read about what `e` reads: the very same one, and the first and the last
    of each loop that the two do not share."""
    shared = 0
    while shared < min(len(other.counters), len(e.counters)) and other.counters[shared] == e.counters[shared]:
        shared += 1
    out: list[dict[str, Poly]] = [{}] if shared == len(other.counters) else []
    for common in dict.fromkeys((shared, 0)):
        first: dict[str, Poly] = {}
        last: dict[str, Poly] = {}
        for loop in other.loops[common:]:
            first[loop.counter] = Poly()
            last[loop.counter] = loop.trip.substitute(last) - Poly.constant(1)
        out += [r for r in (first, last) if r]
    return out


def _for_loads(of_type: Callable[[Type], Expr], e: Expr) -> Expr:
    return of_type(e.type) if isinstance(e, Load) else e


def _applies_with(other: Effect, e: Effect) -> bool:
    """Whether an effect of the same iteration applies wherever `e` does."""
    held = {key(c) for c in parts(e.guard, And)} if e.guard is not None else set()
    return other.guard is None or all(key(c) in held for c in parts(other.guard, And))
