"""What a schedule makes of a pipeline, Func by Func: where it is computed and kept, what of it is computed twice, and
how long that takes, as the costs have it and as it is measured."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from halide_core.autoschedule.analysis.costs import Costs
from halide_core.autoschedule.analysis.description import Description
from halide_core.autoschedule.analysis.footprints import points
from halide_core.autoschedule.directives import Schedule
from halide_core.autoschedule.report.measure import Bench
from halide_core.dsl.loop_nest_text import loop_nest_text
from halide_core.function import Function, LoopLevel, Split
from halide_core.interp.expr import evaluate
from halide_core.ir import stmt as st
from halide_core.ir.expr import Expr
from halide_core.passes.realization_order import build_environment
from halide_core.passes.regions import Context
from halide_core.passes.schedule_functions import schedule_functions
from halide_core.profile import FuncTime
from halide_core.target import Target

# Cycles of a second, in the costs' terms.
_CLOCK = 3e9
_RUNS = 5


@dataclass(slots=True)
class StageReport:
    """One Func under a schedule.

    `computed`, `stored`: the loop, "root" or "inlined"; `tile`: factors by dimension; `extents`: of one computation, in
    the middle of the loops around; `kept_bytes`: of its storage; `realizations`: how often it is computed; `points`: in
    all, those that a tail cuts off included; `region`: points that the outputs need of it.  `predicted_s` and
    `measured_s` are of all threads together."""

    func: str
    computed: str
    stored: str
    tile: dict[str, list[int]] = field(default_factory=dict)
    extents: tuple[int, ...] = ()
    kept_bytes: int = 0
    realizations: float = 0.0
    points: float = 0.0
    region: float = 0.0
    predicted_s: float = 0.0
    measured_s: float | None = None
    first_s: float = 0.0
    last_s: float = 0.0

    @property
    def recomputation(self) -> float:
        """Points computed for each one that is needed; 1: none twice.  0 for what is inlined."""
        return self.points / self.region if self.region else 0.0


@dataclass(slots=True)
class Report:
    """A pipeline under one schedule: its Funcs, consumers first; seconds of a run; the loops and the directives."""

    stages: list[StageReport]
    wall_s: float
    loop_nest: str
    python: str

    def text(self) -> str:
        """A table of the Funcs, and the loops."""
        head = ["func", "computed at", "stored at", "tile", "extents", "kept KB", "times", "recomputed", "predicted ms",
                "measured ms"]
        rows = [head]
        for s in self.stages:
            tile = " ".join(f"{d}:{'x'.join(map(str, f))}" for d, f in s.tile.items())
            inlined = s.computed == "inlined"
            rows.append([
                s.func, s.computed, "-" if inlined else s.stored, tile or "-",
                "x".join(map(str, s.extents)) or "-", "-" if inlined else f"{s.kept_bytes / 1024:.1f}",
                "-" if inlined else f"{s.realizations:.0f}", "-" if inlined else f"{s.recomputation:.2f}",
                "-" if inlined else f"{1e3 * s.predicted_s:.3f}",
                "-" if s.measured_s is None else f"{1e3 * s.measured_s:.3f}",
            ])
        widths = [max(len(r[k]) for r in rows) for k in range(len(head))]
        left = {0, 1, 2, 3}
        lines = [
            "  ".join(c.ljust(w) if k in left else c.rjust(w) for k, (c, w) in enumerate(zip(r, widths, strict=True)))
            for r in rows
        ]
        lines.insert(1, "  ".join("-" * w for w in widths))
        return "\n".join([*(x.rstrip() for x in lines), "", f"one run: {1e3 * self.wall_s:.3f} ms", "", self.loop_nest])


def report(outputs: list[Function], target: Target, schedule: Schedule) -> Report:
    """What `schedule` makes of the pipeline of `outputs`, which has none yet; it runs at the estimated sizes.

    Raises HalideError where estimates are missing, the Funcs have a schedule, or `schedule` is refused."""
    description = Description(outputs)
    costs = Costs(description, target)
    bench = Bench(outputs, target.with_feature("profile"))
    with bench.scheduled(schedule):
        context = Context()
        order = build_environment(outputs).order
        statement = schedule_functions(order, outputs, context)
        nest = loop_nest_text(statement, order, outputs)
        stages = {f.name: _stage(f, description) for f in reversed(order)}
        _Walk(stages, dict(description.values)).visit(statement)
        inlined = frozenset(n for n, s in stages.items() if s.computed == "inlined")
        for name, s in stages.items():
            node = description.nodes.get(name)
            if node is None:
                s.region = s.points
            elif name not in inlined:
                share = s.points / max(s.region, 1.0)
                s.predicted_s = share * sum(
                    float(description.iterations(stage, node.region)) * costs.cycles(stage, inlined) / _CLOCK
                    for stage in node.stages
                )
    wall = _measured(bench, schedule, stages)
    return Report(list(stages.values()), wall, nest, schedule.python())


def write_report(path: str, title: str, outputs: list[Function], target: Target, schedule: Schedule) -> None:
    """Writes the report to a file: a page where its name ends with .html, else text."""
    from halide_core.autoschedule.report.html import html

    found = report(outputs, target, schedule)
    Path(path).write_text(html(found, title) if path.endswith(".html") else f"{title}\n\n{found.text()}")


def _stage(f: Function, description: Description) -> StageReport:
    # Partial results are none of the pipeline's Funcs: all of them are needed.
    node = description.nodes.get(f.name)
    whole = node is not None and (node.is_output or (f.compute is None and not node.is_pure))
    computed = "root" if whole else _level(f.compute)
    out = StageReport(f.name, computed, "root" if whole else _level(f.store or f.compute))
    out.region = float(points(node.region)) if node is not None else 0.0
    for s in f.definitions()[0].schedule.splits:
        if isinstance(s, Split):
            dim = next((d for d in f.args if s.old == d or s.old.startswith((f"{d}_", f"{d}$"))), s.old)
            out.tile.setdefault(dim, []).append(s.factor)
    return out


def _level(level: LoopLevel | None) -> str:
    if level is None:
        return "inlined"
    return "root" if level.is_root else f"{level.func}.{level.var}"


class _Walk:
    """Goes through scheduled loops with the middle iteration of each, and counts."""

    def __init__(self, stages: dict[str, StageReport], values: dict[str, Any]) -> None:
        self.stages = stages
        self.values = values
        self.times = 1.0
        self.produced: list[tuple[str, float]] = []
        self.seen: set[str] = set()

    def number(self, e: Expr) -> int | None:
        """The value of `e`; None where it depends on data."""
        try:
            return int(evaluate(e, self.values).item())
        except KeyError:
            return None

    def visit(self, s: st.Stmt) -> None:
        match s:
            case st.LetStmt():
                value = self.number(s.value)
                if value is not None:
                    self.values[s.name] = value
                self.visit(s.body)
                return
            case st.For():
                low, extent = self.number(s.min), self.number(s.extent)
                before = self.times
                count = max(extent if extent is not None else 1, 0)
                self.values[s.name] = (low or 0) + count // 2
                self.times *= count
                self.visit(s.body)
                self.times = before
                return
            case st.Realize() if s.name in self.stages:
                kept = sum(t.bytes() for t in s.types)
                for _, size in s.bounds:
                    kept *= self.number(size) or 0
                self.stages[s.name].kept_bytes = kept
            case st.Produce() if s.name in self.stages:
                self.stages[s.name].realizations += self.times
                self.produced.append((s.name, self.times))
                self.visit(s.body)
                self.produced.pop()
                return
            case st.Provide() if s.name in self.stages and s.name not in self.seen:
                # The first definition's: updates come later.
                self.seen.add(s.name)
                found = self.stages[s.name]
                found.points = self.times
                found.extents = self._extents(s.name)
        for body in st.bodies(s):
            self.visit(body)

    def _extents(self, name: str) -> tuple[int, ...]:
        out: list[int] = []
        for d in range(8):
            extent = self.values.get(f"{name}.s0.extent.{d}", self.values.get(f"{name}.extent.{d}"))
            if extent is None:
                break
            out.append(int(extent))
        return tuple(out)


def _measured(bench: Bench, schedule: Schedule, stages: dict[str, StageReport]) -> float:
    """Fills in the measured times; returns the seconds of a run."""
    code = bench.compiled(schedule)
    given = bench.inputs[0]
    bench.run(code, given)
    best: list[FuncTime] = []
    wall = float("inf")
    for _ in range(_RUNS):
        for p in code.profiles:
            p.reset()
        bench.run(code, given)
        times = [t for p in code.profiles for t in p.times()]
        begun = [t for t in times if t.count]
        took = max(t.last for t in begun) - min(t.first for t in begun)
        if took < wall:
            wall, best = took, times
    start = min(t.first for t in best if t.count)
    for t in best:
        if t.func in stages:
            s = stages[t.func]
            s.measured_s, s.first_s, s.last_s = t.seconds, t.first - start, t.last - start
    return wall
