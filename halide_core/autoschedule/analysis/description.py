"""The description of a pipeline that the autoschedulers share: stages, loops, footprints, regions and costs.

All numbers come from the compiler's own bounds inference at the estimates that the user set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from halide_core.autoschedule.analysis.arithmetic import Arithmetic, arithmetic, is_read
from halide_core.autoschedule.analysis.footprints import (
    Footprint,
    Number,
    NumericBox,
    Range,
    compiled,
    high_name,
    joined,
    low_name,
)
from halide_core.autoschedule.analysis.layouts import Layout, own_layout, stated_layout
from halide_core.dsl.variables import PARAMS
from halide_core.errors import HalideError
from halide_core.function import Definition, Function, Image
from halide_core.ir import expr as ir
from halide_core.ir.expr import Call, CallType, Expr, const_value
from halide_core.ir.structural import post_order, variables
from halide_core.passes.bounds import Scope
from halide_core.passes.realization_order import Environment, build_environment, definition_expressions
from halide_core.passes.value_bounds import value_bounds

# Where nothing bounds a coordinate that depends on data: what the compiler itself would refuse.
_UNBOUNDED = (0, 0)


# Extents that stay as they are, and how much longer others become, where sizes are told from what never changes.
_FEW_POINTS, _LONGER = 4, (1 << 14) + 37
"""How much longer other images are: so that it shows at the top of a pyramid, too."""


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One definition of a Func.

    `loops`: the pure variables that are loops, then those of the reduction; `reads`: the Funcs and images read, by
    name, the Func itself left out; `writes`: the box written, where it is not the point of the loops."""

    func: str
    index: int
    definition: Definition
    pure: tuple[str, ...]
    reduction: tuple[str, ...]
    cost: Arithmetic
    reads: dict[str, Footprint]
    sites: dict[str, int]
    own: Footprint | None

    @property
    def loops(self) -> tuple[str, ...]:
        return (*self.pure, *self.reduction)

    @property
    def moves(self) -> bool:
        """Whether the steps of its reduction write at places of their own."""
        return any(variables(a) & set(self.reduction) for a in self.definition.args)

    @property
    def scatters(self) -> bool:
        """Whether data choose the places that it writes."""
        return any(is_read(n) for a in self.definition.args for n in post_order(a))


@dataclass(slots=True, eq=False)
class Node:
    """A Func: its stages, who reads it, and the box of it that the estimated outputs take."""

    function: Function
    stages: list[Stage]
    consumers: list[str] = field(default_factory=list)
    region: NumericBox = ()
    is_output: bool = False

    @property
    def name(self) -> str:
        return self.function.name

    @property
    def bytes(self) -> int:
        """Bytes of a point, all values of a Tuple together."""
        return sum(t.bytes() for t in self.function.types)

    @property
    def is_pure(self) -> bool:
        return len(self.stages) == 1


class Description:
    """A pipeline's Funcs by name, in realization order, at estimated sizes.

    Raises HalideError where an estimate is missing, for external stages and for Funcs that have a schedule."""

    def __init__(self, outputs: list[Function]) -> None:
        self.environment: Environment = build_environment(outputs)
        self.outputs = [f.name for f in outputs]
        self.values: dict[str, Number] = {}
        self.images: dict[str, NumericBox] = {}
        self.image_bytes: dict[str, int] = {}
        for image in self.environment.images:
            self._add_image(image)
        for name in self.environment.parameters:
            self._add_parameter(name)
        self.nodes: dict[str, Node] = {}
        order = self.environment.order
        values = value_bounds(order, {id(f): f.definitions() for f in order})
        ranges = {n: r for n, r in values.items() if all(x is not None and const_value(x) is not None for x in r)}
        for f in order:
            _check_unscheduled(f)
            self.nodes[f.name] = Node(f, [_stage(f, k, d, ranges) for k, d in enumerate(f.definitions())])
        for name, node in self.nodes.items():
            for read in dict.fromkeys(r for s in node.stages for r in s.reads):
                if read in self.nodes:
                    self.nodes[read].consumers.append(name)
        for f in outputs:
            self.nodes[f.name].is_output = True
            self.nodes[f.name].region = self._output_region(f)
        self._infer_regions()
        self.layouts: dict[str, Layout] = {}
        for image in self.environment.images:
            self.layouts[image.name] = stated_layout(image.fixed, _sizes(self.images[image.name]))
        for node in self.nodes.values():
            sizes, buffers = _sizes(node.region), node.function.buffers
            stated = stated_layout(buffers[0].fixed if buffers else {}, sizes)
            self.layouts[node.name] = stated if node.is_output else own_layout(sizes)

    def _add_image(self, image: Image) -> None:
        box: list[Range] = []
        for d in range(image.dimensions):
            known = image.estimates.get(d)
            fixed = (image.fixed.get(f"min.{d}"), image.fixed.get(f"extent.{d}"))
            if known is None and image.array is not None:
                first, count = image.range_of_data(d)
                known = (ir.const(first, ir.I32), ir.const(count, ir.I32))
            if known is None and fixed[1] is not None:
                known = (fixed[0] if fixed[0] is not None else ir.const(0, ir.I32), fixed[1])
            ends = None if known is None else [const_value(e) for e in known]
            if ends is None or ends[0] is None or ends[1] is None:
                raise HalideError(
                    f"Autoschedulers need an estimate of dimension {d} of ImageParam {image.name}; "
                    "give it one by set_estimates([(min, extent), ...])"
                )
            low, extent = int(ends[0]), int(ends[1])
            box.append((low, low + extent - 1))
            self.values |= {f"{image.name}.min.{d}": low, f"{image.name}.extent.{d}": extent}
        self.images[image.name] = tuple(box)
        self.image_bytes[image.name] = image.type.bytes()

    def _add_parameter(self, name: str) -> None:
        if name in self.values or name not in PARAMS:
            return
        found = PARAMS[name].estimated()
        self.values[name] = 0 if found is None else found

    def _output_region(self, f: Function) -> NumericBox:
        box: list[Range] = []
        for d, name in enumerate(f.args):
            known = f.estimates.get(name) or f.bounds.get(name)
            for image in f.buffers:
                known = known or image.estimates.get(d)
            ends = None if known is None else [const_value(e) for e in known]
            if ends is None or ends[0] is None or ends[1] is None:
                raise HalideError(
                    f"Autoschedulers need an estimate of dimension {name} of the output {f.name}; "
                    "give it one by set_estimate(var, min, extent)"
                )
            box.append((int(ends[0]), int(ends[0]) + int(ends[1]) - 1))
            self.values |= {f"{f.name}.min.{d}": int(ends[0]), f"{f.name}.extent.{d}": int(ends[1])}
        return tuple(box)

    def _infer_regions(self) -> None:
        for name in reversed(list(self.nodes)):
            node = self.nodes[name]
            if not node.region:
                node.region = tuple(_UNBOUNDED for _ in node.function.args)
            node.region = self.stored(node, node.region)
            for stage in node.stages:
                for read, box in self.required(stage, node.region).items():
                    if read in self.nodes:
                        old = self.nodes[read].region
                        self.nodes[read].region = joined(old if old else None, box)

    def fixed(self) -> dict[str, tuple[bool, ...]]:
        """Of each Func, which of its dimensions have the same region at other sizes: those that estimates of more than
        a few coordinates, and Params, have no part in."""
        values, images = self.values, self.images
        regions = {n: node.region for n, node in self.nodes.items()}
        try:
            sizes = {n for n, v in values.items() if ".extent." in n and v > _FEW_POINTS}
            params = {n for n in values if ".extent." not in n and ".min." not in n}
            self.values = {n: v + (_LONGER if n in sizes else 1 if n in params else 0) for n, v in values.items()}
            self.images = {n: _longer(box) for n, box in images.items()}
            for n, node in self.nodes.items():
                node.region = _longer(regions[n]) if node.is_output else ()
            self._infer_regions()
            return {
                n: tuple(a == b for a, b in zip(node.region, regions[n], strict=True)) for n, node in self.nodes.items()
            }
        finally:
            self.values, self.images = values, images
            for n, node in self.nodes.items():
                node.region = regions[n]

    def whole(self, name: str) -> NumericBox:
        """The box of a Func or image that the whole pipeline uses."""
        if name in self.images:
            return self.images[name]
        node = self.nodes[name]
        return node.region if node.region else tuple(_declared(node.function, a) for a in node.function.args)

    def bytes(self, name: str) -> int:
        """Bytes of a point of a Func or image."""
        return self.image_bytes[name] if name in self.images else self.nodes[name].bytes

    def axes(self, node: Node) -> tuple[str, ...]:
        """The dimensions of a Func: that along which vectors go, rows, others, interleaved channels."""
        return tuple(node.function.args[d] for d in self.layouts[node.name].axes)

    def loop_values(self, stage: Stage, box: NumericBox) -> dict[str, Number]:
        """The ends of the loops of `stage` that computes `box`, with everything else that footprints depend on."""
        values = dict(self.values)
        function = self.nodes[stage.func].function
        for name, (low, high) in zip(function.args, box, strict=True):
            values[low_name(name)], values[high_name(name)] = low, high
        domain = stage.definition.domain
        if domain is not None:
            for n, low_e, extent in domain.variables:
                low, size = (_evaluated(e, values) for e in (low_e, extent))
                values[low_name(n)], values[high_name(n)] = low, low + size - 1
        return values

    def required(self, stage: Stage, box: NumericBox, one_step: bool = False) -> dict[str, NumericBox]:
        """What `stage` reads of other Funcs and of images when its Func is computed over `box`; `one_step`: in the
        middle step of its reduction."""
        values = self.loop_values(stage, box)
        for n in stage.reduction if one_step else ():
            values[low_name(n)] = values[high_name(n)] = (values[low_name(n)] + values[high_name(n)]) // 2
        return {n: f.box(values, self.whole(n)) for n, f in stage.reads.items()}

    def stored(self, node: Node, box: NumericBox) -> NumericBox:
        """`box` and what the updates of the Func touch beside when it is computed over it."""
        for stage in reversed(node.stages):
            if stage.own is not None:
                box = joined(box, stage.own.box(self.loop_values(stage, box), box))
        return box

    def iterations(self, stage: Stage, box: NumericBox) -> Number:
        """How often the body of `stage` runs for `box`."""
        values = self.loop_values(stage, box)
        total: Number = 1.0
        for n in stage.loops:
            total = total * (values[high_name(n)] - values[low_name(n)] + 1)
        return total


def _check_unscheduled(f: Function) -> None:
    if f.extern is not None:
        raise HalideError(f"Func {f.name} is an external stage, which autoschedulers do not place; schedule it by hand")
    scheduled = f.compute is not None or f.store is not None or bool(f.handles)
    for d in f.definitions():
        s = d.schedule
        scheduled |= bool(s.splits or s.specializations or s.fused_with) or any(x.kind.value != "for" for x in s.dims)
    if scheduled:
        raise HalideError(f"Func {f.name} has a schedule already, in whole or in part; an autoscheduler makes all")


def _stage(f: Function, index: int, d: Definition, ranges: Scope) -> Stage:
    loops = [x.var for x in d.schedule.dims]
    domain = tuple(n for n, _, _ in d.domain.variables) if d.domain is not None else ()
    names = [*f.args, *domain]
    reads: dict[str, list[tuple[Expr, ...]]] = {}
    own: list[tuple[Expr, ...]] = []
    counted: dict[str, set[int]] = {}
    for e in definition_expressions(d):
        for n in post_order(e):
            if isinstance(n, Call) and n.call_type in (CallType.HALIDE, CallType.IMAGE):
                if n.target is f:
                    own.append(n.args)
                else:
                    reads.setdefault(n.name, []).append(n.args)
                    counted.setdefault(n.name, set()).add(id(n))
    if index:
        own.append(d.args)
    pure = tuple(n for n in loops if n not in domain)
    cost = arithmetic((*d.values, *(a for a in d.args if not isinstance(a, ir.Variable))))
    return Stage(
        f.name, index, d, pure, tuple(n for n in loops if n in domain), cost,
        {n: Footprint(r, names, ranges) for n, r in reads.items()},
        {n: len(c) for n, c in counted.items()},
        Footprint(own, names, ranges) if own and index else None,
    )


def _longer(box: NumericBox) -> NumericBox:
    return tuple((a, b + _LONGER if b - a + 1 > _FEW_POINTS else b) for a, b in box)


def _sizes(box: NumericBox) -> list[int]:
    return [int(high - low + 1) for low, high in box]


def _declared(f: Function, name: str) -> Range:
    """What is stated of a dimension of which no use is known."""
    ends = [const_value(e) for e in f.bounds.get(name, ())]
    if len(ends) == 2 and ends[0] is not None and ends[1] is not None:
        return int(ends[0]), int(ends[0]) + int(ends[1]) - 1
    return _UNBOUNDED


def _evaluated(e: Expr, values: Mapping[str, Any]) -> Number:
    function = compiled(e)
    if function is None:
        raise HalideError(f"Autoschedulers cannot tell the extent {e} of a reduction; it depends on data")
    return function(values)
