"""Tracing: what Func.trace_loads, trace_stores and trace_realizations ask for, as values and statements that print.

    f(x) = g(x) + 1      with g's loads and f's stores traced becomes
    f(x) = trace(trace(g(x), "Load g.0", x) + 1, "Store f.0", x)

Nothing is done, and nothing looked at, where nothing is traced."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from halide_core.function import Definition, Function, Image, Specialization
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.box import Box
from halide_core.ir.expr import I32, Call, CallType, Expr, StringImm, const, make_bool
from halide_core.ir.named_calls import PRINT, TRACE
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import holds_effect, post_order, transform
from halide_core.ir.types import Handle, Type
from halide_core.passes.boxes import Promises, boxes_touched
from halide_core.target import Target

LOADS, STORES, REALIZATIONS = "loads", "stores", "realizations"


@dataclass(frozen=True, slots=True)
class Tracing:
    """What is traced in a pipeline, by the names of Funcs and images; `tags` are printed when it begins."""

    loads: frozenset[str]
    stores: frozenset[str]
    realizations: frozenset[str]
    tags: dict[str, tuple[str, ...]]
    # Whether the pipeline's own begin and end are printed in any case.
    always: bool = False

    def definition(self, f: Function, d: Definition) -> Definition:
        """The definition `d` of `f` with its loads and stores traced."""

        def load(e: Expr) -> Expr:
            if isinstance(e, Call) and e.call_type in (CallType.HALIDE, CallType.IMAGE) and e.name in self.loads:
                return _traced(e, f"Load {e.name}.{e.value_index}", e.args)
            return e

        args = tuple(transform(a, load) for a in d.args)
        values = tuple(transform(v, load) for v in d.values)
        if f.name in self.stores:
            values = tuple(
                v if _is_undefined(v) else _traced(v, f"Store {f.name}.{k}", args) for k, v in enumerate(values)
            )
        schedule, domain = d.schedule, d.domain
        if domain is not None and domain.predicates:
            domain = replace(domain, predicates=[transform(p, load) for p in domain.predicates])
        if schedule.specializations:
            variants = [(s, self.definition(f, s.definition)) for s in schedule.specializations]
            own = [Specialization(s.condition, variant, s.failure) for s, variant in variants]
            schedule = replace(schedule, specializations=own)
        return Definition(args, values, schedule, domain)

    def statement(
        self, s: st.Stmt, outputs: list[Function], order: list[Function], images: list[Image], promises: Promises
    ) -> st.Stmt:
        """`s`, the whole pipeline, between messages that it begins and ends."""
        own = {f.name for f in outputs}
        kept = [f for f in order if f.name in own or _is_realized(s, f.name)]
        items: list[Function | Image] = [*images, *kept]
        if not self.always and self.tags.keys().isdisjoint(x.name for x in items):
            return s  # all that is traced is inlined
        boxes = boxes_touched(s, promises, frozenset(self.tags) - own) if self.tags.keys() - own else {}
        title = "".join(c if c.isalnum() else "_" for c in outputs[0].name)
        before = [_message(f"Begin pipeline {title}.0()")]
        told = self.stores | self.realizations | _loaded(s)
        for image in images:
            if image.name in told or image.trace_tags:
                before += self._type_tag(image.name, (image.type,), image.dimensions, boxes.get(image.name))
        for f in kept:
            if f.name in told or f.trace_tags:
                before += self._type_tag(f.name, f.types, len(f.args), None if f.name in own else boxes.get(f.name))
        for x in items:
            before += [_message(f'Tag {x.name}.0() tag = "{t}"') for t in self.tags.get(x.name, ())]
        after = [_message(f"End pipeline {title}.0()")]
        for f in outputs:
            if f.name in self.realizations:
                before.append(self._event("Begin realization", f.name, len(f.args)))
                after.insert(0, self._event("End realization", f.name, len(f.args)))
        sizes = {f.name: len(f.args) for f in kept}
        return st.block(*before, self._visit(s, sizes, own), *after)

    def _type_tag(self, name: str, types: Sequence[Type], dimensions: int, box: Box | None) -> list[st.Stmt]:
        """The types and the box of a Func or image that is traced; `box` None: that of a buffer."""
        if name not in self.tags:
            return []
        words = " ".join(f"{int(t.code)} {t.bits} {t.lanes}" for t in types)
        parts: list[Expr | str] = [f'Tag {name}.0() tag = "func_type_and_dim: {len(types)} {words} {dimensions}']
        for d in range(dimensions):
            low: Expr = ir.Variable(I32, f"{name}.min.{d}")
            extent: Expr = ir.Variable(I32, f"{name}.extent.{d}")
            if box is not None:
                first, last = box.dims[d]
                if first is None or last is None:
                    return []
                low, extent = first, simplify_index(last - first + 1)
            parts += [" ", low, " ", extent]
        return [_message(*parts, '"')]

    def _event(self, what: str, name: str, dimensions: int) -> st.Stmt:
        parts: list[Expr | str] = []
        for d in range(dimensions):
            for field in ("min", "extent"):
                parts += [", ", ir.Variable(I32, f"{name}.{field}.{d}")]
        return _message(f"{what} {name}.0(", *parts[1:], ")")

    def _visit(self, s: st.Stmt, sizes: dict[str, int], outputs: set[str]) -> st.Stmt:
        match s:
            case st.Block():
                out: list[st.Stmt] = []
                ends: list[st.Stmt] = []
                for x in s.stmts:
                    out.append(self._visit(x, sizes, outputs))
                    if isinstance(x, st.Produce) and x.name in self.realizations and x.name not in outputs:
                        out.append(self._event("Consume", x.name, sizes[x.name]))
                        ends.insert(0, self._event("End consume", x.name, sizes[x.name]))
                return st.block(*out, *ends)
            case st.Produce() if s.name in self.realizations:
                begin, end = (self._event(w, s.name, sizes[s.name]) for w in ("Produce", "End produce"))
                return st.block(begin, st.Produce(s.name, self._visit(s.body, sizes, outputs)), end)
            case st.Realize() if s.name in self.realizations:
                begin, end = (self._event(w, s.name, sizes[s.name]) for w in ("Begin realization", "End realization"))
                return replace(s, body=st.block(begin, self._visit(s.body, sizes, outputs), end))
        return st.rebuild(s, lambda x: self._visit(x, sizes, outputs), lambda e: e)


def tracing(order: Iterable[Function], images: Iterable[Image], target: Target) -> Tracing | None:
    """What is traced in a pipeline of these, by directives or by features of the target; None: nothing."""
    everywhere = {what for what in (LOADS, STORES, REALIZATIONS) if f"trace_{what}" in target.features}
    if everywhere:
        everywhere.add(REALIZATIONS)
    found: dict[str, set[str]] = {LOADS: set(), STORES: set(), REALIZATIONS: set()}
    tags: dict[str, tuple[str, ...]] = {}
    items: list[Function | Image] = [*order, *images]
    for item in items:
        wanted = everywhere.union(item.traced)
        if isinstance(item, Image):
            wanted &= {LOADS}
        for what in wanted:
            found[what].add(item.name)
        if wanted or item.trace_tags:
            tags[item.name] = item.trace_tags
    always = "trace_pipeline" in target.features
    if not tags and not always:
        return None
    return Tracing(frozenset(found[LOADS]), frozenset(found[STORES]), frozenset(found[REALIZATIONS]), tags, always)


def _traced(value: Expr, what: str, coordinates: tuple[Expr, ...]) -> Expr:
    return Call(value.type, TRACE, (make_bool(True), value, StringImm(Handle(), what), *coordinates), CallType.EXTERN)


def _message(*parts: Expr | str) -> st.Stmt:
    texts = [StringImm(Handle(), p) if isinstance(p, str) else p for p in (*parts, "\n")]
    return st.Evaluate(Call(I32, PRINT, (make_bool(True), const(0, I32), *texts), CallType.EXTERN))


def _is_undefined(e: Expr) -> bool:
    return isinstance(e, Call) and e.name == "undef" and e.call_type is CallType.INTRINSIC


def _loaded(s: st.Stmt) -> set[str]:
    """Funcs and images of which a load is traced."""
    nodes = (n for x in st.walk(s) for e in st.expressions(x) if holds_effect(e) for n in post_order(e))
    calls = (n.args[1] for n in nodes if isinstance(n, Call) and n.name == TRACE)
    return {c.name for c in calls if isinstance(c, Call) and c.call_type in (CallType.HALIDE, CallType.IMAGE)}


def _is_realized(s: st.Stmt, name: str) -> bool:
    return any(isinstance(x, st.Realize) and x.name == name for x in st.walk(s))
