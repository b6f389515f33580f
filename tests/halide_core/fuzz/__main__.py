"""Random pipelines under random schedules against the reference interpreter, on memory that ends at unmapped pages.

    python -m tests.halide_core.fuzz --count 5000 --seed 1

compiles three schedules of each pipeline, with `--autoscheduled` one by each autoscheduler. Each difference, fault, and
refusal of what the package `halide` accepts (or of what an autoscheduler made) is printed as a `Case` with as few
directives as still show it; `--only SEED` runs one again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import click
from rich.progress import Progress, TaskID

from tests.halide_core.fuzz import autoscheduled
from tests.halide_core.fuzz.case import Case, outcome, reference
from tests.halide_core.fuzz.random_pipeline import Definitions
from tests.halide_core.fuzz.random_reductions import Reductions
from tests.halide_core.fuzz.random_schedule import Schedule
from tests.halide_core.fuzz.shrink import smaller, verdict

SCHEDULES = 3
# Seeds that one child process runs, so that what a fault loses is small.
CHUNK = 20
LIMIT = 180  # seconds for one case; the interpreter takes 60 for some
TARGETS = ["", "", "", "x86-64-linux", "x86-64-linux-sse41", "x86-64-linux-sse41-avx-avx2-f16c-fma"]


def cases(seed: int, guarded: bool = False) -> Iterator[Case]:
    """One random pipeline under several random schedules, which write outside no result where all are `guarded`."""
    rng = random.Random(seed)
    source = (rng.randint(1, 24), rng.randint(1, 20), rng.choice(["uint8", "int16", "uint16", "int32"]))
    sizes = (rng.randint(1, 40), rng.randint(1, 17))
    p = Definitions(rng)
    for _ in range(SCHEDULES):
        end = rng.choice(["end", "start"] if guarded else ["", "end", "start"])
        directives = Schedule(rng, p, bool(end), sizes[0]).lines
        edge = rng.choice(["end", "start"])
        yield Case(tuple(p.lines), tuple(directives), source, sizes, edge, end, rng.choice(TARGETS), seed)


def autoscheduled_cases(seed: int) -> Iterator[Case]:
    """One random pipeline under a schedule by each autoscheduler, at other sizes than it was made for."""
    rng = random.Random(seed)
    source = (rng.randint(1, 24), rng.randint(1, 20), rng.choice(["uint8", "int16", "uint16", "int32"]))
    if rng.random() < 0.5:
        definitions = tuple(Definitions(rng).lines)
    else:
        definitions = tuple(Reductions(rng, rng.choice([3, 20, 64, 130]), rng.choice([2, 9, 40, 70])).lines)
    for method in autoscheduled.METHODS:
        sizes = (rng.randint(1, 90), rng.randint(1, 40))
        target = rng.choice(TARGETS)
        lines = autoscheduled.directives(rng, method, source[:2], target)
        ends = rng.choice(["end", "start"]), rng.choice(["", "end", "start"])
        yield Case(definitions, tuple(lines), source, sizes, *ends, target, seed)


@dataclass(slots=True)
class _Tally:
    verbose: bool
    autoscheduled: bool
    failures: list[str] = field(default_factory=list)
    refusals: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, text: str) -> None:
        with self.lock:
            self.failures.append(text)
            print(text, flush=True)

    def refused(self, reason: str) -> None:
        with self.lock:
            self.refusals += 1
            if self.verbose:
                print(f"# refused by both: {reason}", flush=True)


def _chunk(seeds: range, tally: _Tally, progress: Progress, task: TaskID) -> None:
    """Runs the seeds in child processes; a fault ends one, and the next goes on behind it."""
    start = seeds.start
    while start < seeds.stop:
        with tempfile.TemporaryFile("w+") as errors:
            command = [sys.executable, "-m", "tests.halide_core.fuzz", "--child", str(start), str(seeds.stop)]
            command += ["--autoscheduled"] * tally.autoscheduled
            child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
            assert child.stdout is not None
            last: dict[str, str] = {"case": ""}
            for line in child.stdout:
                said = json.loads(line)
                if "case" in said:
                    last = said
                elif "wrong" in said:
                    tally.add(_report(last["case"], said["wrong"]))
                elif "refused" in said:
                    tally.refused(said["refused"])
                elif "done" in said:
                    progress.advance(task, SCHEDULES)
                    start = said["done"] + 1
            if child.wait():
                errors.seek(0)
                said_last = (errors.read().strip().splitlines() or [""])[-1]
                tally.add(_report(last["case"], f"the process ended with status {child.returncode}: {said_last}"))
                start += 1


def _report(text: str, wrong: str) -> str:
    if not text:
        return f"# {wrong}, before any case was made"
    case: Case = eval(text)
    if verdict(case):
        case = smaller(case)
        return f"# {verdict(case)}\n{case.text()}"
    return f"# {wrong}; not so when it is run again\n{text}"


def _child(first: int, stop: int, made: Callable[[int], Iterator[Case]]) -> None:
    # The package prints warnings on stdout.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(**said: object) -> None:
        print(json.dumps(said), file=answers, flush=True)

    for seed in range(first, stop):
        wanted: dict[tuple[int, int], Any] = {}
        for case in made(seed):
            signal.alarm(LIMIT)
            say(case=case.text())
            if case.sizes not in wanted:
                wanted[case.sizes] = reference(case)
            kind, what = outcome(case, wanted[case.sizes])
            say(**{kind: what})
        say(done=seed)


@click.command(help=__doc__)
@click.option("--count", default=500, show_default=True, help="pairs of a pipeline and a schedule")
@click.option("--seed", default=0, show_default=True, help="the first seed; each pipeline takes one")
@click.option("--jobs", default=2, show_default=True, help="processes")
@click.option("--autoscheduled", "chosen", is_flag=True, help="schedules by the autoschedulers, not random ones")
@click.option("--only", type=int, help="run this seed in this process and print its cases")
@click.option("--verbose", is_flag=True, help="say too what both modules refuse")
@click.option("--child", type=int, nargs=2, hidden=True)
def main(
    count: int, seed: int, jobs: int, chosen: bool, only: int | None, verbose: bool, child: tuple[int, int] | None
) -> None:
    made = autoscheduled_cases if chosen else cases
    if child is not None:
        _child(*child, made)
        return
    if only is not None:
        for case in made(only):
            wrong = verdict(case)
            print(f"# {wrong}\n{smaller(case).text()}" if wrong else "equal", flush=True)
        return
    stop = seed + -(-count // SCHEDULES)
    tally = _Tally(verbose, chosen)
    with Progress() as progress, ThreadPoolExecutor(jobs) as pool:
        task = progress.add_task("pairs", total=(stop - seed) * SCHEDULES)
        chunks = [range(s, min(s + CHUNK, stop)) for s in range(seed, stop, CHUNK)]
        for done in [pool.submit(_chunk, c, tally, progress, task) for c in chunks]:
            done.result()
    print(
        f"{(stop - seed) * SCHEDULES} pairs from seed {seed}: {len(tally.failures)} wrong, "
        f"{tally.refusals} refused by both modules"
    )
    raise SystemExit(bool(tally.failures))


if __name__ == "__main__":
    main()
