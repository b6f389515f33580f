"""The compiler's passes, in order: from Functions and schedules to statements that the back end compiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from halide_core.compiler_memory import frugal
from halide_core.deep_stack import is_deep, on_deep_stack
from halide_core.errors import HalideError
from halide_core.function import Function, Image
from halide_core.gpu.capability import most_shared
from halide_core.gpu.copies import check_copies
from halide_core.gpu.kernel import Kernel
from halide_core.gpu.nests import check_nests, check_target
from halide_core.gpu.offload import offload
from halide_core.gpu.padding import pad_shared
from halide_core.interface import Array, Interface, metadata_names, metadata_variables, output_arrays
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.box import Box
from halide_core.ir.check import (
    ACCUMULATED,
    ANSWERED,
    FLAT,
    OFFLOADED,
    SCHEDULED,
    UNROLLED,
    VECTORIZED,
    streamed,
)
from halide_core.ir.expr import I32, I64, Expr, const, const_value
from halide_core.ir.simplify import simplify_index
from halide_core.ir.structural import key, substitute
from halide_core.ir.types import Type
from halide_core.pass_log import PassLog
from halide_core.passes.accumulate import accumulate_in_vectors
from halide_core.passes.answer_target_queries import answer_target_queries
from halide_core.passes.bound_extents import bound_extents
from halide_core.passes.boxes import boxes_touched
from halide_core.passes.common_subexpressions import share_common_subexpressions
from halide_core.passes.extern_stages import answers, computed_box, with_answers
from halide_core.passes.flatten import flatten
from halide_core.passes.fuse_outputs import fuse_outputs
from halide_core.passes.group_stores import group_stores
from halide_core.passes.hoist_conditions import hoist_conditions
from halide_core.passes.loop_invariants import hoist_loop_invariants
from halide_core.passes.narrow import narrow
from halide_core.passes.partition import partition_loops
from halide_core.passes.realization_order import Environment, build_environment
from halide_core.passes.regions import Context, joined, metadata
from halide_core.passes.regroup_sums import regroup_sums
from halide_core.passes.scalar_loops import separate_borders
from halide_core.passes.schedule_functions import schedule_functions
from halide_core.passes.share_gathers import share_gathers
from halide_core.passes.stream import loaded_arrays, stream_stores
from halide_core.passes.substitute_lets import substitute_lets
from halide_core.passes.trace import tracing
from halide_core.passes.unroll import unroll
from halide_core.passes.unroll_transposes import unroll_transposes
from halide_core.passes.vectorize import vectorize
from halide_core.passes.whole_blocks import whole_blocks
from halide_core.passes.whole_tiles import whole_tiles
from halide_core.passes.wrap_calls import wrap_calls
from halide_core.target import Target


@dataclass(frozen=True, slots=True)
class Lowered(Interface):
    """A lowered pipeline: its statement, in the Variables of its interface, and what it was made of."""

    stmt: st.Stmt
    environment: Environment
    kernels: tuple[Kernel, ...] = ()

    def interface(self) -> Interface:
        """What remains to be known once the statement is compiled."""
        return Interface(self.inputs, self.outputs, self.parameters, self.required, self.requirements, self.queries)


@frugal
@on_deep_stack(lambda outputs, *_, **__: is_deep(outputs))
def lower(
    outputs: list[Function],
    target: Target,
    known: Mapping[str, Expr] | None = None,
    groups: Mapping[str, int] | None = None,
    vectors: bool = True,
    contents: Mapping[str, bytes] | None = None,
) -> Lowered:
    """Lowers the pipeline of `outputs`.

    `known` gives constants for metadata Variables; `groups` numbers arrays, those with one number may overlap;
    `contents` has the elements of images that never change."""
    wrap_calls(outputs)
    environment = build_environment(outputs)
    inputs = tuple(Array(i.name, i.type, i.dimensions, i.name) for i in environment.images)
    # What the caller knows of a buffer takes the place of what the ImageParam assumes, such as its unit stride.
    given = known or {}
    stated = _fixed_metadata([*environment.images, *(i for f in outputs for i in f.buffers)])
    fixed = {k: v for k, v in stated.items() if k not in given}
    fixed |= {k: v for k, v in given.items() if const_value(v) is not None}
    fixed |= _equal_strides(given)
    check_copies(environment.order, outputs)
    on_device = check_target(environment.order, target)
    context = Context(tracing=tracing(environment.order, environment.images, target))
    arrays = tuple(a for f in outputs for a in output_arrays(f))
    internal = {n for a in (*inputs, *arrays) for n in metadata_names(a)}
    parameters = {n: v for n, v in environment.parameters.items() if n not in internal}
    bound = {v.name: v.type for a in (*inputs, *arrays) for v in metadata_variables(a)}
    log = PassLog(bound | {n: v.type for n, v in parameters.items()})
    owners: dict[str, tuple[Type, ...]] = {i.name: (i.type,) for i in environment.images}
    owners |= {f.name: f.types for f in outputs}
    flat = {a.name: (a.type,) for a in (*inputs, *arrays)}

    # Loops for every Func, storage and bounds: everything still in coordinates.
    s = schedule_functions(environment.order, outputs, context)
    if context.tracing is not None:
        s = context.tracing.statement(s, outputs, environment.order, environment.images, context.promises)
    s = log.after("schedule_functions", s, SCHEDULED, owners)
    if on_device:
        check_nests(s)
    s = answer_target_queries(s, target)
    s = st.map_expressions(s, lambda e: substitute(e, fixed)) if fixed else s
    s = log.after("answer_target_queries", s, ANSWERED, owners)
    promises = {k: (substitute(a, fixed), substitute(b, fixed)) for k, (a, b) in context.promises.items()}
    required, queries = _asked_at_entry(boxes_touched(s, promises, None, context.known), outputs, context)
    # Before extents are bounded, which those of whole blocks need not be.
    s = log.after("whole_blocks", whole_blocks(s), ANSWERED, owners)
    # Before strides are made of the extents of what is stored.
    s = log.after("bound_extents", bound_extents(s), ANSWERED, owners)
    if on_device:
        # Behind that, rows have the lengths that they are stored in.
        s = log.after("pad_shared", pad_shared(s), ANSWERED, owners)
    # Coordinates become int64 indices of flat arrays.
    counts = {f.name: len(f.types) for f in environment.order}
    s = flatten(s, counts)
    s = st.map_expressions(s, lambda e: substitute(e, fixed)) if fixed else s
    flat_queries = tuple(q for q in (flatten(q, counts) for q in queries) if isinstance(q, st.ExternCall))
    s = log.after("flatten", s, FLAT, flat)
    # Loop variables must stand in indices as themselves before loops are unrolled and vectorized.
    s = log.after("substitute_lets", substitute_lets(s), FLAT, flat)
    if groups:
        s = log.after("fuse_outputs", fuse_outputs(s, given, groups), FLAT, flat)
    # Before vectors: narrow types are what makes them wide.
    s = log.after("narrow", narrow_stores(s), FLAT, flat)
    # Before loops over rows are written out: then the sums of rows meet.
    s = log.after("regroup_sums", regroup_sums(s), FLAT, flat)
    s = log.after("unroll", unroll(s), UNROLLED, flat)
    # Sees a reduction's loops while its vectorized loop still is one.
    level = ACCUMULATED
    s = log.after("accumulate", accumulate_in_vectors(s, target.psad_bytes > 0), level, flat)
    if vectors:
        level = VECTORIZED
        s = log.after("vectorize", vectorize(s, target.has_masks), level, flat)
        s = log.after("scalar_loops", separate_borders(s), level, flat)
        # Before the loops around are split where such conditions change.
        s = log.after("hoist_conditions", hoist_conditions(s), level, flat)
        s = log.after("whole_tiles", whole_tiles(s), level, flat)
        s = log.after("partition", partition_loops(s), level, flat)
        s = log.after("unroll_transposes", unroll_transposes(s, set(flat), groups or {}), level, flat)
    # Needs ramps, so after vectorization.
    s = log.after("group_stores", group_stores(s, groups or {}), level, flat)
    if target.has_masks and groups:
        sizes = [(a.owner, a.type, a.dimensions) for a in (*inputs, *arrays)]
        s = stream_stores(s, _only_written(s, arrays, groups), sizes)
        level = streamed(level)
        s = log.after("stream", s, level, flat)
    # Last, for the other passes compare whole indices.
    s = log.after("loop_invariants", hoist_loop_invariants(s), level, flat)
    s = log.after("common_subexpressions", share_common_subexpressions(s), level, flat)
    s = log.after("share_gathers", share_gathers(s), level, flat)
    kernels: tuple[Kernel, ...] = ()
    if on_device:
        s, kernels = offload(s, (*inputs, *arrays), environment.order, outputs, most_shared(target), contents)
        s = log.after("offload", s, OFFLOADED, flat)
        for k in kernels:
            PassLog(k.names()).after(k.name, k.body, OFFLOADED, k.storage())
    return Lowered(inputs, arrays, parameters, required, context.requirements, flat_queries, s, environment, kernels)


def _asked_at_entry(
    boxes: dict[str, Box], outputs: list[Function], context: Context
) -> tuple[dict[str, Box], list[st.ExternCall]]:
    """`boxes`, what is touched of each Func and image, as the interface needs them, and the queries that they take."""
    if not context.external:
        return boxes, []

    def requested(f: Function) -> list[tuple[Expr, Expr]]:
        if any(f is o for o in outputs):
            return [(metadata(f.name, "min", d), metadata(f.name, "extent", d)) for d in range(len(f.args))]
        found: list[tuple[Expr, Expr]] = []
        for d, (low, high) in enumerate(boxes[f.name].dims):
            if low is None or high is None:
                raise HalideError(f"Func {f.name} is read over an unbounded range of {f.args[d]}; clamp the coordinate")
            found.append((low, simplify_index(high - low + 1)))
        return found

    wanted = dict(boxes)
    for f in outputs:
        if f.extern is not None:
            own = computed_box(f)
            wanted[f.name] = joined(own, boxes[f.name]) if f.name in boxes else own
    shown = set(n for n in wanted if n not in context.computed or context.computed[n])
    ends = [x for n in shown for dim in wanted[n].dims for x in dim if x is not None]
    queries, values = answers(ends, requested, context)
    return {n: with_answers(b, values) for n, b in wanted.items()}, queries


def _only_written(s: st.Stmt, arrays: tuple[Array, ...], groups: Mapping[str, int]) -> set[str]:
    """Output arrays in whose memory nothing is read."""
    read = loaded_arrays(s)
    numbers = {groups[n] for n in read if n in groups}
    return {a.name for a in arrays if a.name not in read and a.name in groups and groups[a.name] not in numbers}


def _equal_strides(given: Mapping[str, Expr]) -> dict[str, Expr]:
    """Strides and offsets that equal those of another array, as that array's Variables."""
    first: dict[int, str] = {}
    out: dict[str, Expr] = {}
    for name, value in given.items():
        if value.type != I64 or const_value(value) is not None:
            continue
        found = first.setdefault(key(value), name)
        if found != name:
            out[name] = ir.Variable(I64, found)
    return out


def narrow_stores(s: st.Stmt) -> st.Stmt:
    """`s` with the arithmetic of every stored value in the narrowest exact types."""
    if isinstance(s, st.Store):
        return st.Store(s.name, narrow(s.value), s.index, s.predicate)
    return st.rebuild(s, narrow_stores, lambda e: e)


def _fixed_metadata(images: Iterable[Image]) -> dict[str, Expr]:
    """What is stated of images, and of the buffers of outputs, as far as it is constant."""
    out: dict[str, Expr] = {}
    for image in images:
        for what, value in image.fixed.items():
            constant = const_value(value)
            if constant is not None:
                out[f"{image.name}.{what}"] = const(constant, I64 if what.startswith("stride") else I32)
    return out
