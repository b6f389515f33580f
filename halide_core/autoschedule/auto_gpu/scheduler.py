"""AutoGPU from end to end: description, grouping, directives, and a trial of these."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from halide_core.autoschedule.auto_gpu.block_sizes import TooManyThreads
from halide_core.autoschedule.auto_gpu.devices import chosen_device
from halide_core.autoschedule.auto_gpu.group import BLOCK, INLINE, MOST_TILED, ROOT, THREAD
from halide_core.autoschedule.auto_gpu.grouping import Grouping
from halide_core.autoschedule.auto_gpu.options import Options, options
from halide_core.autoschedule.auto_gpu.pricing import Choice, Refused
from halide_core.autoschedule.auto_gpu.report import write_report
from halide_core.autoschedule.auto_gpu.trial import BEYOND, named, refusal_of
from halide_core.autoschedule.auto_gpu.view import View
from halide_core.autoschedule.auto_gpu.worth import seconds_on_host, seconds_with_copies
from halide_core.autoschedule.auto_gpu.wrappers import with_wrappers
from halide_core.autoschedule.device.emit import Tile
from halide_core.autoschedule.device.loops import Layout, Loops
from halide_core.autoschedule.device.placement import Place, is_inlined
from halide_core.autoschedule.device.scheduler import DeviceSchedule, DeviceScheduler
from halide_core.autoschedule.directives import Schedule
from halide_core.autoschedule.reuse2019.scheduler import reuse_schedule
from halide_core.compiler_memory import frugal
from halide_core.errors import HalideError
from halide_core.function import Function
from halide_core.passes.races import atomic_operand
from halide_core.target import Target

_FEW_POINTS = 1 << 12
"""Points that no device is busy with, a thread for each."""
_PLAINEST = 2
"""How often a Func that is refused is made plainer before it is left on the host."""


def gpu_schedule(outputs: list[Function], target: Target, extra: dict[str, str]) -> Schedule:
    """The schedule that AutoGPU finds for the pipeline of `outputs`, not applied yet.

    Raises HalideError where the target has no device, estimates are missing, a Func has a schedule, or `extra` is not
    understood."""
    if not target.has_feature("cuda"):
        raise HalideError(f"AutoGPU schedules for CUDA; add the feature cuda to the target {target}, as in host-cuda")
    made, found = auto_gpu(outputs, target, extra)
    if made.options.copies:
        found = _where_it_pays(outputs, made, found, target)
    if extra.get("report"):
        write_report(extra["report"], made, found)
    return found.schedule


def _where_it_pays(
    outputs: list[Function], made: AutoGPU, found: DeviceSchedule, target: Target
) -> DeviceSchedule:
    """The schedule, or one for the host where that takes less than kernels and copies."""
    names = [n for n in made.view.description.nodes if n not in made.view.wrapped]
    device, host = seconds_with_copies(made, found), seconds_on_host(made.view, names)
    if device <= host:
        return found
    why = f"the host takes {1e6 * host:.1f} us, a device {1e6 * device:.1f} with copies"
    return DeviceSchedule(reuse_schedule(outputs, target, {}), [], dict.fromkeys(names, why))


@frugal
def auto_gpu(
    outputs: list[Function], target: Target, extra: Mapping[str, str], layouts: Mapping[str, Layout] | None = None,
    left: Mapping[str, str] | None = None, search: Callable[[Grouping], None] = Grouping.run,
) -> tuple[AutoGPU, DeviceSchedule]:
    """A schedule that the compiler takes, and the scheduler that made it.  Raises HalideError as `gpu_schedule` does.

    The scheduler looks at a copy of the pipeline, with wrappers; the schedule is for the pipeline itself.  A Func that
    is refused is made plainer: computed whole, then in blocks of the usual size, then on the host.  Where blocks with a
    thread for each point would be too large, threads go over boxes.
    `layouts`: how Funcs lie in memory at all sizes, of pipelines whose schedule the package is to take; `left`: Funcs
    that stay on the host, and why; `search`: fills the places of a Grouping."""
    copied, wrapped = with_wrappers(outputs)
    view, chosen = View(copied, target, layouts, wrapped), options(extra)
    host: dict[str, str] = dict(left or {})
    refused = Refused()
    known = view.description if layouts is None else None
    while True:
        scheduler = AutoGPU(copied, view, extra, chosen, host, refused, search, layouts is not None)
        found = scheduler.run()
        problem = refusal_of(outputs, found.schedule, target, known) if found.on_device else None
        if problem is None:
            return scheduler, found
        if isinstance(problem, TooManyThreads):
            if problem.kernel not in refused.spread:
                refused.spread.add(problem.kernel)
                continue
            problem = str(problem)
        if problem == BEYOND and not chosen.dividing:
            chosen, refused = replace(chosen, dividing=True), Refused(refused.plainer, refused.spread)
            continue
        for name in named(problem, found.on_device) or found.on_device:
            refused.plainer[name] = refused.plainer.get(name, 0) + 1
            if refused.plainer[name] > _PLAINEST:
                host[name] = problem.splitlines()[0]


class AutoGPU(DeviceScheduler):
    """The default schedule's loops, with places and tiles found by a model."""

    def __init__(
        self, outputs: list[Function], view: View, extra: Mapping[str, str], chosen: Options,
        host: Mapping[str, str], refused: Refused, search: Callable[[Grouping], None] = Grouping.run,
        portable: bool = True,
    ) -> None:
        super().__init__(outputs, view.layouts, (), host, portable)
        # The description knows loops by the same Functions.
        self.loops = view.loops
        self.view, self.options, self.refused, self.search = view, chosen, refused, search
        self.device = chosen_device(extra)
        self.choices: dict[tuple[str, int], Choice] = {}

    def _leave_small_ones(self) -> None:
        """A kernel of little work takes less time than a copy of what the host has computed."""
        before = set(self.host)
        super()._leave_small_ones()
        for f in self.order:
            if f.name in self.host and f.name not in before and all(x.is_wide for x in self.stages(f)):
                del self.host[f.name]

    def run(self) -> DeviceSchedule:
        """As the default schedule does; wrappers are nobody's Funcs."""
        found = super().run()
        wrapped = self.view.wrapped
        device = [n for n in found.on_device if n not in wrapped]
        return DeviceSchedule(found.schedule, device, {n: w for n, w in found.on_host.items() if n not in wrapped})

    def place_all(self) -> None:
        """Says of each Func where it is computed, and how blocks are tiled."""
        grouping = Grouping(
            self.view, self.device, self.options, lambda n: n not in self.host, self._can_inline, self._trivial,
            self.refused,
        )
        self.search(grouping)
        self.refused.placed = dict(grouping.placed)
        by_name = {f.name: f for f in self.order}
        inlined = grouping.inlined(grouping.placed)
        for name, kind in grouping.placed.items():
            if kind == INLINE:
                self.places[name] = Place("inline")
            elif kind in (BLOCK, THREAD):
                kernel = grouping.kernel_of(name, grouping.placed, inlined)
                user = next(iter(self.view.users(name, inlined)))
                consumer = by_name[user] if kind == THREAD else None
                self.places[name] = Place(kind, by_name[str(kernel)], consumer=consumer)
            else:
                self.places[name] = Place()
        for name, kind in grouping.placed.items():
            if kind == ROOT and name not in self.host and self.refused.plainer.get(name, 0) < _PLAINEST:
                self._choose(name, grouping)

        for name, source in self.view.wrapped.items():
            if self.places[name].kind != "inline":
                self.emitter.schedule.add(source, 0, "in_", result=name)

    def _choose(self, name: str, grouping: Grouping) -> None:
        for loops in self.stages(self.view.description.nodes[name].function):
            found = grouping.pricing.finer(grouping.group(name, grouping.placed, loops.stage))
            if found is None:
                continue
            self.choices[name, loops.stage] = found
            names = loops.wide[:MOST_TILED]
            self.emitter.chosen[name, loops.stage] = Tile(
                dict(zip(names, found.threads, strict=False)), dict(zip(names, found.each, strict=False))
            )
        if (name, 0) in self.choices:
            self._fill_boxes(name, grouping)

    def _fill_boxes(self, name: str, grouping: Grouping) -> None:
        """Tells members their boxes, in a block or in a thread."""
        group = grouping.group(name, grouping.placed)
        for member, box in grouping.pricing.boxes(group, self.choices[name, 0]).items():
            self.places[member].box = box

    def threads_in(self, f: Function, kernel: Function, box: tuple[int, ...]) -> tuple[bool, tuple[int, ...]]:
        found = self.choices[kernel.name, 0]
        return found.whole, found.threads[: len(self.loops[f.name][0].wide[:2])]

    def _emit(self, f: Function) -> None:
        if f.name not in self.view.wrapped or self.places[f.name].kind != "inline":
            super()._emit(f)

    def _emit_stage(self, loops: Loops) -> None:
        if _meets(loops):
            self.emitter.atomic(loops)
        else:
            super()._emit_stage(loops)

    def _trivial(self, name: str) -> bool:
        """Whether a Func costs next to nothing where it is used."""
        return is_inlined(self.view.description.nodes[name].function, self.uses[name], self.order)

    def _can_inline(self, name: str) -> bool:
        node = self.view.description.nodes[name]
        f = node.function
        return node.is_pure and f.extern is None and bool(f.args) and not node.is_output


def _meets(loops: Loops) -> bool:
    """Whether threads had better go over the reduction of a stage and meet in elements that data choose: points are
    few, each of which would go a long way (a histogram for each of some tiles), and sums of integers have no order."""
    f, d = loops.function, loops.definition
    if not loops.scatters or not loops.is_wide or loops.points is None or loops.steps is None:
        return False
    kind = d.values[0].type
    whole = len(d.values) == 1 and not kind.is_float() and kind.bits >= 32 and atomic_operand(f, d) is not None
    return whole and loops.points < _FEW_POINTS and loops.steps > loops.points
