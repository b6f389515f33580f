"""Lifting one path: the three stages for each group of stores, in order, and the contract (paper, section 4)."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import partial

from halide_core.ir.expr import I32, Call, Expr, Load, Select
from halide_core.ir.structural import post_order, transform
from lifter.algebra.bit_extraction import take_bits
from lifter.algebra.fold import fold
from lifter.algebra.polynomial import Poly, from_poly, to_poly
from lifter.ir.effects import Effect, Path, arrays_in, loads, reads_of, sites
from lifter.ir.inline_pure_calls import inline_all, inline_call
from lifter.ir.loop_ir import Function
from lifter.ir.names import array_of, is_read, time_of, timed
from lifter.ir.summary import Definition, EffectMap, FuncSummary, InputSummary, Layout, PathSummary, var
from synth.contract.in_place_order import check_order
from synth.contract.memory_contract import MemoryContract
from synth.expression.enumerate import Enumerator, SearchStatistics
from synth.expression.monolithic import MonolithicStatistics
from synth.expression.monolithic import search as search_at_once
from synth.expression.optimise import optimise
from synth.failure import NeverGiven, NotFound, UnknownReach
from synth.images import ImageMapper, replace_images
from synth.options import Options, Stopwatch
from synth.read_bounds.clamp_to_region import SameCoordinate, asks_beyond, within
from synth.read_bounds.drop_choices import Choices
from synth.read_bounds.original_reads import apart
from synth.read_bounds.reads_inside import reads_inside
from synth.region.coordinates import NoMapping, coordinate
from synth.region.region_of_interest import NoRegion, Pool, Region, RoiStatistics, regions
from synth.region.update_region import Irregular, touched
from synth.sampling.samples import Env, NotConcrete, compiled_poly, sample_environments, visited
from synth.sampling.small_runs import SmallRuns, no_remainder
from synth.sampling.trial import differ
from synth.staging.draft import Draft, Shape, line_of, shape, type_of
from synth.staging.partition import Proto, partition
from synth.staging.updates import Update, place, stand_apart, updates
from synth.strategies import STRATEGIES, Strategy
from synth.terminals.pixels import reads_whole_pixels
from synth.terminals.terminals import Mapper, image_call
from synth.trace import Candidate, Failure, Trace, failure
from synth.unify.stores import Tests
from synth.unify.unify import unify
from verifier.algebra.lemmas import decide_lemma
from verifier.conditions.base import Condition, slices
from verifier.conditions.path import PathConditions
from verifier.contract import ContractBuilder
from verifier.memory_states import Group, Unresolved, see
from verifier.smt import Proved, prove

_SOON = 2.0
"""Seconds for a proof of what is only nicer to have."""


class PathLifter:
    """Finds the summary of one path by one strategy."""

    def __init__(
        self,
        function: Function,
        path: Path,
        options: Options,
        clock: Stopwatch,
        trace: Trace | None = None,
        strategy: Strategy = STRATEGIES[0],
    ) -> None:
        self.strategy = strategy
        self.trace = trace if trace is not None else Trace()
        self.function = function
        self.path = path
        self.options = options
        self.clock = clock
        self.contract = ContractBuilder(function, path)
        self.by_order = {e.order: e for e in path.effects}
        self.outputs = [p.name for p in function.params if p.pointer]
        self.roi_statistics = RoiStatistics()
        self.search_statistics = SearchStatistics()
        self.monolithic_statistics = MonolithicStatistics()
        self.samples: list[Env] = []
        self.groups: list[Group] = []
        self.names: dict[str, str] = {}

    def lift(self) -> PathSummary:
        """The summary.  Raises NotFound."""
        if self.strategy.demanding:
            self.contract.runs()
        if self.strategy.demanding or self.function.uses_registers:
            self.contract.tails()
        self.contract.loops()
        self.contract.counters_fit()
        self.contract.obligations()
        conditions = [i.condition for i in self.contract.items if i.condition is not None]
        self.samples = sample_environments(self.function, self.path, conditions, 8)
        if not self.path.effects:
            return self.finish([], {})
        if not self.samples:
            raise NotFound("roi", "no small parameter values satisfy the function's own conditions")
        problem: NotFound | None = None
        ways = [g for g in self.strategy.groupings if g.when(self.function, self.path)]
        groupings = [partition(self.function, self.path, g) for g in ways]
        stated = self.contract
        partly: tuple[PathSummary, ContractBuilder] | None = None
        for protos in groupings:
            self.contract = stated.branch()  # what fails asks nothing of the caller
            try:
                summary = self.attempt(protos)
            except NotFound as found:
                problem = problem or found
                continue
            if self.keeps_parts(protos):
                partly = partly or (summary, self.contract)
                continue
            wanted = ("overwrites", "not-yet-written", *(("inside",) if any(p.updates for p in protos) else ()))
            if protos is groupings[-1] or self.in_order(summary, wanted):
                return summary
        if partly is not None:
            summary, self.contract = partly
            return summary
        assert problem is not None
        raise problem

    def keeps_parts(self, protos: list[Proto]) -> bool:
        """Whether small runs show that what is read of a local array after its last Func lies in one before it: one
        Func of which a part is updated says which, if there is one."""
        last = {p.array: p for p in protos if p.array not in self.outputs}
        for p in last.values():
            if p is next(q for q in protos if q.array == p.array):
                continue
            stores = [*p.plain, *p.updates]
            end = max(e.order for e in stores)
            reading = [(e, n) for e in self.path.effects for x in sites(e) for n in reads_of(p.array, x)]
            behind = [(e, to_poly(n.index)) for e, n in reading if time_of(n) > end and e.order > end]
            with contextlib.suppress(NotConcrete):  # then the proof says what does not hold
                for env in self.samples:
                    written = {i for e in stores for i in _elements(e, e.index, env)}
                    if any(i not in written for e, index in behind for i in _elements(e, index, env)):
                        return True
        return False

    def in_order(self, summary: PathSummary, wanted: tuple[str, ...]) -> bool:
        """Whether the conditions of these names hold: that no Func reads what its own nest has overwritten by then, the
        last Func on each array is all that the caller sees, updates stay inside of what was written first.  This is
        what a grouping can get wrong."""
        conditions = PathConditions(self.function, self.path, summary)
        conditions.overwritten(set(self.outputs))
        for f in summary.funcs:
            for d in f.definitions:
                if any(m.order in {e.order for e in self.path.effects if e.array in self.outputs} for m in d.maps):
                    conditions.definition(f, d, values=False)
        return self.all_hold([c for c in conditions.out if c.name in wanted], "order", summary.funcs)

    def attempt(self, protos: list[Proto]) -> PathSummary:
        self.trace.groupings += 1
        self.groups = [p.group() for p in protos]
        written = {p.array for p in protos}
        self.names = {a: (self._input_of(a) if a in written else a) for a in self.function.arrays}
        drafts: list[Draft] = []
        funcs: list[FuncSummary] = []
        for p in protos:
            funcs.append(self.stage(p, drafts, funcs))
        return self.finish(funcs, {d.proto.name: d for d in drafts})

    def _input_of(self, array: str) -> str:
        """The name of what an array holds before it is written, which is no parameter's."""
        taken = {p.name for p in self.function.params} | set(self.function.arrays) | set(self.function.locals)
        name = f"{array}_in"
        while name in taken:
            name += "_"
        return name

    # Stage one.

    def stage(self, p: Proto, drafts: list[Draft], funcs: list[FuncSummary]) -> FuncSummary:
        failure: NotFound | None = None
        other: tuple[Draft, FuncSummary, bool] | None = None
        stated = self.contract
        ways = ((False, False), (True, False), (True, True))
        for phases, by_runs in ways if len(p.plain) > 1 else ways[:1]:
            different: set[Shape] = set()
            try:
                for draft in self.drafts(p, different):
                    draft.phases, draft.by_runs = phases, by_runs
                    draft.contract = self.contract
                    try:
                        func = self.define(draft, funcs)
                    except NotFound as problem:
                        self.contract = stated
                        failure = failure or problem
                        if problem.stage == "expression":
                            different.add(shape(draft.layout))
                        if problem.stage == "terms":
                            self.trace.candidates.append(Candidate("terms", (draft.placeholder(),), problem.reason))
                        continue
                    # Rather over channels and pixels than over elements that each read the first of their pixel.
                    fits = reads_inside(func, funcs, self.function.functions, self.samples)
                    if fits and not reads_whole_pixels(func):
                        drafts.append(draft)
                        return func
                    if other is None or fits > other[2]:
                        other = draft, func, fits
                    self.contract = stated
            except NotFound as problem:
                failure = failure or problem
            self.contract = stated
        if other is not None:
            self.contract = other[0].contract or stated
            self.keep_slices(other[0])
            drafts.append(other[0])
            return other[1]
        raise failure or NotFound("roi", f"no region of interest for '{p.array}'", line_of(p))

    def drafts(self, p: Proto, without: set[Shape]) -> Iterator[Draft]:
        """Candidates for the region of interest, but those of shapes that are found wanting meanwhile."""
        if not p.plain:
            yield self.undefined(p)
            return
        failure: str | None = None
        data = {e.order for e in p.plain if e.guard is not None and loads(e.guard)}
        attempts = [False, True] if any(e.guard is not None and not loads(e.guard) for e in p.plain) else [False]
        for force in attempts:
            free = {e.order for e in p.plain if e.guard is not None and (force or e.order in data)}
            effects = [replace(e, guard=None) if e.order in free else e for e in p.plain]
            candidates = regions(
                self.function, p.array, effects, p.private, self.samples, self.options.suggestions, self.roi_statistics
            )
            try:
                while True:
                    with self.clock.stage("roi"):
                        region = next(candidates, None)
                        if region is None:
                            break
                        if shape(region.layout) in without:
                            continue
                        maps = tuple(replace(m, guard_in_value=m.order in free) for m in region.maps)
                        draft = Draft(p, region.layout, maps)
                        stated, self.contract = self.contract, self.contract.branch()
                        usable = self.contract.layout(region.layout) and self.region_holds(draft, region)
                    if usable:
                        draft.updates = self.updates(p, draft.layout)
                        yield draft
                    else:
                        failure = failure or "a candidate region did not verify"
                    self.contract = stated
            except NoRegion as problem:
                failure = str(problem)
        if failure is not None:
            raise NotFound("roi", f"'{p.array}': {failure}", line_of(p))

    def region_holds(self, draft: Draft, region: Region) -> bool:
        """Proves the region before anything is searched in it."""
        func = draft.placeholder()
        summary = PathSummary(self.path.conditions, (func,), (), None, tuple(self.contract.items))
        conditions = PathConditions(self.function, self.path, summary)
        conditions.region(func, func.definitions[0])
        self.trace.regions += 1
        return self.all_hold(conditions.out, "roi", (func,))

    def holds(self, c: Condition) -> bool:
        return self.failure(c) is None

    def failure(self, c: Condition, seconds: float = math.inf) -> Failure | None:
        """What refutes a condition, or leaves it open after `seconds`."""
        if c.query is None:
            return None if c.holds else failure(c, None)
        answer = prove(c.query, min(seconds, self.options.query_timeout))
        return None if isinstance(answer, Proved) else failure(c, answer)

    def all_hold(self, conditions: list[Condition], stage: str, funcs: tuple[FuncSummary, ...]) -> bool:
        """Whether all conditions on a candidate hold; the first that does not is kept with it."""
        for k, c in enumerate(conditions):
            found = self.failure(c)
            if found is not None:
                self.trace.candidates.append(Candidate(stage, funcs, found.text, k, (found,)))
                return False
        return True

    def undefined(self, p: Proto) -> Draft:
        """An array of the caller's that is only updated: the box spans what the updates may touch."""
        with self.clock.stage("roi"):
            e = p.updates[0]
            try:
                box = touched(self.function, p.array, p.updates, self.contract, self.strategy.guarded)
            except Irregular as problem:
                e = problem.effect
                place = f"{p.array}[{readable_index(e.index)}]"
                data = arrays_in(e.index.atoms().values())
                if data:
                    reason = f"irregular store to {place}; where it lands depends on data of unbounded range"
                    raise UnknownReach("roi", reason, frozenset(data), e.line) from None
                raise NotFound("roi", f"the range of {place} is not known: {problem}", e.line) from None
            if self.strategy.guarded and not self.contract.layout(box):
                raise NotFound("roi", f"the rows of '{p.array}' may overlap", e.line)
            if not p.private and p.array not in self.outputs:
                raise NotFound("roi", f"'{p.array}' is updated before it is given values", e.line)
            return Draft(p, box, (), self.updates(p, box), undefined=True)

    def updates(self, p: Proto, layout: Layout) -> list[Update]:
        """The iteration domain of each update.  Raises NotFound."""
        return updates(p.updates, layout, p.private, self.contract.follows, self.strategy.guarded)

    def keep_slices(self, draft: Draft) -> None:
        """Tells the draft's group along which dimensions its stores go with the loops."""
        maps = [*draft.plain, *(m for m, _ in draft.updates)]
        kept = frozenset(k for m in maps for k in slices(draft.layout, m, self.by_order))
        self.groups = [replace(g, slices=kept) if g.name == draft.proto.name else g for g in self.groups]

    # Stage two and the suggestion of stage three.

    def define(self, draft: Draft, funcs: list[FuncSummary]) -> FuncSummary:
        p, layout = draft.proto, draft.layout
        self.keep_slices(draft)
        names = tuple(d.name for d in layout.dims)
        definitions: list[Definition] = []
        known = {f.name: f.layout for f in funcs} | {p.name: layout}
        with self.clock.stage("terms"):
            if p.plain:
                args: tuple[Expr, ...] = tuple(var(n) for n in names)
                values = [self.over_dims(self.by_order[m.order], m, names, (), known) for m in draft.plain]
                value = self.unify(draft, values)
                definitions.append(Definition(args, value, draft.plain))
            for m, rdom in draft.updates:
                e = self.by_order[m.order]
                rnames = tuple(r.name for r in rdom)
                value = self.over_dims(e, m, names, rnames, known)
                args = self.update_args(e, m, layout, names, rnames, known)
                where = None
                if e.guard is not None and not m.guard_in_value:
                    where = self.over_dims(replace(e, value=e.guard, guard=None), m, names, rnames, known)
                    if any(isinstance(n, Call) and n.name == p.name for n in post_order(where)):
                        raise NotFound("terms", f"'{p.name}' itself says where it is updated", e.line)
                definitions.append(Definition(args, value, (m,), rdom, update=True, where=where))
        output = p.array in self.outputs
        return FuncSummary(p.name, type_of(p), layout, tuple(definitions), output, draft.undefined)

    def over_dims(
        self, e: Effect, m: EffectMap, names: tuple[str, ...], rnames: tuple[str, ...], known: dict[str, Layout]
    ) -> Expr:
        """The value of an effect over the dimensions: reads of Funcs as calls, reads of images still as addresses."""
        value = e.value
        if e.guard is not None and m.guard_in_value:
            kept = Load(value.type, timed(e.array, e.order), from_poly(e.index))
            value = fold(Select(value.type, e.guard, value, kept))
        mapper = Mapper(e, m, names, rnames, self.options.suggestions)
        try:
            mapped = mapper.value(value, lambda load, index: self.terminal(load, index, e, mapper, known))
        except (NoMapping, Unresolved) as problem:
            raise NotFound("terms", str(problem), e.line) from None
        return take_bits(mapped, self.inline) if self.options.suggestions else mapped

    def terminal(
        self, load: Load, index: Poly, e: Effect | None, mapper: Mapper | None, known: dict[str, Layout]
    ) -> Expr:
        seen = see(load, e, self.path, self.groups, partial(self.stands_apart, known))
        if seen.group is None:
            if seen.array not in self.function.tables and seen.array not in self.outputs:
                line = e.line if e is not None else self.path.line
                given = any(other.array == seen.array for other in self.path.effects)  # in an earlier iteration
                kind = NotFound if given else NeverGiven
                raise kind("terms", f"'{seen.array}[{seen.index}]' is read before it is given a value", line)
            return Load(load.type, f"{seen.array}#", from_poly(index))
        layout = known.get(seen.group.name)
        if layout is None:
            raise Unresolved(f"'{seen.array}' is read before it is computed")
        private = tuple(mapper.poly(q) if mapper is not None else q for q in seen.private)
        place = self.place(index, seen.index, layout, private, e, mapper)
        return image_call(load.type, seen.group.name, place, seen)

    def stands_apart(
        self, known: dict[str, Layout], e: Effect, site: Effect, index: Poly, same: Collection[str]
    ) -> bool:
        """Whether a store of a Func is never to the element at `index` that another one writes or reads."""
        layout = known[next(g.name for g in self.groups if e.order in g.orders)]
        return stand_apart(e, site, index, layout, self.contract.follows, same)

    def place(
        self,
        index: Poly,
        over_counters: Poly,
        layout: Layout,
        private: tuple[Poly, ...],
        e: Effect | None,
        mapper: Mapper | None,
    ) -> tuple[Poly, ...]:
        """Coordinates of a Func's element, at an address over the dimensions that is another one over the counters
        around effect `e`.  Raises NoMapping."""
        axes = dict(mapper.axes()) if mapper is not None else {}
        return place(index, over_counters, layout, private, e, self.contract.follows, axes)

    def update_args(
        self,
        e: Effect,
        m: EffectMap,
        layout: Layout,
        names: tuple[str, ...],
        rnames: tuple[str, ...],
        known: dict[str, Layout],
    ) -> tuple[Expr, ...]:
        mapper = Mapper(e, m, names, rnames, self.options.suggestions)
        try:
            marked = mapper.value(
                Load(I32, "address@0", from_poly(e.index)),
                lambda load, index: (
                    Load(I32, "address#", from_poly(index))
                    if load.name == "address@0"
                    else self.terminal(load, index, e, mapper, known)
                ),
            )
            assert isinstance(marked, Load)
            private = tuple(Poly.variable(d.name, I32) for d in reversed(layout.dims) if d.stride is None)
            coords = self.place(to_poly(marked.index), e.index, layout, private, e, mapper)
        except (NoMapping, Unresolved) as problem:
            raise NotFound("terms", str(problem), e.line) from None
        return tuple(coordinate(c) for c in coords)

    def unify(self, draft: Draft, values: list[Expr]) -> Expr:
        """One expression for all effects of a group."""
        stores = list(zip(values, draft.plain, strict=True))
        names = [d.name for d in draft.layout.dims]
        runs = SmallRuns(self.samples, self.by_order, draft.layout)
        remainder = runs.remainder if draft.by_runs else no_remainder
        tests = Tests(self.equal, partial(runs.same_place, names), runs.ends, runs.before, remainder, runs.guard)
        found = unify(stores, draft.layout, draft.phases, tests)
        if found is None:
            reason = "the stores of one region compute different things"
            lines = [self.by_order[m.order].line for m in draft.plain]
            differing = tuple(zip(lines, values, strict=True))
            self.trace.candidates.append(
                Candidate("expression", (draft.placeholder(),), reason, differing=differing)
            )
            raise NotFound("expression", reason, line_of(draft.proto))
        return found

    def equal(self, a: Expr, b: Expr) -> bool:
        """Whether two values are proved equal, wherever the path's conditions on the parameters hold."""
        facts = [c for c in (*self.path.conditions, *(c for c, _ in self.path.asserts)) if not loads(c)]
        if differ(a, b, self.samples, self.function.functions):
            return False
        return isinstance(decide_lemma(a, b, facts, self.inline, self.options.query_timeout), Proved)

    # Images, contract, result.

    def finish(self, funcs: list[FuncSummary], drafts: dict[str, Draft]) -> PathSummary:
        result = None
        if self.path.result is not None:
            known = {f.name: f.layout for f in funcs}
            try:
                result = transform(self.path.result, lambda n: self.result_terminal(n, known))
            except (NoMapping, Unresolved) as problem:
                raise NotFound("terms", str(problem), self.path.line) from None
        with self.clock.stage("terms"):
            samples, c = self.near_and_far(), self.contract
            mapper = ImageMapper(
                self.function, self.path, self.groups, samples, self.names, c.non_negative, c.follows, c.settled
            )
            inputs, funcs = mapper.map(funcs, result)
            funcs = [self.without_choices(f, funcs, inputs) for f in funcs]
            funcs = [self.within(f, funcs) for f in funcs]
        with self.clock.stage("expression"):
            funcs = [self.cheapest(f) for f in funcs]
        result = replace_images(result, inputs) if result is not None else None
        with self.clock.stage("proof"):
            memory = MemoryContract(self.function, self.path, self.contract, self.holds)
            memory.state(funcs, inputs, self.strategy.demanding)
            items = self.contract.lean()
        summary = PathSummary(self.path.conditions, tuple(funcs), tuple(inputs.values()), result, items)
        check_order(summary, self.function.line)
        return summary

    def near_and_far(self) -> list[Env]:
        """Samples with the least sizes, then others, in which rows lie far from each other."""
        conditions = [i.condition for i in self.contract.items if i.condition is not None]
        tiny = sample_environments(self.function, self.path, conditions, 4, sizes=(1, 3)) if self.path.effects else []
        return apart([*tiny, *self.samples[:4]], self.path)

    def without_choices(
        self, f: FuncSummary, funcs: list[FuncSummary], inputs: dict[str, InputSummary]
    ) -> FuncSummary:
        """`f` without choices by coordinate that clamped reads make needless."""
        if not self.options.suggestions or f.undefined:
            return f
        images, now = list(inputs.values()), time.perf_counter()
        left = self.clock.deadline - now
        soon = now + left / 4
        stated = self.contract.branch()
        stated.coordinates_fit([*(g.layout for g in funcs), *(i.layout for i in images)])

        def holds(c: Condition) -> bool:
            return self.failure(c, min(left / 16, _SOON)) is None  # what is right with its choices may stay as it is

        choices = Choices(self.function, self.path, self.samples, stated.items, images, holds, soon)
        return choices.without(f, funcs)

    def within(self, f: FuncSummary, funcs: list[FuncSummary]) -> FuncSummary:
        """`f` with reads of other Funcs clamped where Halide would compute more of these than their regions."""
        stated = self.contract.branch()
        some = [x.extent - Poly.constant(1) for x in f.layout.dims]
        some += [r.extent - Poly.constant(1) for d in f.definitions for r in d.rdom]
        for p in some:
            stated.require(p, "extent")
        given = [i.condition for i in self.contract.items if i.condition is not None]
        same = SameCoordinate((*given, *self.path.conditions), self.options.query_timeout)
        f = within(f, funcs, self.function, stated.follows, same)
        alone = self.path.result is None and sum(g.output for g in funcs) == 1  # or else nothing runs where it is empty
        if not alone and asks_beyond(f, funcs, self.function, self.contract.follows):
            for p in some:
                self.contract.require(p, "extent")
        return f

    # Stage three.

    def cheapest(self, f: FuncSummary) -> FuncSummary:
        """Each definition's expression rewritten to its cheapest proved equivalent."""
        if not self.options.optimise:
            return f
        facts = [i.condition for i in self.contract.items if i.condition is not None and i.kind == "assert"]
        definitions = []
        for d in f.definitions:
            if self.options.monolithic:
                d = replace(d, value=self.search_at_once(f, d))
            elif not self.options.suggestions:
                d = replace(d, value=self.search(f, d, facts))
            value, steps = optimise(d.value, facts, inline=self.inline, check=self.clock.check)
            definitions.append(replace(d, value=value, origin=d.value if steps else None, steps=steps))
        return replace(f, definitions=tuple(definitions))

    def search(self, f: FuncSummary, d: Definition, facts: list[Expr]) -> Expr:
        """An expression found from the terminals and operators alone."""
        goal = inline_all(d.value, self.function.functions)
        terms = replace(d, value=goal).terms()
        searcher = Enumerator(goal, terms, self.search_statistics, self.clock.check, self.options.grammar)
        for candidate in searcher.candidates(3):
            if isinstance(decide_lemma(goal, candidate, facts, self.inline, self.options.query_timeout), Proved):
                return candidate
        line = self.by_order[d.maps[0].order].line
        raise NotFound("expression", f"no expression of the grammar is proved equal to what '{f.name}' holds", line)

    def search_at_once(self, f: FuncSummary, d: Definition) -> Expr:
        """Region, terminals and expression found together, in one search over the whole grammar."""
        effects = [self.by_order[m.order] for m in d.maps]
        if len(f.definitions) != 1 or d.update or len(effects) != 1:
            raise NotFound(
                "monolithic", "the single search is for functions of one stage and one store", effects[0].line
            )
        goal = inline_all(d.value, self.function.functions)
        found = search_at_once(
            f,
            d,
            effects[0],
            Pool(self.function, effects),
            self.samples,
            goal,
            self.monolithic_statistics,
            self.clock.check,
            self.options.grammar,
        )
        if found is None:
            raise NotFound("monolithic", "no candidate of the grammar agrees with the original", effects[0].line)
        return found

    def inline(self, call: Call) -> Expr | None:
        return inline_call(call, self.function.functions)

    def result_terminal(self, n: Expr, known: dict[str, Layout]) -> Expr:
        if is_read(n):
            return self.terminal(n, to_poly(n.index), None, None, known)
        return n


def _elements(e: Effect, index: Poly, env: Env) -> Iterator[int]:
    """The elements that an index comes to in the iterations of an effect.  Raises NotConcrete."""
    at = compiled_poly(index)
    return (at(point) for point in visited(e, env))


def readable_index(p: Poly) -> str:
    """An address for people: arrays under their plain names."""
    return str(to_poly(transform(from_poly(p), _untag)))


def _untag(n: Expr) -> Expr:
    return replace(n, name=array_of(n)) if is_read(n) else n
