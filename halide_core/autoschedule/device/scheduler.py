"""The default schedule of a pipeline for a device."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from halide_core.autoschedule.device.emit import Emitter, tile_sizes
from halide_core.autoschedule.device.loops import (
    FEW_POINTS,
    Layout,
    Loops,
    has_any_order,
    is_undefined,
    loops_of_stage,
    reads,
    refusal,
    row_of_sums,
)
from halide_core.autoschedule.device.placement import (
    Kernel,
    Place,
    Uses,
    boxes_in,
    fits_block,
    is_inlined,
    of_one_thread,
    shared_box,
    uses_in,
)
from halide_core.autoschedule.directives import FuncName, Schedule
from halide_core.dsl.variables import PARAMS
from halide_core.function import Function
from halide_core.ir.structural import variables
from halide_core.passes.races import atomic_operand
from halide_core.passes.realization_order import build_environment

_MOST_CELLS = 2048
"""Of a histogram that each block has one of."""


@dataclass(slots=True)
class DeviceSchedule:
    """Directives that are not applied yet, and why stages that stay on the host do, by their names."""

    schedule: Schedule = field(default_factory=Schedule)
    on_device: list[str] = field(default_factory=list)
    """Funcs that the device computes, in order, those inside of others' kernels included."""
    on_host: dict[str, str] = field(default_factory=dict)

    def apply(self, outputs: list[Function]) -> None:
        """Schedules the pipeline of `outputs`."""
        self.schedule.apply({f.name: f for f in build_environment(outputs).order})


def device_schedule(
    outputs: list[Function],
    layouts: Mapping[str, Layout],
    pinned: Collection[str] = (),
    host: Mapping[str, str] | None = None,
    portable: bool = True,
) -> DeviceSchedule:
    """A schedule for the device of a pipeline that has none yet, but for Funcs that are computed at root.

    `layouts`: how Funcs lie in memory, by name, as far as that is known.  `pinned`: Funcs that are computed at root.
    `host`: Funcs that stay on the host, and why.  `portable`: the package takes it, too."""
    return DeviceScheduler(outputs, layouts, pinned, host or {}, portable).run()


class DeviceScheduler:
    """The default schedule; other methods say otherwise where Funcs are computed (`place`, `threads_in`)."""

    def __init__(
        self,
        outputs: list[Function],
        layouts: Mapping[str, Layout],
        pinned: Collection[str],
        host: Mapping[str, str],
        portable: bool = True,
    ) -> None:
        self.outputs, self.pinned, self.portable = outputs, pinned, portable
        environment = build_environment(outputs)
        self.order: list[Function] = environment.order
        self.loops = {
            f.name: [loops_of_stage(f, k, layouts) for k in range(len(f.updates) + 1)] for f in self.order
        }
        self.uses = uses_in(self.order)
        self.places: dict[str, Place] = {}
        self.kernels: dict[str, Kernel] = {}
        self.host: dict[str, str] = dict(host)
        named = {n for x in layouts.values() for e in (*x.extents, *x.strides) for n in variables(e)}
        self.sized = {n for n in environment.parameters if n in PARAMS and PARAMS[n].label in named}
        taken = [i.name for i in environment.images] + list(environment.parameters)
        self.emitter = Emitter(self.order, taken)

    def run(self) -> DeviceSchedule:
        """Decides, and makes directives."""
        self.refuse()
        self._leave_small_ones()
        self.place_all()
        for f in self.order:
            self._emit(f)
        device = [f.name for f in self.order if f.name not in self.host]
        return DeviceSchedule(self.emitter.schedule, device, self.host)

    def refuse(self) -> None:
        """Leaves on the host what a device cannot run."""
        for f in self.order:
            if f.name not in self.host:
                reason = next((r for x in self.stages(f) if (r := refusal(x, self.portable)) is not None), None)
                if reason is not None:
                    self.host[f.name] = reason

    def place_all(self) -> None:
        """Says of each Func where it is computed."""
        for f in reversed(self.order):
            self.places[f.name] = self._place(f)

    def threads_in(self, f: Function, kernel: Function, box: tuple[int, ...]) -> tuple[bool, tuple[int, ...]]:
        """Of a Func with a box in a block: whether each point has a thread; else how many threads go over it."""
        return all(fits_block(box, s) for s in self.stages(f)), ()

    def stages(self, f: Function) -> list[Loops]:
        """The stages of a Func that compute something."""
        return [x for x in self.loops[f.name] if x.stage or not is_undefined(x.definition)]

    def _leave_small_ones(self) -> None:
        """What is no work for a device stays on the host, where what it reads is made there."""
        for f in self.order:
            if f.name in self.host or any(_is_work(x) for x in self.stages(f)):
                continue
            read = set().union(*(reads(x) for x in self.stages(f)), set())
            made = [g for g in self.order if id(g) in read and g is not f]
            if not any(g.name not in self.host for g in made):
                self.host[f.name] = "it is too little work"

    def _place(self, f: Function) -> Place:
        uses = self.uses[f.name]
        if f in self.outputs or f.name in self.pinned or not uses:
            return Place()
        if f.name in self.host and (f.updates or f.extern is not None or self._calls_library(f)):
            return Place()
        if is_inlined(f, uses, self.order) and not self._calls_library(f):
            return Place("inline")
        if f.name in self.host:
            return Place()
        kernel = self._kernel_of(f, uses)
        boxes = boxes_in(kernel, f, uses) if kernel is not None else []
        consumer = uses[0][0]
        if self._in_thread(f, consumer) and of_one_thread(f, uses, self.loops[consumer.name][0], self.loops[f.name][0]):
            if kernel is not None:
                kernel.boxes[f.name] = boxes
            return Place("thread", self.places[consumer.name].kernel or consumer, consumer=consumer)
        if kernel is not None and all(self._shareable(x) for x in self.stages(f)):
            box = shared_box(kernel, f, boxes)
            if box is not None:
                kernel.boxes[f.name] = boxes
                return Place("block", kernel.function, box)
        return Place()

    def _calls_library(self, f: Function) -> bool:
        return self.host.get(f.name, "").startswith("a device has no function")

    def _in_thread(self, f: Function, consumer: Function) -> bool:
        """Whether a thread that computes a point of `consumer` may compute its point of `f`, too."""
        place = self.places[consumer.name]
        if consumer.name in self.host or place.kind not in ("root", "block") or consumer.updates:
            return False
        (loops,) = self.loops[consumer.name]
        return loops.is_wide and not loops.serial and len(loops.wide) <= 3 and all(
            set(x.free) == set(f.args) and not x.scatters for x in self.stages(f)
        )

    def _kernel_of(self, f: Function, uses: Uses) -> Kernel | None:
        """The kernel in which all consumers of `f` are, each a pure Func."""
        found: set[str] = set()
        for c, _, _ in uses:
            place = self.places[c.name]
            if c.name in self.host or c.updates or place.kind == "inline":
                return None
            found.add(c.name if place.kernel is None else place.kernel.name)
        if len(found) != 1:
            return None
        (name,) = found
        if name not in self.kernels:
            function = next(g for g in self.order if g.name == name)
            (loops,) = self.loops[name]
            if not loops.is_wide or not 2 <= len(loops.wide) <= 3:
                return None
            tile = {n: loops.extents[n] if n in loops.channels else 1 for n in function.args}
            self.kernels[name] = Kernel(function, tile | tile_sizes(loops), self.sized)
        return self.kernels[name]

    def _shareable(self, loops: Loops) -> bool:
        return len(loops.wide) >= 2 and set(loops.free) == set(loops.function.args) and not loops.scatters

    def _emit(self, f: Function) -> None:
        place, emitter = self.places[f.name], self.emitter
        stages = self.stages(f)
        if place.kind == "inline":
            emitter.schedule.add(f.name, 0, "compute_inline")
            return
        if place.kind in ("thread", "block"):
            return  # behind the loops of their kernel
        if f not in self.outputs:
            emitter.root(f)
        if f.name not in self.host:
            for loops in stages:
                self._emit_stage(loops)
            self._emit_inside(f)

    def _emit_inside(self, kernel: Function) -> None:
        """Places what the kernel of a Func computes beside, consumers first."""
        for f in reversed(self.order):
            place = self.places[f.name]
            if place.kernel is not kernel:
                continue
            within = kernel if place.consumer is None else place.consumer
            block, thread = self.emitter.tiles[within.name, 0][self.loops[within.name][0].wide[0]]
            at = block if place.kind == "block" else thread
            self.emitter.schedule.add(f.name, 0, "compute_at", FuncName(within.name), at)
            whole, threads = self.threads_in(f, kernel, place.box) if place.kind == "block" else (False, ())
            for loops in self.stages(f):
                if place.kind == "thread":
                    self.emitter.in_thread(loops, dict(zip(f.args, place.box, strict=False)))
                else:
                    self.emitter.in_block(loops, whole, threads)

    def _emit_stage(self, loops: Loops) -> None:
        if not loops.free and not loops.serial:
            self.emitter.single_thread(loops)
        elif loops.is_wide:
            along = row_of_sums(loops) if loops.stage else None
            if along is None:
                self.emitter.tiled(loops)
            else:
                self.emitter.by_lanes(loops, along)
        elif loops.steps is not None and (loops.points or 1) * loops.steps <= FEW_POINTS:
            if loops.wide:
                self.emitter.tiled(loops)
            else:
                self.emitter.single_thread(loops)
        elif loops.has_wide_rows and not has_any_order(loops.function, loops.definition):
            self.emitter.rows(loops)
        elif loops.scatters and (loops.cells or _MOST_CELLS + 1) <= _MOST_CELLS:
            self.emitter.in_shared_memory(loops)
        elif loops.scatters:
            self.emitter.atomic(loops)
        else:
            # The package has no updates that meet of 8 and 16 bits.
            meet = atomic_operand(loops.function, loops.definition) is not None
            wide = loops.definition.values[0].type.bits >= 32
            in_order = not has_any_order(loops.function, loops.definition)
            self.emitter.in_blocks(loops, meet and wide and not in_order, in_order)


def _is_work(loops: Loops) -> bool:
    """Whether a stage has many points."""
    points, steps = loops.points, loops.steps
    return points is None or steps is None or points * steps > FEW_POINTS
