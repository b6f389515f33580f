"""From a schedule tree to directives: the path from each body to the root says how its loops are split and ordered, and
where the Func is computed and kept."""

from __future__ import annotations

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.analysis.machine import Machine
from halide_core.autoschedule.directives import GUARD, FuncName, Names, Schedule
from halide_core.autoschedule.directives import Loop as Name
from halide_core.autoschedule.rules.stage_loops import StageLoops
from halide_core.autoschedule.tree_search.extents import Extents
from halide_core.autoschedule.tree_search.tree import Graph, Level, Loop, Nest, Root, nests
from halide_core.ir.stmt import ForKind

_METHODS = {ForKind.PARALLEL: "parallel", ForKind.VECTORIZED: "vectorize", ForKind.UNROLLED: "unroll"}


def emit(root: Root, description: Description, costs: Costs, machine: Machine, graph: Graph) -> Schedule:
    """The schedule that a well-formed tree stands for."""
    schedule = Schedule()
    rules = StageLoops(description, costs, machine, schedule)
    found = nests(root)
    extents = Extents(description)
    placed = extents.place(found)
    names: dict[Level, str] = {}
    moving: dict[str, frozenset[str]] = {}
    # Consumers first: a person reads a schedule from the output back.
    for name in reversed(list(found)):
        nest = found[name]
        node = description.nodes[name]
        moving[name] = extents.moving(name, placed, moving)
        if name not in graph.outputs:
            _place(schedule, nest, names)
        if name in graph.opaque:
            names |= {n.level: n.dim for n in nest.own}
            for stage in node.stages:
                sizes = None if not nest.around else tuple(high - low + 1 for low, high in placed[name].computed)
                rules.loops(node, stage, sizes, None if nest.around else rules.parallel(node, stage), moving[name])
        else:
            rules.together(node, moving[name])
            names |= _loops(schedule, nest, graph.args[name], moving[name])
    return schedule


def _place(schedule: Schedule, nest: Nest, names: dict[Level, str]) -> None:
    def at(loop: Loop) -> tuple[FuncName, Name]:
        return FuncName(loop.func), Name(names[loop.level])

    if not nest.around:
        schedule.add(nest.func, 0, "compute_root")
        return
    if nest.stored_inside == 0:
        schedule.add(nest.func, 0, "store_root")
    elif nest.stored_inside < len(nest.around):
        schedule.add(nest.func, 0, "store_at", *at(nest.around[nest.stored_inside - 1]))
    schedule.add(nest.func, 0, "compute_at", *at(nest.around[-1]))


def _loops(
    schedule: Schedule, nest: Nest, args: tuple[str, ...], moving: frozenset[str]
) -> dict[Level, str]:
    """Splits, order and kinds of the loops of a pure Func; returns their names.  Loops over dimensions in `moving` have
    no constant extent, and are not unrolled."""
    fresh, names = Names(args), dict[Level, str]()
    for a in args:
        own = [n for n in nest.own if n.dim == a]
        rest = a
        for k, n in enumerate(own[:-1]):
            outer = fresh.new(a, "o" if k == 0 else "m")
            inner = fresh.new(a, "i" if k == len(own) - 2 else "r")
            # What is left of the loop has `n.step` coordinates.
            schedule.add(nest.func, 0, "split", Name(rest), Name(outer), Name(inner), n.step, GUARD)
            names[n.level], rest = outer, inner
        names[own[-1].level] = rest
    # The factors of later splits are of what the earlier ones left, which advances by 1.
    order = [names[n.level] for n in reversed(nest.own)]
    if order != list(args):
        schedule.add(nest.func, 0, "reorder", *map(Name, order))
    for n in nest.own:
        if n.kind in _METHODS and not (n.kind is ForKind.UNROLLED and n.dim in moving):
            schedule.add(nest.func, 0, _METHODS[n.kind], Name(names[n.level]))
    return names
