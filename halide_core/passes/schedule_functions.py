"""From Functions and schedules to one statement: loops, storage and the bounds of every stage."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from halide_core.errors import HalideError
from halide_core.function import Definition, Function, ReductionDomain, Specialization, StageSchedule
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.box import Box
from halide_core.ir.expr import BOOL, I32, CallType, Expr, const_value, make_bool
from halide_core.ir.named_calls import REQUIRE
from halide_core.ir.simplify import simplify, simplify_with_indices
from halide_core.ir.structural import contains, post_order, substitute, transform
from halide_core.ir.types import Handle
from halide_core.passes.boxes import Asked, boxes_touched, mentions
from halide_core.passes.extern_stages import (
    Binder,
    Range,
    answers,
    ask,
    bind,
    call,
    call_of,
    check_extern_stages,
    computed_box,
    with_answers,
)
from halide_core.passes.float_ends import within_reach
from halide_core.passes.fuse_stages import Member, fuse_stages, fused_groups
from halide_core.passes.inline import inlined_functions, make_inliner
from halide_core.passes.levels import at_level, calls, check_hoisted, describe, innermost, resolve_levels, used_outside
from halide_core.passes.loop_nest import build_loop_nest
from halide_core.passes.needed import is_conditional, needed
from halide_core.passes.overwritten import initialized
from halide_core.passes.regions import Context, computed_range, joined, metadata, stage_boxes, storage_box, stored_range
from halide_core.passes.sliding import fold, slide
from halide_core.passes.value_bounds import used_in_coordinates, value_bounds


def schedule_functions(order: list[Function], outputs: list[Function], context: Context) -> st.Stmt:
    """The loops of all Functions that are not inlined, each where its schedule says.

    Outputs run over their buffers' own bounds; another Function over the box that its consumers touch at the level
    where it is computed.  Raises HalideError for a level that does not exist or does not enclose every use."""
    for f in order:
        resolve_levels(f)
    for f in outputs:
        if f.memoized:
            raise HalideError(f"Func {f.name} is an output, which memoize cannot keep; memoize is for other Funcs")
    inlined = inlined_functions(order, outputs)
    check_extern_stages(order, inlined)
    context.external = {f.name: f for f in order if f.extern is not None}
    expand = make_inliner(inlined)
    kept = [f for f in order if id(f) not in inlined]
    context.computed = {f.name: any(f is o for o in outputs) for f in kept}
    expanded = {id(f): [_expanded(d, expand) for d in f.definitions()] for f in kept}
    if context.tracing is not None:
        expanded = {id(f): [context.tracing.definition(f, d) for d in expanded[id(f)]] for f in kept}
    parts = [d for f in kept for d in expanded[id(f)]]
    context.conditional = any(
        d.schedule.specializations or any(is_conditional(v, context.is_fixed) for v in d.values) for d in parts
    )
    context.known.values = value_bounds(kept, expanded)
    context.in_coordinates = frozenset(used_in_coordinates(kept, expanded))
    stmt: st.Stmt = st.Block(())
    for group in reversed(fused_groups(kept, outputs)):
        stmt = _Group(group, expanded, outputs, order, context).inject(stmt)
    return stmt


def _expanded(d: Definition, expand: Callable[[Expr], Expr]) -> Definition:
    """`d` with every inlined call expanded, in conditions and specializations too."""
    domain, schedule = d.domain, d.schedule
    if domain is not None and domain.predicates:
        domain = ReductionDomain(domain.name, domain.variables, list(map(expand, domain.predicates)), domain.promised)
    if schedule.specializations:
        variants = [
            Specialization(s.condition, _specialized(_expanded(s.definition, expand), s.condition), s.failure)
            for s in schedule.specializations
        ]
        schedule = StageSchedule(
            schedule.dims, schedule.splits, schedule.atomic, schedule.allow_races, variants, schedule.fused_with
        )
    return Definition(tuple(map(expand, d.args)), tuple(_decided(expand(v)) for v in d.values), schedule, domain)


def _decided(e: Expr) -> Expr:
    """`e` without choices by conditions that are constant: what is never chosen is not read either."""

    def rewrite(n: Expr) -> Expr:
        if not isinstance(n, ir.Select):
            return n
        condition = const_value(simplify(n.condition))
        return n if condition is None else n.true_value if condition else n.false_value

    return transform(e, rewrite) if contains(e, ir.Select) else e


def _specialized(d: Definition, condition: Expr) -> Definition:
    """`d` where `condition` holds: Params that it fixes become constants."""
    facts: dict[str, Expr] = {}
    work = [condition]
    while work:
        c = work.pop()
        if isinstance(c, ir.And):
            work += [c.a, c.b]
        elif isinstance(c, ir.Variable) and c.type.is_bool():
            facts[c.name] = make_bool(True)
        elif isinstance(c, ir.EQ) and not c.a.type.is_float():
            for a, b in ((c.a, c.b), (c.b, c.a)):
                if isinstance(a, ir.Variable) and const_value(b) is not None:
                    facts[a.name] = b
    if not facts:
        return d
    values = tuple(simplify_with_indices(substitute(v, facts)) for v in d.values)
    return Definition(d.args, values, d.schedule, d.domain)


class _Group:
    """Functions that are computed together (mostly one), put into the statement of their consumers."""

    def __init__(
        self,
        functions: list[Function],
        expanded: dict[int, list[Definition]],
        outputs: list[Function],
        order: list[Function],
        context: Context,
    ) -> None:
        self.functions = functions
        self.definitions = [expanded[id(f)] for f in functions]
        self.expanded = expanded
        self.outputs = outputs
        self.order = order
        self.context = context
        self.placed = 0
        self.produced = 0
        self.whole: st.Stmt = st.Block(())
        """All consumers, with the loops around them."""
        self.beyond = False
        """Whether more is touched than is asked for."""

    def inject(self, stmt: st.Stmt) -> st.Stmt:
        f = self.functions[0]
        self.whole = stmt
        if any(self.is_output(g) for g in self.functions):
            self.placed = self.produced = 1
            return self.stored(stmt, ())
        if f.compute is None:
            result = innermost(f, stmt, self.stored)
        elif f.store is None or f.store.is_root:
            result = self.stored(stmt, ())
        else:
            result = at_level(f, stmt, f.store, self.stored, False)
        root = f.compute is not None and f.compute.is_root
        if not self.produced and not any(calls(stmt, g.name) for g in self.functions):
            return stmt  # only a value of an inlined Func that nobody uses used it
        if not self.produced and not root:
            raise HalideError(describe(f, stmt))
        for g in self.functions:
            _check_enclosed(g, result, stmt, self.context)
            check_hoisted(g, result)
        return result

    def is_output(self, f: Function) -> bool:
        return any(f is o for o in self.outputs)

    def asked(self, consumer: st.Stmt) -> list[Box | None]:
        """What `consumer` asks of each Function; None for outputs.  What tails of its loops touch beyond is stored, and
        not computed."""
        if all(self.is_output(f) for f in self.functions):
            return [None] * len(self.functions)
        names = frozenset(f.name for f in self.functions)
        # What is stored further out may slide, for which its box must be seen to move.
        new = all(f.compute is None or f.compute == f.store for f in self.functions)
        asked = self.context.asked_of(*self.functions)
        if asked is not None:
            asked.met = False
        boxes = boxes_touched(consumer, self.context.promises, names, self.context.known, new, asked)
        self.beyond |= asked is not None and asked.met
        return [None if self.is_output(f) else boxes.get(f.name) for f in self.functions]

    def stored(self, consumer: st.Stmt, _: tuple[st.Stmt, ...]) -> st.Stmt:
        """`consumer` inside the storage of the group."""
        f = self.functions[0]
        asked = self.asked(consumer)
        if all(t is None for t in asked) and not any(map(self.is_output, self.functions)):
            return consumer
        self.placed += 1
        before = self.produced
        if f.compute is None or f.compute == f.store or any(map(self.is_output, self.functions)):
            body = self.produce(consumer, ())
        else:
            body = at_level(f, consumer, f.compute, self.produce, True)
            if any(used_outside(consumer, f.compute, g.name) for g in self.functions):
                raise HalideError(describe(f, consumer))
        if self.produced == before:
            raise HalideError(describe(f, consumer))
        for g, definitions, box in zip(self.functions, self.definitions, asked, strict=True):
            if box is not None:
                body = self.realize(g, definitions, box, body)
        return body

    def answered(self, boxes: list[Box | None], consumer: st.Stmt) -> tuple[list[st.ExternCall], list[Box | None]]:
        """`boxes`, used in `consumer`, without what only external stages in it know, and the queries that find it."""

        def requested(f: Function) -> list[Range] | st.ExternCall:
            if self.is_output(f):
                return [self.output_range(f, d) for d in range(len(f.args))]
            used = boxes_touched(consumer, self.context.promises, frozenset((f.name,)), self.context.known)
            if f.name not in used:
                found = call_of(consumer, f.name)
                assert found is not None
                return found
            own = stage_boxes(f, self.expanded[id(f)], used[f.name], self.context)[0]
            return [computed_range(f, *own.dims[d], d, self.context) for d in range(len(f.args))]

        if not self.context.external:
            return [], boxes
        ends = [x for b in boxes if b is not None for dim in b.dims for x in dim if x is not None]
        queries, values = answers(ends, requested, self.context)
        return queries, [None if b is None else with_answers(b, values) for b in boxes]

    def produce(self, consumer: st.Stmt, around: tuple[st.Stmt, ...]) -> st.Stmt:
        """The group's loops before `consumer`; `around` are the statements between it and the group's storage, if that
        is further out."""
        asked = self.asked(consumer)
        if all(t is None for t in asked) and not any(map(self.is_output, self.functions)):
            return consumer
        self.produced += 1
        queries, asked = self.answered(asked, consumer)
        self.context.local.clear()
        lets: list[Binder] = [*queries]
        members: list[Member] = []
        for f, definitions, box in zip(self.functions, self.definitions, asked, strict=True):
            outside: list[dict[int, Asked]] = [{} for _ in definitions]
            if self.is_output(f):
                ranges = [self.output_range(f, i) for i in range(len(f.args))]
                boxes = [ranges] * len(definitions)
            elif box is None:
                continue
            else:
                own = stage_boxes(f, definitions, box, self.context)
                # How the answers of queries move is not known.
                if around and len(self.functions) == 1 and not queries:
                    left = slide(f, definitions, box, around)
                    own = [Box([left.get(i, dim) for i, dim in enumerate(b.dims)]) for b in own]
                outside = self.asked_outside(f, definitions, own)
                boxes = [self.named(f, k, b, lets) for k, b in enumerate(own)]
            for k, (d, ranges) in enumerate(zip(definitions, boxes, strict=True)):
                if f.extern is not None and not k:
                    request = ask(f, ranges, self.context, True)
                    lets += request.binders
                    members.append(Member(f, k, call(f, request)))
                    continue
                alone = not k and len(self.functions) == 1
                for box_of_stage in initialized(f, definitions, ranges) if alone else [ranges]:
                    nest = _stage(f, k, d, box_of_stage, self.context, [], outside[k])
                    if nest is not None:
                        members.append(Member(f, k, nest))
        body = fuse_stages(members, self.order) if len(self.functions) > 1 else st.block(*(m.nest for m in members))
        if self.context.conditional and not around:
            body = self.where_needed(body, consumer)
        for f in reversed(self.functions):
            body = st.Produce(f.name, body)
        checks = [_check(*requirement) for requirement in self.context.local.values()]
        return bind(lets, st.block(*checks, body, consumer))

    def where_needed(self, body: st.Stmt, consumer: st.Stmt) -> st.Stmt:
        """`body`, which computes a Function of its own for `consumer`, where that uses it."""
        f = self.functions[0]
        if len(self.functions) > 1 or self.is_output(f):
            return body
        condition = needed(consumer, f.name, self.context.is_fixed)
        return body if const_value(condition) else st.IfThenElse(condition, body)

    def output_range(self, f: Function, dim: int) -> Range:
        """What is computed of dimension `dim` of an output: its buffer's bounds, as bounded and aligned."""
        low, extent = metadata(f.name, "min", dim), metadata(f.name, "extent", dim)
        if f.args[dim] not in f.bounds and f.args[dim] not in f.extents and f.args[dim] not in f.alignments:
            return low, extent
        return computed_range(f, low, low + extent - 1, dim, self.context)

    def named(self, f: Function, stage: int, box: Box, lets: list[Binder]) -> list[Range]:
        """The ranges of `box` as Variables, whose values go to `lets`."""
        out: list[Range] = []
        for i, (low, high) in enumerate(box.dims):
            names = metadata(f"{f.name}.s{stage}", "min", i), metadata(f"{f.name}.s{stage}", "extent", i)
            values = computed_range(f, low, high, i, self.context)
            # Constants stand for themselves, so that what is computed inside can be bounded by them.
            fixed = [const_value(v) is not None for v in values]
            lets += [(n.name, v) for n, v, known in zip(names, values, fixed, strict=True) if not known]
            self.context.asked.within |= {
                n.name: self.context.asked.loops_of(v) for n, v in zip(names, values, strict=True)
            }
            out.append((values[0] if fixed[0] else names[0], values[1] if fixed[1] else names[1]))
        return out

    def asked_outside(self, f: Function, definitions: list[Definition], boxes: list[Box]) -> list[dict[int, Asked]]:
        """Of each stage, by dimension, what is asked of it outside of loops around it that run beyond, where its range
        depends on these alone."""
        asked = self.context.asked_of(f)
        out: list[dict[int, Asked]] = [{} for _ in definitions]
        if asked is None or not asked.loops:
            return out
        inside = [[asked.loops_of(*dim) for dim in b.dims] for b in boxes]
        if not any(loops and loops <= asked.loops for dims in inside for loops in dims):
            return out
        box = boxes_touched(self.whole, self.context.promises, frozenset((f.name,)), self.context.known, asked=asked)
        whole = stage_boxes(f, definitions, box[f.name], self.context)
        for found, own, dims in zip(out, whole, inside, strict=True):
            for k, ((low, high), loops) in enumerate(zip(own.dims, dims, strict=True)):
                if low is not None and high is not None and loops and loops <= asked.loops:
                    found[k] = Asked(low, high, loops)
        return out

    def realize(self, f: Function, definitions: list[Definition], asked: Box, body: st.Stmt) -> st.Stmt:
        """Storage of `f` around `body`."""
        boxes = stage_boxes(f, definitions, asked, self.context)
        box = storage_box(f, definitions, boxes[0], body, self.context, self.beyond)
        if f.extern is not None:
            box = joined(box, computed_box(f))
        queries, (known,) = self.answered([box], body)
        assert known is not None
        names = [(metadata(f.name, "min", i), metadata(f.name, "extent", i)) for i in range(len(f.args))]
        order = tuple(f.args.index(n) for n in f.storage_order)
        body, folded = fold(f, body, self.context.promises)
        out: st.Stmt = st.Realize(f.name, f.types, tuple(names), body, order, f.memory)
        out = st.block(*_requirements(f, known), out)
        for i in reversed(range(len(f.args))):
            low, extent, requirement = stored_range(f, *known.dims[i], i, self.context)
            if requirement is not None:
                out = st.block(_check(*requirement), out)
            if i in folded:
                low, extent = ir.const(0, I32), folded[i]
            out = st.LetStmt(names[i][1].name, extent, out)
            out = st.LetStmt(names[i][0].name, low, out)
        return bind(queries, out)


def _requirements(f: Function, box: Box) -> list[st.Stmt]:
    """Checks, when the program runs, that coordinates which are computed from floats are some."""
    out: list[st.Stmt] = []
    for name, (low, high) in zip(f.args, box.dims, strict=True):
        test = None if low is None or high is None else within_reach(low, high)
        if test is not None:
            text = f"Func {f.name} is read at coordinates {name} computed from floats that are no int32"
            out.append(_check(test, text))
    return out


def _check(test: Expr, text: str, values: tuple[Expr, ...] = ()) -> st.Stmt:
    """Ends the program with `text` where `test` fails; {0}, {1}, ... in it stand for the values."""
    parts = re.split(r"\{(\d)\}", text)
    told = [ir.StringImm(Handle(), p) if k % 2 == 0 else values[int(p)] for k, p in enumerate(parts) if p]
    return st.Evaluate(ir.Call(I32, REQUIRE, (test, ir.const(0, I32), *told), CallType.EXTERN))


def _stage(
    f: Function,
    stage: int,
    d: Definition,
    box: list[Range],
    context: Context,
    held: list[Expr],
    outside: Mapping[int, Asked],
) -> st.Stmt | None:
    """The loops of one stage, by its specializations; `held`: conditions that hold here; `outside`: what is asked of
    dimensions outside of loops around that run beyond."""
    if all(isinstance(v, ir.Call) and v.name == "undef" and v.call_type is CallType.INTRINSIC for v in d.values):
        return None
    nests: list[tuple[Expr, st.Stmt]] = []
    failed = False
    here = list(held)
    for s in d.schedule.specializations:
        if s.failure is not None:
            reached = _conjunction(here)
            text = "A schedule specialized with specialize_fail() was chosen: " + s.failure.replace("{", "{{")
            context.requirements.append((simplify(ir.Not(BOOL, reached)), text.replace("}", "}}"), ()))
            failed = True
            break
        nest = _stage(f, stage, s.definition, box, context, [*here, s.condition], outside)
        assert nest is not None
        nests.append((s.condition, nest))
        here.append(ir.Not(BOOL, s.condition))
    last: st.Stmt | None = None
    if not (failed and nests):
        last = build_loop_nest(f, stage, d, list(box), context.promises, context.asked, outside)
    for condition, nest in reversed(nests):
        last = nest if last is None else st.IfThenElse(simplify(condition), nest, last)
    return last


def _conjunction(conditions: list[Expr]) -> Expr:
    out: Expr = make_bool(True)
    for c in conditions:
        out = simplify(ir.And(BOOL, out, c))
    return out


def _check_enclosed(f: Function, stmt: st.Stmt, before: st.Stmt, context: Context) -> None:
    """Every call of `f` must stand inside its Realize."""
    work = [stmt]
    while work:
        s = work.pop()
        if (isinstance(s, st.Realize) and s.name == f.name) or f.name not in mentions(s, context.known):
            continue
        for e in st.expressions(s):
            for n in post_order(e):
                if isinstance(n, ir.Call) and n.call_type is CallType.HALIDE and n.name == f.name:
                    raise HalideError(describe(f, before))
        work.extend(st.bodies(s))


