"""The default schedule: vectors along the unit-stride dimension, threads over rows, producers within strips."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halide_core.autoschedule.rules.interleaved_channels import merge_channel_updates
from halide_core.autoschedule.rules.producer_strips import calls_of, place
from halide_core.autoschedule.rules.record_places import find_record_places
from halide_core.autoschedule.rules.roll_sums import roll_sums
from halide_core.autoschedule.rules.scans import read_scans, run_together, write_scans_directly
from halide_core.autoschedule.rules.shared_rows import share_rows, shared_rows, vector_loop
from halide_core.autoschedule.rules.split_reductions import split_reduction
from halide_core.autoschedule.rules.trim_domains import depends_on, trim_domain
from halide_core.dsl.schedule import Stage
from halide_core.dsl.variables import Var
from halide_core.function import Definition, Function, LoopLevel, Split, TailStrategy
from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType, const_value
from halide_core.ir.stmt import ForKind
from halide_core.ir.structural import contains, key, post_order, variables
from halide_core.ir.types import UInt
from halide_core.passes.narrow import narrow as narrow_types
from halide_core.passes.narrow import value_range
from halide_core.passes.races import associative_operation, is_pure_loop, loops_of, self_calls, steps_along
from halide_core.passes.realization_order import build_environment
from halide_core.schedule_warnings import mark_scheduled
from halide_core.target import Target

_GUARD = TailStrategy.GuardWithIf
# Elements of a strip where there is only one dimension.
_STRIP_ELEMENTS = 16384
_STRIPS = 8
_TABLES = 4
# Points of a reduction that are not worth partial results.
_FEW_POINTS = 1 << 14
_POINTS_PER_CELL = 32
"""Of a histogram whose number of bins is not known: with fewer points for each, it is not split."""
# Operations above which a value that is used several times is stored rather than computed again.
_CHEAP = 4
_MOST_LANES = 64
# Most values of a function that are computed beforehand, to be looked up.
_TABLE_CELLS = 1024


def apply_default_schedule(
    pipeline: Any,
    target: Target,
    raw_in_place: set[str] | None = None,
    buffers: Mapping[str, Any] | None = None,
    small: bool = False,
) -> None:
    """Schedules every Func of `pipeline` that has no schedule yet.

    `raw_in_place` names outputs that share memory with an input.  `buffers` (RawBuffer by name) tells how outputs
    lie in memory; without it dimension 0 has unit stride.  Reductions into few cells are rewritten over partial
    results; the meaning of the pipeline stays the same bit for bit.  `small`: for images not worth threads or partial
    results."""
    outputs: list[Function] = pipeline.functions()
    apart = [f for f in outputs if f.name not in (raw_in_place or set())]
    rewrite_for_layouts(outputs, apart, buffers or {})
    environment = build_environment(outputs)
    for f in list(environment.order):
        for k in range(len(f.updates)):
            if not small:
                _split_small_reduction(f, k)
    environment = build_environment(outputs)
    order = environment.order
    external = [f.extern for f in order if f.extern is not None]
    given = {id(a.target) for e in external for a in e.arguments if isinstance(a, ir.Call)}
    stored = [
        f
        for f in order
        if f not in outputs and (f.updates or f.compute is not None or f.extern is not None or id(f) in given)
    ]
    for f in order:
        if f in outputs or f in stored:
            continue
        if _worth_storing(f, order):
            stored.append(f)
    place(stored, outputs, order, _is_computed_by_rows(outputs[0], buffers or {}))
    run_together(order)
    for f in order:
        if f in outputs or f.compute is not None:
            _schedule_function(f, target, buffers or {}, not small and (f in outputs or f.compute == LoopLevel()))
    mark_scheduled(order)


def rewrite_for_layouts(outputs: list[Function], apart: list[Function], buffers: Mapping[str, Any]) -> None:
    """Rewrites places of extremes, sums that are written out, and what `buffers` (RawBuffer by name) make one: channels
    stored in turn, and scans of outputs `apart` from what they read."""
    _rewrite_reductions(outputs)
    for f in outputs:
        merge_channel_updates(f, buffers.get(f.name))
    write_scans_directly(apart, build_environment(outputs).order, buffers)
    read_scans(apart, buffers)


def _rewrite_reductions(outputs: list[Function]) -> None:
    """Rewrites reductions that are written as something else."""
    find_record_places(build_environment(outputs).order, outputs)
    roll_sums(build_environment(outputs).order)


def _is_computed_by_rows(output: Function, layouts: Mapping[str, Any]) -> bool:
    """Whether the last loop of an output is one over rows, which lie along memory."""
    unit = _unit_dimension(output, layouts)
    if output.pure is None or unit >= len(output.args) - 1:
        return False
    return transposed_dimension(output, output.pure, unit) is None


def operations(d: Definition) -> int:
    """Nodes of a definition that cost an instruction; calls of stored or read values count once."""
    total = 0
    seen: set[int] = set()
    work = list(d.values)
    while work:
        n = work.pop()
        if id(n) in seen:
            continue
        seen.add(id(n))
        if isinstance(n, ir.Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE):
            # Coordinates are scalar work, done once a vector.
            total += 1
            continue
        if isinstance(n, ir.Call | ir._Binary | ir.Select | ir.Cast):
            total += 20 if isinstance(n, ir.Call) and _is_function(n) else 1
        work.extend(ir.children(n))
    return total


def _is_function(e: ir.Call) -> bool:
    return e.call_type is CallType.PURE_EXTERN or ir.is_mathematics(e)


def _worth_storing(f: Function, order: list[Function]) -> bool:
    """A value that consumers use at several coordinates and that is not cheap to compute again."""
    assert f.pure is not None
    uses = calls_of(f, order)
    if is_table(f, uses):
        return True
    return len(uses) > 1 and operations(f.pure) > _CHEAP


def is_table(f: Function, uses: list[tuple[Function, ir.Call]]) -> bool:
    """Whether `f` is looked up by small values from memory, and costs more than the look-up."""
    assert f.pure is not None
    nodes = [n for v in f.pure.values for n in post_order(v) if isinstance(n, ir.Call)]
    if f.updates or not f.args or not uses or operations(f.pure) <= _CHEAP:
        return False
    # What the table reads must exist for every index, also for those that never occur.
    if any(n.call_type is CallType.IMAGE for n in nodes):
        return False
    for _, call in uses:
        cells = 1
        for a in call.args:
            found = value_range(a)
            if found is None or not contains(a, ir.Call):
                return False
            cells *= found[1] - found[0] + 1
        if cells > _TABLE_CELLS:
            return False
    return True


def _computed(value: ir.Expr) -> list[ir.Expr]:
    """The nodes of `value` that are computed in vectors: not coordinates of dense accesses, nor conditions; nothing of
    those on coordinates, which loops are split at."""
    out: list[ir.Expr] = []
    seen: set[int] = set()
    work = [value]
    while work:
        n = work.pop()
        if id(n) in seen:
            continue
        seen.add(id(n))
        if n.type.is_bool() and not contains(n, ir.Call):
            continue
        is_read = isinstance(n, ir.Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE)
        if not n.type.is_handle() and not n.type.is_bool() and const_value(n) is None:
            out.append(n)
        if not is_read or any(contains(a, ir.Call) for a in ir.children(n)):
            work.extend(ir.children(n))
    return out


def _reads_every_other(value: ir.Expr) -> bool:
    """Whether images are read at 2, 4, 8... times a coordinate."""
    for n in post_order(value):
        if isinstance(n, ir.Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE):
            for m in (m for a in n.args for m in post_order(a)):
                if isinstance(m, ir.Mul) and (const_value(m.b) or const_value(m.a)) in (2, 4, 8):
                    return True
    return False


def lanes_for(d: Definition, target: Target) -> int:
    """Lanes that fill a register with the narrowest type in memory, fewer where intermediates are much wider."""
    narrow, wide = 8, 1
    for v in map(narrow_types, d.values):
        narrow = min(narrow, v.type.bytes())
        for n in _computed(v):
            if isinstance(n, ir.Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE):
                narrow = min(narrow, n.type.bytes())
            wide = max(wide, n.type.bytes())
    lanes = target.vector_bytes // narrow
    if narrow == 1 and any(_reads_every_other(v) for v in d.values):
        # Half of what a load brings then fills half a register, without shuffles across registers.
        lanes //= 2
    # At most two registers for the widest intermediate, so that a stencil's values fit the register file.
    return max(2, min(lanes, 2 * target.vector_bytes // wide, _tile_width(d)))


def _tile_width(d: Definition) -> int:
    """Elements of a row that lie together in memory where images are read tile by tile, at x % 16 of tile x / 16."""
    widths = [_MOST_LANES]
    row = variables(d.args[0]) if d.args else set()
    for n in (n for v in d.values for n in post_order(v)):
        if isinstance(n, ir.Call) and n.call_type is CallType.IMAGE:
            nodes = [m for a in n.args for m in post_order(a)]
            # Pixels next to each other, of so many channels, are no tiles.
            dense = {
                (key(q.a), key(m.b)) for m in nodes if isinstance(m, ir.Mul)
                for q in post_order(m.a) if isinstance(q, ir.Div) and key(q.b) == key(m.b)
            }
            quotients = {(key(m.a), key(m.b)) for m in nodes if isinstance(m, ir.Div)} - dense
            for m in nodes:
                width = const_value(m.b) if isinstance(m, ir.Mod) and variables(m.a) & row else None
                if isinstance(m, ir.Mod) and width in (4, 8, 16, 32) and (key(m.a), key(m.b)) in quotients:
                    widths.append(int(width))
    return min(widths)


def _schedule_function(f: Function, target: Target, layouts: Mapping[str, Any], parallel: bool) -> None:
    for stage, d in enumerate(f.definitions()):
        if _has_schedule(d) or (f.extern is not None and not stage):
            continue
        if stage == 0:
            _schedule_pure(f, d, target, layouts, parallel)
        else:
            _schedule_update(f, stage, d, target, parallel)


def _has_schedule(d: Definition) -> bool:
    """Whether the user, or the placement of producers beyond its own split, has scheduled the definition."""
    strips = [s for s in d.schedule.splits if isinstance(s, Split) and s.outer.endswith(("$strip", "$block"))]
    return len(strips) != len(d.schedule.splits) or any(v.kind is not ForKind.SERIAL for v in d.schedule.dims)


def _is_undef(d: Definition) -> bool:
    return all(isinstance(v, ir.Call) and v.name == "undef" for v in d.values)


def _unit_dimension(f: Function, layouts: Mapping[str, Any]) -> int:
    """The dimension along which neighbours lie next to each other in memory."""
    layout = layouts.get(f.name)
    units = [k for k, s in enumerate(layout.strides) if const_value(s) == 1] if layout is not None else []
    return units[0] if units else 0


def interleaved(f: Function, layout: Any) -> tuple[int, int, int] | None:
    """(channel dimension, its extent, pixel dimension) of an output with interleaved channels, from 0 on, the last of
    them maybe left out."""
    if layout is None:
        return None
    strides = [const_value(s) for s in layout.strides]
    extents = [const_value(e) for e in layout.extents]
    for c, (stride, extent) in enumerate(zip(strides, extents, strict=True)):
        if stride == 1 and extent is not None and 2 <= extent <= 4 and const_value(layout.mins[c]) == 0:
            pixels = [k for k, s in enumerate(strides) if s is not None and extent <= s <= 4 and k != c]
            if pixels:
                return c, int(extent), pixels[0]
    return None


def _schedule_pure(f: Function, d: Definition, target: Target, layouts: Mapping[str, Any], parallel: bool) -> None:
    if not f.args or _is_undef(d):
        return
    stage = Stage(f, 0)
    lanes = lanes_for(d, target)
    layout = layouts.get(f.name)
    channels = interleaved(f, layout)
    # In strips of pixels what a last one lacks would be left out channel by channel of a long row.
    dense = channels is not None and const_value(layouts[f.name].strides[channels[2]]) == channels[1]
    if channels is not None and dense and not d.schedule.splits and _channels_alike(f, d, layouts, *channels):
        c, extent, x_dim = channels
        row = Var(f"{f.args[x_dim]}$row")
        f.bounds.setdefault(f.args[c], (ir.const(0, ir.I32), ir.const(extent, ir.I32)))
        others = [v.var for v in d.schedule.dims if v.var not in (f.args[c], f.args[x_dim])]
        stage.reorder(Var(f.args[c]), Var(f.args[x_dim]), *(Var(o) for o in others))
        stage.fuse(Var(f.args[c]), Var(f.args[x_dim]), row)
        stage.vectorize(row, lanes, _GUARD)
    elif channels is not None:
        c, extent, x_dim = channels
        channel, x = Var(f.args[c]), Var(f.args[x_dim])
        stage.vectorize(x, lanes, _GUARD)
        f.bounds.setdefault(channel.name(), (ir.const(0, ir.I32), ir.const(extent, ir.I32)))
        inner = vector_loop(d)
        others = [v.var for v in d.schedule.dims if v.var not in (channel.name(), inner)]
        stage.reorder(channel, *(Var(n) for n in (inner, x.name(), *(o for o in others if o != x.name()))))
        stage.unroll(channel)
    else:
        unit = _unit_dimension(f, layouts)
        x = Var(f.args[unit])
        if unit != 0:
            others = [v.var for v in d.schedule.dims if v.var != x.name()]
            stage.reorder(x, *(Var(n) for n in others))
        turned = transposed_dimension(f, d, unit)
        if turned is not None:
            side = 16 if target.vector_bytes >= 64 or max(v.type.bytes() for v in d.values) <= 2 else 8
            _schedule_transpose(f, d, Var(f.args[unit]), Var(turned), side, parallel)
            return
        if parallel and len(f.args) == 1 and not d.schedule.splits:
            stage.split(x, Var(f"{x.name()}$strip"), x, _STRIP_ELEMENTS, _GUARD)
        rows = shared_rows(f, d, unit)
        stage.vectorize(x, _lanes_of(layout, unit, lanes), _GUARD)
        if rows:
            share_rows(f, d, rows, parallel)
            return
    if parallel:
        outermost = d.schedule.dims[-1].var
        if len(d.schedule.dims) > 1 or outermost.endswith("$strip"):
            stage.parallel(Var(outermost))


def _lanes_of(layout: Any, unit: int, lanes: int) -> int:
    """No more lanes than a short row has elements: one of a tile."""
    extent = const_value(layout.extents[unit]) if layout is not None else None
    return min(lanes, max(2, 1 << (int(extent) - 1).bit_length())) if extent and extent > 0 else lanes


def _channels_alike(f: Function, d: Definition, layouts: Mapping[str, Any], c: int, extent: int, x: int) -> bool:
    """Whether each channel is computed from its own channel only, or from one that is the same for all of two or four,
    so that pixels' channels are one long row."""
    channel, pixel = f.args[c], f.args[x]
    work, seen = list(d.values), set[int]()
    while work:
        n = work.pop()
        if id(n) in seen:
            continue
        seen.add(id(n))
        if isinstance(n, ir.Variable) and n.name in (channel, pixel):
            return False
        if not isinstance(n, ir.Call) or n.call_type not in (CallType.IMAGE, CallType.HALIDE):
            work.extend(ir.children(n))
            continue
        used = variables(ir.Call(n.type, n.name, n.args, n.call_type)) & {channel, pixel}
        layout = layouts.get(n.name)
        if not used:
            continue
        if layout is None or not (_row_access(n, layout, channel, pixel, extent) or _shared(n, layout, pixel, extent)):
            return False
    return True


def _shared(n: ir.Call, layout: Any, pixel: str, extent: int) -> bool:
    """Whether a read is of one channel of the own pixel, which vectors of two or four channels repeat."""
    if extent not in (2, 4):
        return False
    places = []
    for a, stride in zip(n.args, layout.strides, strict=True):
        if pixel in variables(a):
            places.append(isinstance(a, ir.Variable) and const_value(stride) == extent)
        elif variables(a) and const_value(stride) == 1:
            return False
    return places == [True]


def _row_access(n: ir.Call, layout: Any, channel: str, pixel: str, extent: int) -> bool:
    places = {"channel": 0, "pixel": 0}
    for a, stride in zip(n.args, layout.strides, strict=True):
        names = variables(a) & {channel, pixel}
        if names == {channel} and isinstance(a, ir.Variable) and const_value(stride) == 1:
            places["channel"] += 1
        elif names == {pixel} and const_value(stride) == extent:
            offset = a.a if isinstance(a, ir.Add) and isinstance(a.b, ir.IntImm) else a
            if not isinstance(offset, ir.Variable):
                return False
            places["pixel"] += 1
        elif names:
            return False
    return places == {"channel": 1, "pixel": 1}


def transposed_dimension(f: Function, d: Definition, unit: int) -> str | None:
    """The dimension that images are read along with unit stride, where that is not the output's."""
    x = f.args[unit]
    found: set[str] = set()
    for v in d.values:
        for n in post_order(v):
            if not isinstance(n, ir.Call) or n.call_type not in (CallType.IMAGE, CallType.HALIDE) or len(n.args) < 2:
                continue
            if x in variables(n.args[0]):
                return None
            if any(x in variables(a) for a in n.args[1:]):
                found |= {name for name in f.args if name in variables(n.args[0])}
    return found.pop() if len(found) == 1 else None


def _schedule_transpose(f: Function, d: Definition, x: Var, y: Var, side: int, parallel: bool) -> None:
    """Square blocks of `side` rows, loaded along one dimension and stored along the other."""
    stage = Stage(f, 0)
    xi, yi, xo, yo = (Var(f"{v.name()}${s}") for s in ("inner", "outer") for v in (x, y))
    stage.split(y, yo, yi, side, _GUARD)
    stage.split(x, xo, xi, side, _GUARD)
    others = [v.var for v in d.schedule.dims if v.var not in {n.name() for n in (xi, yi, xo, yo)}]
    stage.reorder(yi, xi, xo, yo, *(Var(n) for n in others))
    stage.unroll(yi)
    stage.vectorize(xi)
    if parallel:
        stage.parallel(Var(d.schedule.dims[-1].var))


def small_reductions(pipeline: Any, buffers: Mapping[str, Any]) -> ir.Expr | None:
    """Whether every reduction that would be split has few points, over the parameters of the pipeline and of
    `buffers` (RawBuffer by name); None where there is none to split, or one of unknown size."""
    out: ir.Expr | None = None
    outputs: list[Function] = pipeline.functions()
    _rewrite_reductions(outputs)
    for f in build_environment(outputs).order:
        for k, d in enumerate(f.updates):
            if _partial_results(f, k) is None or d.domain is None:
                continue
            points: ir.Expr = ir.const(1, ir.I64)
            extents = [extent for _, _, extent in d.domain.variables]
            if any(isinstance(a, ir.Variable) and a.name == n for a, n in zip(d.args, f.args, strict=True)):
                if f.name not in buffers:
                    return None
                extents += buffers[f.name].extents
            few: ir.Expr | None = None
            for extent in extents:
                wide = ir.Cast(ir.I64, extent) if extent.type != ir.I64 else extent
                points = ir.Mul(ir.I64, points, wide)
                one = ir.LE(ir.BOOL, wide, ir.const(_FEW_POINTS, ir.I64))
                few = one if few is None else ir.And(ir.BOOL, few, one)
            one = ir.LE(ir.BOOL, points, ir.const(_FEW_POINTS, ir.I64))
            few = one if few is None else ir.And(ir.BOOL, few, one)
            for cells in buffers[f.name].extents if f.name in buffers and _partial_results(f, k) == _TABLES else ():
                if const_value(cells) is None:  # tables of many bins cost more than they save
                    most = ir.Mul(ir.I64, cells, ir.const(_POINTS_PER_CELL, ir.I64))
                    few = ir.Or(ir.BOOL, few, ir.LE(ir.BOOL, points, most))
            out = few if out is None else ir.And(ir.BOOL, out, few)
    return out


def _split_small_reduction(f: Function, k: int) -> None:
    """Splits an update into few cells, whose loops are all reduction loops, over partial results."""
    tables = _partial_results(f, k)
    if tables is not None:
        split_reduction(f, k, _STRIPS, tables)


def _partial_results(f: Function, k: int) -> int | None:
    """How many tables of partial results each strip of an update should have; None where it stays whole."""
    d = f.updates[k]
    found = associative_operation(f, d)
    # One that has a schedule, as those on a device have, is in parts already.
    if d.domain is None or f.name.find("$part") >= 0 or found is None or d.schedule.touched:
        return None
    pure = [n for a, n in zip(d.args, f.args, strict=True) if isinstance(a, ir.Variable) and a.name == n]
    domain = {n for n, _, _ in d.domain.variables}
    indexed = any(variables(a) & domain for a in d.args)
    cells = [const_value(e) for _, _, e in d.domain.variables]
    points = 1
    for c in cells:
        points = points * int(c) if c is not None and points else 0
    if 0 < points <= 4096 or len(pure) > 1:
        return None
    if not pure and not indexed:
        return 1
    if not pure and indexed and len(f.args) == 1:
        return _TABLES
    # Column sums: each strip of rows adds whole rows; a lone row sum has its own loop over rows instead.
    columns = pure == [f.args[0]] and len(f.args) == 1 and not indexed and len(d.domain.variables) == 1
    return 1 if columns and _runs_along(found[1], f.args[0]) else None


def _runs_along(e: ir.Expr, name: str) -> bool:
    """Whether images are read with `name` in their first coordinate."""
    calls = [n for n in post_order(e) if isinstance(n, ir.Call) and n.call_type in (CallType.IMAGE, CallType.HALIDE)]
    return bool(calls) and all(c.args and name in variables(c.args[0]) for c in calls)


def _vectors_along(f: Function, d: Definition, name: str) -> bool:
    """Whether what an update reads of others lies in memory along `name`, but for what is the same for all of it."""
    own = {id(n) for n in self_calls(f, d)}
    calls = [n for v in d.values for n in post_order(v) if isinstance(n, ir.Call) and id(n) not in own]
    reads = [n for n in calls if n.call_type in (CallType.IMAGE, CallType.HALIDE) and n.args]
    moving = [n for n in reads if any(name in variables(a) for a in n.args)]
    return bool(moving) and all(name in variables(n.args[0]) for n in moving)


def _schedule_update(f: Function, stage: int, d: Definition, target: Target, parallel: bool) -> None:
    s = Stage(f, stage)
    trim_domain(f, d)
    domain = [n for n, _, _ in d.domain.variables] if d.domain is not None else []
    pure = [v.var for v in d.schedule.dims if v.var not in domain and is_pure_loop(f, d, v.var)]
    if not pure and not domain:
        return
    if domain and _schedule_writes(f, d, s, target, parallel):
        return
    x = f.args[0] if f.args else ""
    lanes = lanes_for(d, target)
    # How many points there are may depend on the strip of partial results.
    if x in pure and not depends_on(d, x) and _vectors_along(f, d, x):
        rows = [n for n in pure if n != x]
        if f.name.find("$part") >= 0:
            # Eight rows at a time into a row of partial sums that stays in the cache.
            row, block = Var(domain[0]), Var(f"{domain[0]}$block")
            s.split(row, block, row, 8, _GUARD)
            s.vectorize(Var(x), lanes, _GUARD)
            inner = (row.name(), vector_loop(d), x)
            s.reorder(*(Var(n) for n in (*inner, *(n for n in domain if n != row.name()), block.name(), *rows)))
        elif not rows and parallel:
            strip = Var(f"{x}$strip")
            s.split(Var(x), strip, Var(x), 4096, _GUARD)
            s.reorder(*(Var(n) for n in (x, *domain, strip.name())))
            s.vectorize(Var(x), lanes, _GUARD)
            s.parallel(strip)
            return
        else:
            s.vectorize(Var(x), lanes, _GUARD)
            # A sum stays in registers; what goes on from row to row goes along rows.
            walks = [n for n in domain if any(n in variables(a) for a in d.args)]
            s.reorder(*(Var(n) for n in (*(n for n in domain if n not in walks), vector_loop(d), x, *walks, *rows)))
        if parallel and rows:
            s.parallel(Var(d.schedule.dims[-1].var))
        return
    if pure and not domain and x not in pure:
        # One channel, row or column at a time: vectors along the first dimension that varies.
        s.vectorize(Var(pure[0]), lanes, _GUARD)
        if parallel and len(pure) > 1:
            s.parallel(Var(pure[-1]))
        return
    first = d.schedule.dims[0].var
    free = first in domain and is_pure_loop(f, d, first, in_order=True)
    if free and steps_along(d.args[0], first, loops_of(f, d)) == 1:
        s.vectorize(Var(first), lanes, _GUARD)  # a row is added to what the row holds
    elif domain and associative_operation(f, d) is not None:
        first = domain[0]
        indexed = any(variables(a) & set(domain) for a in d.args)
        if not indexed and not _is_xor(d):
            s.atomic()
            most = target.vector_bytes if sums_bytes(f, d) else lanes
            s.vectorize(Var(first), min(most, _whole_lanes(d, first)), _GUARD)
        elif indexed and len(d.args) >= 3 and any(isinstance(a, ir.Mod) for a in d.args):
            s.unroll(Var(first), _TABLES, _GUARD)
    if parallel and pure:
        outermost = pure[-1]
        if d.schedule.dims[-1].var == outermost:
            s.parallel(Var(outermost))


def _whole_lanes(d: Definition, name: str) -> int:
    """The most lanes that a loop over few points fills."""
    assert d.domain is not None
    extent = next(const_value(e) for n, _, e in d.domain.variables if n == name)
    return _MOST_LANES if extent is None else max(2, 1 << int(extent).bit_length() - 1)


def _schedule_writes(f: Function, d: Definition, s: Stage, target: Target, parallel: bool) -> bool:
    """Schedules an update that reads nothing of its Func and writes each element once, as a rectangle is filled: as
    rows along the first coordinate.  False where it is no such update."""
    loops = [v.var for v in d.schedule.dims]
    if self_calls(f, d) or not all(is_pure_loop(f, d, v) for v in loops):
        return False
    steps = [{v: by for v in loops if (by := steps_along(a, v, loops_of(f, d))) is not None} for a in d.args]
    order = [v for along in steps for v in along]
    if sorted(order) != sorted(loops):
        return False
    if len(order) > 1:
        s.reorder(*map(Var, order))
    if abs(steps[0].get(order[0], 0)) == 1:
        s.vectorize(Var(order[0]), lanes_for(d, target), _GUARD)
    if parallel and len(order) > 1:
        s.parallel(Var(order[-1]))
    return True


def sums_bytes(f: Function, d: Definition) -> bool:
    """Whether bytes are summed, or their extremes taken: a whole register at a time."""
    found = associative_operation(f, d)
    if found is None or not isinstance(found[0], ir.Add | ir.Min | ir.Max):
        return False
    operand = narrow_types(found[1])
    return isinstance(operand, ir.Cast) and operand.value.type == UInt(8)


def _is_xor(d: Definition) -> bool:
    return isinstance(d.values[0], ir.Call)
