"""Which rewritings of the corpus's paths are proved, and which are run on samples only.

    python -m corpus.bench.rewritings [SUITE...] [--jobs N] [--markdown docs/figures/rewritings.md]

Each function is executed, its paths rewritten as before a search, and then by each strategy of the search that rewrites
paths, whether a search would come to it or not."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import click

from corpus.manifest import ROOT, SUITES, entries
from lifter.frontend import parse_file
from lifter.ir.effect_edits import Edit
from lifter.ir.loop_ir import Function, Unsupported
from lifter.transforms.path_log import NEITHER, PROVED, SAMPLED, PathLog
from synth.lift import rewritten
from synth.options import Options
from verifier.rewritings import NotProved, prove_rewriting

_DEEP = 20_000


@dataclass(slots=True)
class Made:
    """One rewriting of one function."""

    transform: str
    function: str
    verdict: str
    reason: str
    """Why it is not proved."""
    seconds: float
    """That the proof took, or that it was tried for."""


@dataclass(slots=True)
class _Recorder:
    """Proves edits, and keeps what becomes of them."""

    function: str
    made: list[Made] = field(default_factory=list)
    reason: str = ""
    seconds: float = 0.0

    def prove(self, edit: Edit) -> bool:
        start = time.perf_counter()
        try:
            prove_rewriting(edit)
        except NotProved as problem:
            self.reason = str(problem)
            return False
        finally:
            self.seconds += time.perf_counter() - start
        return True

    def told(self, transform: str, verdict: str) -> None:
        self.made.append(Made(transform, self.function, verdict, self.reason, self.seconds))
        self.reason, self.seconds = "", 0.0

    def on(self, log: PathLog) -> PathLog:
        log.prove, log.told = self.prove, self.told
        return log


def of_file(file: str, names: Sequence[str]) -> list[Made]:
    """The rewritings of a file's functions."""
    sys.setrecursionlimit(_DEEP)
    made: list[Made] = []
    for f in parse_file(str(ROOT / file)).functions:
        if isinstance(f, Function) and f.name in names:
            recorder = _Recorder(f.name)
            try:
                rewritten(f, Options(check_rewritings=True), recorder.on)
            except Unsupported:
                continue
            finally:
                made += recorder.made
    return made


def text(made: Sequence[Made]) -> str:
    """The table, and what is not proved, as Markdown."""
    columns = (PROVED, SAMPLED, NEITHER)
    lines = [f"| transform | made | {' | '.join(columns)} | proof, s |", "|---|" + "--:|" * (len(columns) + 2)]
    for name in (*sorted({m.transform for m in made}), ""):
        own = [m for m in made if not name or m.transform == name]
        count = Counter(m.verdict for m in own)
        seconds = sum(m.seconds for m in own) / max(len(own), 1)
        cells = " | ".join(str(count[c]) for c in columns)
        lines.append(f"| {name or 'all'} | {len(own)} | {cells} | {seconds:.2f} |")
    lines += ["", "| not proved | function | what is not known |", "|---|---|---|"]
    left = (m for m in made if m.verdict != PROVED)
    lines += [f"| {m.transform} | {m.function} | {m.reason.replace('|', chr(92) + '|')} |" for m in left]
    return "\n".join(lines) + "\n"


@click.command()
@click.argument("suites", nargs=-1, type=click.Choice(SUITES))
@click.option("--jobs", default=2, show_default=True)
@click.option("--markdown", default="", help="Also write the table to this file.")
def main(suites: tuple[str, ...], jobs: int, markdown: str) -> None:
    """Prints the table of the corpus, or of suites of it; the exit status is 1 where a rewriting is neither."""
    files: dict[str, list[str]] = {}
    for e in entries(suites or SUITES):
        files.setdefault(e.file, []).append(e.name)
    with ProcessPoolExecutor(jobs) as pool:
        found = pool.map(of_file, files, files.values())
        made = [m for own in found for m in own]
    out = text(made)
    click.echo(out)
    if markdown:
        head = (
            "# Rewritings of the corpus's paths\n\nWritten by `make rewritings`: what the transforms of "
            "`lifter/transforms` make of the paths of the corpus, and what the\nstrategies of the search make of them, "
            "whether a search comes to that or not. Proved by `verifier/rewritings`,\nor else run on samples beside "
            "what it was made of.\n\n"
        )
        Path(markdown).write_text(head + out)
    sys.exit(1 if any(m.verdict == NEITHER for m in made) else 0)


if __name__ == "__main__":
    main()
