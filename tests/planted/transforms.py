"""Plants faults in the transforms of paths, one at a time, and says which of them the checks of paths stop.

    python -m tests.planted.transforms [--fault N]... [-f TEXT]... [--markdown FILE]

Each fault is tried on the functions of tests/golden/lifter and of tests/planted/transform_inputs.  It is stopped where
the checks (`lifter/transforms/path_log.py`) refuse what a transform makes; it breaks down where something else raises;
it is without effect where every path is as it is without the fault.  Otherwise paths are others: these are run on many
more samples, and the fault is missed where they do something else, and harmless where they do not."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tests.planted.hook import plant
from tests.planted.mutate import ROOT, Fault
from tests.planted.transform_faults import transform_faults

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from lifter.ir.loop_ir import Function

STOPPED, BROKEN, NO_EFFECT, HARMLESS, MISSED = "stopped", "broke down", "without effect", "harmless", "missed"
MANY = 12
"""Samples for what the checks have let pass."""
FOLDERS = ("tests/golden/lifter", "tests/planted/transform_inputs")


@dataclass(slots=True)
class Tried:
    """What became of one function under a fault."""

    problem: str = ""
    """What the checks say, or what was raised."""
    refused: bool = False
    """Whether the checks raised it."""
    differs: str = ""
    """What many samples say of what the checks have let pass."""
    paths: list[str] = field(default_factory=list)


def functions() -> dict[str, Function]:
    """The functions of the inputs, by file and name."""
    from lifter.frontend import Function, parse_file

    found: dict[str, Function] = {}
    for file in sorted(p for folder in FOLDERS for p in (ROOT / folder).rglob("*.cpp")):
        for f in parse_file(str(file), ["-msse4.1"]).functions:
            assert isinstance(f, Function), f
            found[f"{file.relative_to(ROOT).with_suffix('')}:{f.name}"] = f
    return found


def tried(fault: Fault | None, inputs: dict[str, Function], plain: dict[str, Tried]) -> dict[str, Tried]:
    """What becomes of the functions with a fault, in a process of its own; `plain`: without any."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(fault, inputs, plain, sender))
    child.start()
    sender.close()
    try:
        found: dict[str, Tried] = receiver.recv()
    except EOFError:
        found = {name: Tried("the process died") for name in inputs}
    child.join()
    return found


def _child(fault: Fault | None, inputs: dict[str, Function], plain: dict[str, Tried], sender: Connection) -> None:
    if fault is not None:
        plant(fault)
    sender.send({name: _of(name, f, plain) for name, f in inputs.items()})
    sender.close()


def _of(name: str, function: Function, plain: dict[str, Tried]) -> Tried:
    from lifter.ir.effect_printer import path_text
    from lifter.ir.effect_verifier import IllegalPath
    from lifter.support.deadline import TimedOut, until
    from lifter.symexec import execute
    from lifter.transforms.path_log import PathLog, WrongTransform
    from synth.sampling.samples import sample_environments
    from verifier.sign_queries import decided, follows

    def run(samples: int) -> list[str]:
        log = PathLog(function, sample_environments, checks=True, samples=samples)
        return [path_text(p) for p in execute(function, decided, follows, log=log)]

    try:
        with until(time.perf_counter() + 60):
            paths = run(2)
    except (WrongTransform, IllegalPath) as problem:
        return Tried(str(problem), True)
    except TimedOut:
        return Tried("no end in 60 s")
    except Exception as problem:  # the fault raises what it may
        return Tried(f"{type(problem).__name__}: {problem}")
    differs = ""
    if plain and paths != plain[name].paths:
        try:
            run(MANY)
        except (WrongTransform, IllegalPath) as problem:
            differs = str(problem)
    return Tried(paths=paths, differs=differs)


def verdict(found: dict[str, Tried], plain: dict[str, Tried]) -> tuple[str, str]:
    """The verdict on a fault, and the function that shows it with what is said of it."""
    changed = {n: t for n, t in found.items() if (t.problem, t.paths) != (plain[n].problem, plain[n].paths)}
    for is_so, text in (
        (lambda t: t.refused, STOPPED), (lambda t: t.problem, BROKEN), (lambda t: t.differs, MISSED),
    ):
        shown = next((n for n, t in changed.items() if is_so(t)), None)
        if shown is not None:
            return text, f"{shown}: {changed[shown].problem or changed[shown].differs}"
    return (HARMLESS, next(iter(changed))) if changed else (NO_EFFECT, "")


def report(outcomes: list[tuple[Fault, str, str]]) -> str:
    """The counts by kind, and the faults that are not stopped, as Markdown."""
    columns = (STOPPED, BROKEN, MISSED, HARMLESS, NO_EFFECT)
    lines = [
        "# Faults planted in the transforms of paths", "",
        "`make plant-transform-faults`: each fault alone, on the functions of `tests/golden/lifter` and",
        "`tests/planted/transform_inputs`. Stopped: the checks of paths refuse what a transform makes. Harmless: paths",
        f"are others, and do the same on {MANY} samples and more. Without effect: paths are the same.", "",
    ]
    lines += [
        f"| | planted | {' | '.join(columns)} |",
        "|---|--:" + "|--:" * len(columns) + "|",
    ]
    for kind in (*dict.fromkeys(f.kind for f, _, _ in outcomes), ""):
        own = [v for f, v, _ in outcomes if not kind or f.kind == kind]
        count = Counter(own)
        lines.append(f"| {kind or 'all'} | {len(own)} | {' | '.join(str(count[c]) for c in columns)} |")
    lines += ["", "| not stopped | instead of | verdict |", "|---|---|---|"]
    for f, found, how in outcomes:
        if found != STOPPED:
            new, old = (f"`{' '.join(text.split())}`" for text in (f.new, f.old))
            cells = (f"{f.file}:{f.line}: {new}", old, f"{found} {how[:120]}")
            lines.append("| " + " | ".join(c.replace("|", "\\|").replace("\n", " ") for c in cells) + " |")
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--fault", "numbers", multiple=True, type=int, help="The one at this place only (repeatable).")
@click.option("-f", "--function", "parts", multiple=True, help="Only functions with this in file:name (repeatable).")
@click.option("--markdown", default="", help="Also write the table to this file.")
def main(numbers: tuple[int, ...], parts: tuple[str, ...], markdown: str) -> None:
    """Plants the faults and prints what became of each; the exit status is 1 where one is missed."""
    inputs = {n: f for n, f in functions().items() if not parts or any(p in n for p in parts)}
    plain = tried(None, inputs, {})
    broken = {n: t.problem for n, t in plain.items() if t.problem}
    assert not broken, broken
    outcomes = []
    every = transform_faults()
    for fault in [every[n] for n in numbers] if numbers else every:
        found, how = verdict(tried(fault, inputs, plain), plain)
        outcomes.append((fault, found, how))
        click.echo(f"{fault.file}:{fault.line} {fault.kind}: {found}: {how[:200]}")
    text = report(outcomes)
    click.echo(text)
    if markdown:
        Path(markdown).write_text(text)
    sys.exit(1 if any(found == MISSED for _, found, _ in outcomes) else 0)


if __name__ == "__main__":
    main()
