"""Wrong summaries of every verified function of the corpus: none is proved unless it computes the same after all.

    python -m tests.verifier.campaign [SUITE...] [--each 24] [--jobs N] [--seed N]

changes the found summary of each function in that many ways (bounds, offsets, constants, operators, widths, operands
exchanged).  What is proved all the same is compiled and compared with the original, bit for bit.  The exit status is 1
where one differs, or could not be called."""

from __future__ import annotations

import ctypes
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from codegen.flat_arguments import flat_symbol
from codegen.native import compile_summary
from codegen.original import compile_original
from corpus.manifest import ROOT, Entry
from halide_core.target import Target
from lifter.frontend import FunctionError, parse_file
from lifter.harness.draw_arguments import Drawer
from lifter.harness.side_by_side import bind, difference
from lifter.ir.summary import Summary
from synth.lift import lift_function
from tests.verifier.files import each_file
from tests.verifier.mutate import mutants
from verifier.decide import verify_path
from verifier.smt.solver import Refuted

SIZES = ((1, 1), (5, 3), (17, 9), (64, 33), (130, 21))
DRAWS = 3
SECONDS = 0.7


@dataclass(slots=True)
class Tally:
    """What became of the mutants of one file."""

    kinds: Counter[str] = field(default_factory=Counter)
    refuted: int = 0
    undecided: int = 0
    """Neither proved nor refuted in time."""
    equal: int = 0
    """Proved, and equal to the original in all calls."""
    uncalled: list[str] = field(default_factory=list)
    """Proved, and no arguments were found that meet the contract."""
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        """Counts another one in."""
        self.kinds += other.kinds
        self.refuted += other.refuted
        self.undecided += other.undecided
        self.equal += other.equal
        self.uncalled += other.uncalled
        self.wrong += other.wrong


def mutate_file(file: str, chosen: Sequence[Entry], each: int, seed: int) -> Tally:
    """Mutants of the chosen functions of one file of the corpus."""
    tally = Tally()
    parsed = {f.name: f for f in parse_file(str(ROOT / file)).functions if not isinstance(f, FunctionError)}
    with tempfile.TemporaryDirectory() as folder:
        library = compile_original(ROOT / file, (), Path(folder) / "original.so")
        for entry in chosen:
            lifted = lift_function(parsed[entry.name])
            if lifted.summary is None or lifted.status != "verified":
                continue
            summary = lifted.summary
            number = max(range(len(summary.paths)), key=lambda i: len(summary.paths[i].funcs))
            for text, wrong in mutants(summary.paths[number], each, seed):
                tally.kinds[text.split(":")[0]] += 1
                verdict = verify_path(summary.function, lifted.paths[number], wrong, SECONDS, stop_early=True)
                if not verdict.proved:
                    refuted = any(isinstance(d.answer, Refuted) for d in verdict.decisions)
                    tally.refuted += refuted
                    tally.undecided += not refuted
                    continue
                changed = replace(summary, paths=(*summary.paths[:number], wrong, *summary.paths[number + 1 :]))
                found, calls = compare(changed, ctypes.CDLL(str(library)), entry, number)
                if found is not None:
                    tally.wrong.append(f"{file}: {entry.name}: proved although wrong: {text}: {found}")
                elif calls:
                    tally.equal += 1
                else:
                    tally.uncalled.append(f"{file}: {entry.name}: proved and never called: {text}")
    return tally


def compiled(summary: Summary, original: Any) -> Any:
    """The summary's code, called with what `original`, the bound function of the source, takes."""
    function = summary.function
    # A function that takes objects is called through a packer.
    called = getattr(original, "func", original)
    types = called.argtypes[-len(function.params) :]
    kinds = [ctypes.c_void_p if p.pointer else t for p, t in zip(function.params, types, strict=True)]
    symbol = function.symbol if function.interface is None else flat_symbol(function)
    return compile_summary(summary, Target("host"), None).jit().function(symbol, called.restype, *kinds)


def compare(summary: Summary, library: ctypes.CDLL, entry: Entry, number: int) -> tuple[str | None, int]:
    """(How the summary's code differs from the original, calls that were compared), on arguments of path `number`."""
    function = summary.function
    drawer = Drawer(summary, entry.ranges)
    original = bind(library, function)
    changed = compiled(summary, original)
    calls = 0
    for width, height in SIZES:
        rng = random.Random(width)
        for seed in range(DRAWS):
            draw = drawer.scalars(width, height, 3, rng)
            if draw.path != number:
                draw = drawer.spoiled(draw, rng)  # a negative height, at times
            if draw.path != number:
                continue
            calls += 1
            found = difference(function, original, changed, drawer.arguments(draw, seed))
            if found is not None:
                return found, calls
    return None, calls


@click.command()
@click.argument("suites", nargs=-1, metavar="[SUITE]...")
@click.option("--each", default=24, show_default=True, help="Mutants of one function.")
@click.option("--jobs", default=2, show_default=True, help="Files at a time.")
@click.option("--seed", default=0, show_default=True)
def main(suites: tuple[str, ...], each: int, jobs: int, seed: int) -> None:
    """Mutants of the corpus."""
    console = Console()
    whole = Tally()
    for tally in each_file(console, suites, jobs, partial(mutate_file, each=each, seed=seed)):
        whole.add(tally)
        for text in (*tally.wrong, *tally.uncalled):
            console.print(text, markup=False)
    kinds = ", ".join(f"{k} {n}" for k, n in whole.kinds.most_common())
    console.print(f"{whole.kinds.total()} mutants ({kinds}): {whole.refuted} refuted, {whole.undecided} undecided,")
    console.print(f"  {whole.equal} equal after all, {len(whole.uncalled)} never called, {len(whole.wrong)} wrong")
    sys.exit(1 if whole.wrong or whole.uncalled else 0)


if __name__ == "__main__":
    main()
