"""Pipelines whose output lies in an input's memory: what they may read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from halide_core.errors import HalideError
from halide_core.function import Definition, Function, Fuse, LoopLevel, Rename, Split, TailStrategy
from halide_core.ir import expr as ir
from halide_core.ir.expr import CallType
from halide_core.ir.structural import key, post_order
from halide_core.ir.sums import difference
from halide_core.passes.inline import inlined_functions, make_inliner
from halide_core.passes.realization_order import Environment


def check_in_place(environment: Environment, outputs: list[Function], buffers: Mapping[str, Any]) -> None:
    """Raises HalideError where an output overwrites elements of an image that are still to be read.

    Allowed: a first definition that reads the image at its own coordinates only, or at both places of a pair that it
    stores (`Function.exchanged`); Funcs computed at root before the
    output, and other outputs that are (`Function.turn`), which may read it anywhere; and Funcs computed within loops of
    the output over slices of the memory, which read the slice that they are computed for."""
    inlined = inlined_functions(environment.order, outputs)
    expand = make_inliner(inlined)
    for f in outputs:
        for image in environment.images:
            names = [n for n in buffers if n == f.name or n.startswith(f"{f.name}.")]
            own = buffers.get(image.name)
            for n in names:
                if own is not None and own.pointer and buffers[n].pointer == own.pointer:
                    _check(f, image.name, _same_layout(buffers[n], own), environment, outputs, inlined, expand)


def _same_layout(a: Any, b: Any) -> bool:
    if len(a.strides) != len(b.strides):
        return False
    return all(key(x) == key(y) for x, y in zip((a.offset, *a.strides), (b.offset, *b.strides), strict=True))


def _reads(d: Definition, image: str, expand: Any) -> list[ir.Call]:
    found: list[ir.Call] = []
    for e in (*d.values, *d.args, *(d.domain.predicates if d.domain is not None else [])):
        for n in post_order(expand(e)):
            if isinstance(n, ir.Call) and n.call_type is CallType.IMAGE and n.name == image:
                found.append(n)
    return found


def _check(
    f: Function,
    image: str,
    same_layout: bool,
    env: Environment,
    outputs: list[Function],
    inlined: set[int],
    expand: Any,
) -> None:
    for g in env.order:
        if id(g) in inlined:
            continue
        stored = False
        for d in g.definitions():
            reads = _reads(d, image, expand)
            point_wise = same_layout and all([key(a) for a in n.args] == [key(a) for a in d.args] for n in reads)
            point_wise |= g is f and f.exchanged is not None and all(_in_pair(f.exchanged, d, n) for n in reads)
            root = g.compute == LoopLevel() and g not in outputs
            before = g is not f and (root or (g in outputs and g.turn < f.turn))
            by_slices = before or (bool(reads) and same_layout and _by_slices(f, g, image, env, expand))
            if reads and not by_slices and (g is not f or stored or not point_wise):
                raise HalideError(
                    f"Func {f.name} is stored in the memory of {image}, and Func {g.name} reads {image} at "
                    "coordinates that may already be overwritten; only point-wise reads are possible in place"
                )
            undefined = all(isinstance(v, ir.Call) and v.name == "undef" for v in d.values)
            stored = stored or not undefined


def _in_pair(pair: tuple[int, ir.Expr], d: Definition, n: ir.Call) -> bool:
    """Whether a read is of one of the two elements that an output stores at once."""
    k, total = pair
    if len(n.args) != len(d.args) or not all(_along(d, n, j) for j in range(len(d.args)) if j != k):
        return False
    return difference(n.args[k], d.args[k]) == 0 or difference(n.args[k] + d.args[k], total) == 0


def _by_slices(f: Function, g: Function, image: str, env: Environment, expand: Any) -> bool:
    """Whether `g` is computed within loops of `f` that run over slices, and reads the slice that `f` stores then."""
    if g.compute is None or g.compute.func != f.name or f.pure is None or f.updates or g.args == () or g is f:
        return False
    schedule = f.pure.schedule
    if schedule.specializations or schedule.fused_with is not None or len(g.args) != len(f.args):
        return False
    reads = [(d, n) for d in g.definitions() for n in _reads(d, image, expand)]
    uses = [(c, d, n) for c in env.order if c is not g for d in c.definitions() for n in _calls(d, g, expand)]
    if any(c is not f for c, _, _ in uses):
        return False
    found = [*reads, *((d, n) for _, d, n in uses)]
    sliced = {a for k, a in enumerate(f.args) if all(_along(d, n, k) for d, n in found)}
    for s in schedule.splits:  # all that the loops over slices are made of
        if isinstance(s, Split) and s.old in sliced and s.tail is TailStrategy.GuardWithIf:
            sliced |= {s.outer, s.inner}
        elif isinstance(s, Fuse) and {s.inner, s.outer} <= sliced:
            sliced.add(s.fused)
        elif isinstance(s, Rename) and s.old in sliced:
            sliced.add(s.new)
    loops = [v.var for v in schedule.dims]
    return g.compute.var in loops and set(loops[loops.index(g.compute.var) :]) <= sliced


def _along(d: Definition, n: ir.Call, k: int) -> bool:
    """Whether a definition reads at its own coordinate along a dimension."""
    return k < len(n.args) and isinstance(d.args[k], ir.Variable) and key(n.args[k]) == key(d.args[k])


def _calls(d: Definition, g: Function, expand: Any) -> list[ir.Call]:
    found = [n for e in (*d.values, *d.args) for n in post_order(expand(e))]
    return [n for n in found if isinstance(n, ir.Call) and n.call_type is CallType.HALIDE and n.target is g]
