"""One pipeline of a seed compiled by both modules and timed in turn, under schedules that both accept or by
autoschedulers."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

from corpus.bench.timed_process import NotTimed
from corpus.unseen.pipeline import Array, Pipeline, random_pipeline
from corpus.unseen.process import Contender, ContenderProcess, Ready
from corpus.unseen.schedule import random_schedule
from corpus.unseen.script import agree, by_autoschedulers
from lifter.harness.timing import interleave, threads

OURS, THEIRS = "halide_core", "halide"
OWN, PEERS = "Reuse2019", ("Mullapudi2016", "Adams2019")
# Schedules drawn for a pipeline before it is given up.
_DRAWS = 6


@dataclass(slots=True)
class Finding:
    """What one module does and the other does not: a refusal, a crash, a time limit, or other results."""

    seed: int
    who: str
    what: str
    directives: list[str]


@dataclass(slots=True)
class Result:
    """One pair: milliseconds of a run and seconds of compiling, by contender; `differs`: how results do.

    `ratio`: their time over ours, that of the better where they are several; `compile_ratio`: ours over theirs."""

    seed: int
    stages: int
    size: tuple[int, int]
    directives: list[str]
    ms: dict[str, float] = field(default_factory=dict)
    compile_s: dict[str, float] = field(default_factory=dict)
    schedule_s: dict[str, float] = field(default_factory=dict)
    ratio: float | None = None
    compile_ratio: float | None = None
    differs: str = ""
    draws: int = 1
    seconds: float = 0.0


def measure(seed: int, seconds: float, limit: float, strict: bool) -> tuple[Result | None, list[Finding]]:
    """Times the pipeline of a seed under the first of its schedules that both modules accept."""
    start = time.perf_counter()
    p = random_pipeline(seed)
    findings: list[Finding] = []
    for draw in range(_DRAWS):
        directives = random_schedule(p, draw)
        target = "host-strict_float" if strict else "host"
        how = [Contender(m, m, target, tuple(directives)) for m in (OURS, THEIRS)]
        result = Result(seed, len(p.stages), p.output.size, directives, draws=draw + 1)
        errors = _compare(p, how, seconds, limit, result)
        result.seconds = time.perf_counter() - start
        if not errors:
            if result.differs:
                findings.append(Finding(seed, "both", f"results differ: {result.differs}", directives))
            return result, findings
        refused = [e for e in errors if e.kind == "refused"]
        if len(refused) < 2:
            findings += [Finding(seed, e.process.name, f"{e.kind}: {e}", directives) for e in errors]
        if len(refused) < len(errors):
            # A crash or a time limit costs the pair.
            return None, findings
    findings.append(Finding(seed, "both", f"no schedule of {_DRAWS} is accepted by both", []))
    return None, findings


def measure_autoscheduled(seed: int, seconds: float, limit: float, strict: bool) -> tuple[Result | None, list[Finding]]:
    """Times the pipeline of a seed under Reuse2019 and under the autoschedulers of the package `halide`."""
    start = time.perf_counter()
    p = random_pipeline(seed)
    target, parallelism = "host-strict_float" if strict else "host", (("parallelism", str(threads())),)
    how = [Contender(OWN, OURS, target, autoscheduler=OWN)]
    how += [Contender(n, THEIRS, target, autoscheduler=n, options=parallelism) for n in PEERS]
    result = Result(seed, len(p.stages), p.output.size, [])
    errors = _compare(p, how, seconds, limit, result)
    result.seconds = time.perf_counter() - start
    better = min(PEERS, key=lambda n: result.ms.get(n, math.inf))
    result.directives = by_autoschedulers(p, OWN, better, threads())
    findings = [Finding(seed, e.process.name, f"{e.kind}: {e}", result.directives) for e in errors]
    if result.differs:
        findings.append(Finding(seed, "both", f"results differ: {result.differs}", result.directives))
    return (result if result.ratio is not None else None), findings


def _compare(
    p: Pipeline, how: list[Contender], seconds: float, limit: float, result: Result
) -> list[NotTimed]:
    """Compiles by each in turn, for that is timed; then times all that can run."""
    errors: list[NotTimed] = []
    started: list[ContenderProcess] = []
    ready: list[ContenderProcess] = []
    reference: Array | None = None
    several = len(how) > 2
    try:
        for h in how:
            started.append(ContenderProcess(h, p))
            try:
                found = started[-1].ready(limit)
            except NotTimed as problem:
                errors.append(problem)
                started[-1].close()
                continue
            _keep(result, h.name, found)
            ready.append(started[-1])
            if reference is None:
                reference = found.result
            elif (differs := agree(p, reference, found.result)) and not result.differs:
                result.differs = f"{h.name}: {differs}" if several else differs
        if ready and (several or not errors):
            _time(ready, seconds, result)
    except NotTimed as problem:
        errors.append(problem)
    finally:
        for process in started:
            process.close()
    if not several and not errors:
        result.compile_ratio = result.compile_s[OURS] / result.compile_s[THEIRS]
    return errors


def _keep(result: Result, name: str, found: Ready) -> None:
    result.compile_s[name], result.schedule_s[name] = found.compile_s, found.schedule_s


def _time(ready: list[ContenderProcess], seconds: float, result: Result) -> None:
    timing = interleave([r.run for r in ready], lambda: None, seconds)
    result.ms = {r.name: 1e3 * s for r, s in zip(ready, timing.seconds, strict=True)}
    if ready[0].name in (OURS, OWN) and len(ready) > 1:
        # Medians of each round's ratio: what else runs on the machine hits both.
        result.ratio = min(timing.ratios[1:])
