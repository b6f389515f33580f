"""Which method schedules a lifted path where none is asked for."""

from __future__ import annotations

from codegen.pipeline import BuiltPath
from halide_core.aot.compile import RawBuffer
from halide_core.autoschedule.analysis.arithmetic import is_read
from halide_core.function import Function
from halide_core.ir.expr import Call, CallType, Variable, const_value
from halide_core.ir.structural import key, post_order, variables
from halide_core.passes.realization_order import build_environment


def method_of(built: BuiltPath) -> str:
    """Reuse2019 where it has something to choose: stages whose neighbours share points of other stages, and reductions
    at each point.  The default schedule for the rest: one stage alone, scans, and reductions into few cells."""
    return "Reuse2019" if _stages_share(built) or reduces_at_each_point(built) else "default"


def _stages_share(built: BuiltPath) -> bool:
    """Whether neighbours of a pure Func over rows share points of another."""
    outputs: list[Function] = built.pipeline.functions()
    order = build_environment(outputs).order
    if any(f.updates or f.extern is not None for f in order) or any(len(f.args) < 2 for f in outputs):
        return False
    return not any(map(_of_unknown_pixels, built.buffers.values())) and any(map(_reads_around, order))


def _of_unknown_pixels(buffer: RawBuffer) -> bool:
    """Whether a pixel of rows may have as many elements as the caller says: not where it is planes that are few."""
    if len(buffer.strides) < 3 or const_value(buffer.strides[1]) is not None:
        return False
    if const_value(buffer.extents[-1]) is not None:
        return False
    channels = set(variables(buffer.extents[0]))
    return bool(channels) and channels == set(variables(buffer.strides[1]))


def _reads_around(f: Function) -> bool:
    """Whether a point of a pure Func reads several points of another that puts several reads together itself: else one
    stage would read its images as well."""
    points: dict[str, set[tuple[int, ...]]] = {}
    for n in _reads(f):
        if n.call_type is CallType.HALIDE and len({key(m) for m in _reads(n.target)}) > 1:
            points.setdefault(n.name, set()).add(tuple(map(key, n.args)))
    return any(len(p) > 1 for p in points.values())


def _reads(f: Function) -> list[Call]:
    assert f.pure is not None
    return [n for v in f.pure.values for n in post_order(v) if is_read(n)]


def reduces_at_each_point(built: BuiltPath) -> bool:
    """Whether a reduction runs at each point of an image, over a window or a row and a column: what the default
    schedule, made for reductions into few cells and for scans, takes through memory."""
    for f in build_environment(built.pipeline.functions()).order:
        for d in f.updates:
            calls = [n for v in d.values for n in post_order(v) if is_read(n)]
            own = [n for n in calls if n.target is f]
            if d.domain is None or not f.args or any(list(map(key, n.args)) != list(map(key, d.args)) for n in own):
                continue
            domain = {n for n, _, _ in d.domain.variables}
            pure = {n for a, n in zip(d.args, f.args, strict=True) if isinstance(a, Variable) and a.name == n}
            reads = [n.args for n in calls if n.target is not f and n.args]
            window = any(names & domain and names & pure for args in reads for names in map(variables, args))
            along = f.args[0] in pure and any(f.args[0] in variables(args[0]) for args in reads)
            if along and (window or len(pure) > 1):
                return True
    return False
