"""What is done with a path after each transform: nothing, or checks and text.

`LIFT_CHECK_PATHS=1` verifies the path, and runs it beside the one before on small samples; `LIFT_DEBUG_PATHS=1` prints
it.  `lift --check-rewritings` proves the edits as well, those that can be (`verifier/rewritings`)."""

from __future__ import annotations

import operator
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from halide_core.ir.expr import BOOL, GE, I64, LE, Expr, const
from lifter.algebra.polynomial import Poly, from_poly
from lifter.ir.effect_edits import Edit
from lifter.ir.effect_interpreter import (
    EffectInterpreter,
    IllFormed,
    NotRun,
    Outcome,
    Undefined,
    difference,
    run_source,
)
from lifter.ir.effect_printer import path_text
from lifter.ir.effect_verifier import Level, verify
from lifter.ir.effects import Path, loads
from lifter.ir.loop_ir import Function
from lifter.ir.names import address_name, any_counter
from lifter.ir.sample_memory import any_scalar

Sample = Callable[[Function, Path, list[Expr], int], Sequence[Mapping[str, int]]]
"""Up to so many values of the integer parameters, and of `addr.` names, for which a path and more conditions hold."""
Prove = Callable[[Edit], bool]
"""Whether an edit is proved to be right."""
Find = Callable[[Path], Edit | None]
"""What a transform makes of a path; None where it has nothing to do."""
Told = Callable[[str, str], None]
"""Is told of a transform that has changed a path: its name, and which of the words below holds."""
PROVED, SAMPLED, NEITHER = "proved", "run on samples", "neither"
Watch = Callable[[str, Path, Path], None]
"""Is told of a transform that has changed a path: its name, the path before it, the path after it."""
_MOST_EDITS = 1000


class WrongTransform(Exception):
    """A transform has changed what a function does; the text says how."""


@dataclass(slots=True)
class Rewritings:
    """What transforms have made of the paths of a function, and how that was checked."""

    made: int = 0
    """Transforms that changed a path."""
    proved: int = 0
    """Of these, proved."""
    checked: int = 0
    """Run on samples beside what they were made of, and not proved."""
    unseen: int = 0
    """Neither: no sample was found, or none could be run."""
    asked: bool = False
    """Whether people asked for these counts."""

    def add(self, more: Rewritings) -> None:
        self.made += more.made
        self.proved += more.proved
        self.checked += more.checked
        self.unseen += more.unseen
        self.asked |= more.asked

    def words(self) -> str:
        """The counts for people, who asked for them; empty where nothing was rewritten."""
        if not self.asked or not self.made:
            return ""
        parts = [f"{self.proved} proved"] if self.proved or not self.checked else []
        parts += [f"{self.checked} run on samples"] if self.checked else []
        parts += [f"{self.unseen} neither"] if self.unseen else []
        return f"{self.made} rewriting{'s' if self.made != 1 else ''}: {', '.join(parts)}"


@dataclass(slots=True)
class PathLog:
    """Checks the paths of one function from transform to transform."""

    function: Function
    sample: Sample | None = None
    rewritings: Rewritings = field(default_factory=Rewritings)
    watch: Watch | None = None
    prove: Prove | None = None
    """Whether an edit is proved to be right; None where nobody asks, as it takes longer than the rewritings do."""
    told: Told | None = None
    samples: int = 2
    """On how many a path is run."""
    checks: bool = field(default_factory=lambda: os.environ.get("LIFT_CHECK_PATHS") == "1")
    prints: bool = field(default_factory=lambda: os.environ.get("LIFT_DEBUG_PATHS") == "1")
    _interpreter: EffectInterpreter | None = None

    def start(self, path: Path, level: Level) -> Path:
        """A path as symbolic execution has found it, which is held to the function itself."""
        return self._seen("execute", None, path, level)

    def after(self, name: str, before: Path, path: Path, level: Level, edits: Sequence[Edit] = ()) -> Path:
        """`path`, which the transform `name` has made of `before` by `edits`."""
        if path is before:
            return path
        self.rewritings.made += 1
        if self.watch is not None:
            self.watch(name, before, path)
        proved = self.prove is not None and bool(edits) and all(map(self.prove, edits))
        return self._seen(name, before, path, level, proved)

    def apply(self, name: str, path: Path, find: Find, level: Level, most: int = _MOST_EDITS) -> Path:
        """What the edits make of `path` that the transform `name` finds, one after the other."""
        before, edits = path, list[Edit]()
        while len(edits) < most and (edit := find(path)) is not None:
            edits.append(edit)
            path = edit.path
        return self.after(name, before, path, level, edits)

    def after_each(self, name: str, before: Path, edits: Sequence[Edit], level: Level) -> list[Path]:
        """As `after`, of a transform that makes several paths of one."""
        return [self.after(name, before, edit.path, level, [edit]) for edit in edits]

    def _seen(self, name: str, before: Path | None, path: Path, level: Level, proved: bool = False) -> Path:
        if self.prints:
            print(f"After {name}:\n{path_text(path)}", file=sys.stderr)
        if self.checks:
            verify(self.function, path, level)
            ran = self._run(name, before, path)
            if before is not None:
                self._note(name, PROVED if proved else SAMPLED if ran else NEITHER)
        return path

    def _note(self, name: str, verdict: str) -> None:
        self.rewritings.proved += verdict == PROVED
        self.rewritings.checked += verdict == SAMPLED
        self.rewritings.unseen += verdict == NEITHER
        if self.told is not None:
            self.told(name, verdict)

    def _run(self, name: str, before: Path | None, path: Path) -> bool:
        """Runs both from the same memory, if that can be done.  Raises WrongTransform where they leave something
        else, whether or not that has been proved: a proof may be wrong too."""
        if self.sample is None:
            return False
        ran = False
        for seed, drawn in enumerate(self._drawn(self.sample, before, path)):
            values = _with_others(self.function, drawn, seed)
            try:
                problem = self._problem(before, path, values, seed)
                if problem and not self._interpreted().obligations_hold(path, values):
                    continue
            except NotRun:
                continue
            if problem:
                raise WrongTransform(f"{name} changes what {self.function.name} does: {problem}, for {values}")
            ran = True
        return ran

    def _problem(self, before: Path | None, path: Path, values: Mapping[str, object], seed: int) -> str:
        """What a path does that is not what it was made of does; empty where it does the same.  Raises NotRun."""
        other = self._before(before, values, seed)
        try:
            outcome = self._outcome(path, values, seed)
        except (IllFormed, Undefined) as problem:
            return str(problem)
        return difference(self.function, other, outcome, seed) or ""

    def _drawn(self, sample: Sample, before: Path | None, path: Path) -> list[Mapping[str, int]]:
        """Values for both paths.  One more has the loops over parameters run twice that do not under any of them, as
        those over strips and blocks, and one has them run once or not at all.  None has them run less than no times, as
        every contract says."""
        counts = _counts(*((path,) if before is None else (before, path)))
        conditions: list[Expr] = [GE(BOOL, from_poly(t), const(0, I64)) for t in counts]
        if before is not None:
            conditions += [*before.conditions, *(a for a, _ in before.asserts)]
        found = list(sample(self.function, path, conditions, self.samples))
        for compare, bound, meets in ((GE, 2, operator.ge), (LE, 1, operator.le)):
            left = [t for t in counts if not any(meets(self._count(t, v, bound), bound) for v in found)]
            while found and left:
                asked = [compare(BOOL, from_poly(t), const(bound, I64)) for t in left]
                more = sample(self.function, path, [*conditions, *asked], 1)
                if more:
                    found += more
                    break
                left = left[1:]
        return found

    def _count(self, trip: Poly, values: Mapping[str, int], unknown: int) -> int:
        """How often a loop runs; `unknown` where it is not for these values to say."""
        try:
            return self._interpreted().number(trip, values)
        except NotRun:
            return unknown

    def _before(self, path: Path | None, values: Mapping[str, object], seed: int) -> Outcome:
        """What is wanted.  Raises NotRun where it has no meaning itself."""
        try:
            return run_source(self.function, values, seed) if path is None else self._outcome(path, values, seed)
        except Undefined as problem:
            raise NotRun(str(problem)) from problem

    def _outcome(self, path: Path, values: Mapping[str, object], seed: int) -> Outcome:
        return self._interpreted().run(path, values, seed)

    def _interpreted(self) -> EffectInterpreter:
        if self._interpreter is None:
            self._interpreter = EffectInterpreter(self.function)
        return self._interpreter


def _counts(*paths: Path) -> list[Poly]:
    """How often loops run that do so by the parameters alone."""
    trips = dict.fromkeys(info.trip for p in paths for info, _, _ in p.trips)
    return [
        t for t in trips
        if t.constant_value() is None and not any_counter(t.names())
        and not any(loads(a) for a in t.atoms().values())
    ]


def _with_others(function: Function, drawn: Mapping[str, int], seed: int) -> dict[str, object]:
    """`drawn` with values for the other scalar parameters, and an address for each array."""
    values: dict[str, object] = dict(drawn)
    for k, p in enumerate(function.params):
        if p.pointer:
            values.setdefault(address_name(p.name), (k + 2) << 20)
        else:
            values.setdefault(p.name, any_scalar(p.name, p.type, seed))
    return values
