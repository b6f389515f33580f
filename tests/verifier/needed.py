"""Each item of each contract of the corpus is needed: without it something is refuted.

    python -m tests.verifier.needed [SUITE...] [--jobs N] [--every N]

lifts each verified function and verifies its summary again with one item of the contract left out, in turn: a condition
must be refuted.  Two arrays that must not overlap are made to overlap: the summary's code must then differ from the
original.  The exit status is 1 where an item on sizes turns out not to be needed."""

from __future__ import annotations

import ctypes
import os
import random
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import click
from rich.console import Console

from codegen.original import compile_original
from corpus.manifest import ROOT, Entry
from lifter.frontend import FunctionError, parse_file
from lifter.harness.argument_extents import NoArguments
from lifter.harness.draw_arguments import Drawer
from lifter.harness.side_by_side import Arguments, bind, difference
from lifter.ir.summary import ContractItem, Summary
from synth.lift import Lifted, lift_function
from tests.verifier.campaign import compiled
from tests.verifier.files import each_file
from verifier.decide import verify_path
from verifier.smt.solver import Refuted

SECONDS = 2.0
_SIZES = ((37, 11), (8, 3), (130, 21))
_DIFFERS = 7
_LIMIT = 2.0


@dataclass(slots=True)
class Tally:
    """What became of the items of some functions, by (kind of item, outcome)."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    idle: list[str] = field(default_factory=list)
    """Items without which everything is proved."""
    open: list[str] = field(default_factory=list)
    """Items without which nothing is refuted, and not all proved."""

    def add(self, other: Tally) -> None:
        """Counts another one in."""
        self.counts += other.counts
        self.idle += other.idle
        self.open += other.open


def try_items(lifted: Lifted, where: str, library: Path | None, entry: Entry | None = None) -> Tally:
    """Leaves each item out that the lifter asks for; the source's own asserts are not its to drop.  `library`, the
    compiled original, is what overlapping arrays are tried on."""
    tally = Tally()
    assert lifted.summary is not None
    for number, path in enumerate(lifted.summary.paths):
        for item in path.contract:
            if not item.inferred:
                continue
            text = f"{where}: path {number}: {item.text}"
            if item.condition is None:
                if library is None or not path.funcs:
                    continue
                tally.counts[item.kind, _together(lifted.summary, number, item, library, entry)] += 1
                continue
            less = replace(path, contract=tuple(i for i in path.contract if i is not item))
            verdict = verify_path(lifted.summary.function, lifted.paths[number], less, SECONDS, stop_early=True)
            if verdict.proved:
                tally.counts[item.kind, "not needed"] += 1
                tally.idle.append(text)
            elif any(isinstance(d.answer, Refuted) for d in verdict.decisions):
                tally.counts[item.kind, "refuted"] += 1
            else:
                tally.counts[item.kind, "undecided"] += 1
                tally.open.append(text)
    return tally


def _together(summary: Summary, number: int, item: ContractItem, library: Path, entry: Entry | None) -> str:
    """What becomes of an item on arrays that overlap: it is refuted where the summary's code and the original differ,
    or the one does not come back."""
    if not all(any(p.name == a for p in summary.function.params if p.pointer) for a in item.arrays):
        return "not called"
    drawer = Drawer(summary, entry.ranges if entry is not None else None)
    original = bind(ctypes.CDLL(str(library)), summary.function)
    path = summary.paths[number]
    less = replace(path, contract=tuple(i for i in path.contract if i is not item))
    changed = compiled(replace(summary, paths=(*summary.paths[:number], less, *summary.paths[number + 1 :])), original)

    def end(args: Arguments, both: bool) -> int:
        """The exit status of a process that calls the original, or both."""
        child = os.fork()
        if child == 0:
            os.close(2)
            signal.setitimer(signal.ITIMER_REAL, _LIMIT)
            if not both:
                original(*args.values(summary.function))
                os._exit(0)
            os._exit(_DIFFERS if difference(summary.function, original, changed, args) is not None else 0)
        return os.waitpid(child, 0)[1]

    calls = 0
    for args in _overlapping(drawer, number, item):
        before = args.snapshot()
        alone = end(args, False)
        args.restore(before)
        calls += alone == 0
        if alone == 0 and end(args, True) != 0:
            return "refuted"
        args.restore(before)
    return "no difference seen" if calls else "not called"


def _overlapping(drawer: Drawer, number: int, item: ContractItem) -> Iterator[Arguments]:
    rng = random.Random(1)
    for width, height in _SIZES:
        draws = [d for d in (drawer.scalars(width, height, 3, rng) for _ in range(12)) if d.path == number][:2]
        for draw in draws:
            first, second = item.arrays
            for shift in (1, -1, 5, -5, width, -width, *(() if item.may_coincide else (0,))):
                try:
                    yield drawer.overlapping(draw, first, second, shift, 1)
                except NoArguments:
                    break


def try_file(file: str, chosen: Sequence[Entry]) -> Tally:
    """The items of the chosen functions of one file of the corpus."""
    tally = Tally()
    parsed = {f.name: f for f in parse_file(str(ROOT / file)).functions if not isinstance(f, FunctionError)}
    with tempfile.TemporaryDirectory() as folder:
        library = compile_original(ROOT / file, (), Path(folder) / "original.so")
        for entry in chosen:
            lifted = lift_function(parsed[entry.name])
            if lifted.summary is not None and lifted.status == "verified":
                tally.add(try_items(lifted, f"{file}: {entry.name}", library, entry))
    return tally


@click.command()
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@click.option("--jobs", default=2, show_default=True, help="Files at a time.")
@click.option("--every", default=1, show_default=True, help="Only one function in so many.")
def main(suites: tuple[str, ...], jobs: int, every: int) -> None:
    """Contracts of the corpus, item by item."""
    console = Console()
    whole = Tally()
    for tally in each_file(console, suites, jobs, try_file, every):
        whole.add(tally)
    for text in whole.idle:
        console.print(f"not needed: {text}", markup=False)
    for text in whole.open:
        console.print(f"undecided: {text}", markup=False)
    for (kind, outcome), n in sorted(whole.counts.items()):
        console.print(f"{kind}: {n} {outcome}")
    sys.exit(1 if whole.idle else 0)


if __name__ == "__main__":
    main()
