"""Plants faults, one at a time, lifts a sample of the corpus with each, and counts what is caught.

    python -m tests.planted.campaign [--count 150] [--seed N] [--jobs N] [--folder build/planted]

A fault is caught where a function is not verified with it that is without it: not lifted, or `disagreed`. It is without
effect where all that is written is the same byte by byte, or computes what the original does on every call of
`lifter.harness.compare`, by a lifter without the fault. The rest are missed. What is done is kept in the folder: a run
goes on where another one ended."""

from __future__ import annotations

import ast
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field
from pathlib import Path

import click

from codegen.original import compile_original
from lifter.harness.compare import compare
from tests.planted.by_hand import by_hand
from tests.planted.done import Done
from tests.planted.mutate import PLACES, ROOT, Fault, faults, files, sound
from tests.planted.sample import FUNCTIONS, lines_of_functions

EACH = 4
"""Functions lifted with one fault, of those that run through it."""
TIMEOUT = 20.0
LEAST = 0.0
"""Seconds that lifting counts at the least when the time of the second opinion is measured by it."""
CAUGHT, NO_EFFECT, MISSED = "caught", "without effect", "missed"


@dataclass(slots=True)
class Outcome:
    """What became of a fault."""

    fault: Fault
    verdict: str
    how: str
    functions: list[str] = field(default_factory=list)


def chosen(count: int, seed: int, lines: dict[str, dict[str, list[str]]]) -> Iterator[tuple[Fault, list[str]]]:
    """Faults at random, as many in each area, with the functions to lift; those written by hand come first."""
    rng = random.Random(seed)
    for number, f in enumerate(by_hand()):
        yield f, _functions(f, lines, random.Random(number))
    by_area: dict[str, list[str]] = {a: [] for a in PLACES}
    for area, file in files():
        if file in lines:
            by_area[area].append(file)
    made, seen = 0, set[Fault]()
    while made < count:
        area = list(PLACES)[made % len(PLACES)]
        # A file is as likely as it has lines that are run through.
        (file,) = rng.choices(by_area[area], [len(lines[f]) for f in by_area[area]])
        known = [f for f in _faults(area, file) if _functions(f, lines, rng)]
        if not known:
            continue
        # As likely each kind: constants and names are most of all.
        kind = rng.choice(sorted({f.kind for f in known}))
        fault = rng.choice([f for f in known if f.kind == kind])
        if fault in seen or not sound(fault):
            continue
        seen.add(fault)
        made += 1
        yield fault, _functions(fault, lines, rng)


_known: dict[str, list[Fault]] = {}


def _faults(area: str, file: str) -> list[Fault]:
    if file not in _known:
        _known[file] = faults(area, file)
    return _known[file]


def _functions(fault: Fault, lines: dict[str, dict[str, list[str]]], rng: random.Random) -> list[str]:
    """Some of the sample that run through the fault's line; any for what is run when the module is loaded."""
    own = lines.get(fault.file, {}).get(str(fault.line), [])
    if not own and fault.line in _outside_functions(fault.file):
        own = [f"{file}:{n}" for file, names in FUNCTIONS.items() for n in names]
    return sorted(rng.sample(own, min(EACH, len(own))))


_outside: dict[str, set[int]] = {}


def _outside_functions(file: str) -> set[int]:
    if file not in _outside:
        tree = ast.parse((ROOT / file).read_text())
        inside = {
            line for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.Lambda)
            for line in range(n.lineno, (n.end_lineno or n.lineno) + 1)
        }
        whole = {n.lineno for n in ast.walk(tree) if isinstance(n, ast.expr)}
        _outside[file] = whole - inside
    return _outside[file]


def lifted_with(fault: Fault | None, functions: list[str], folder: Path) -> dict[str, Done] | None:
    """What became of the functions; None where the process died or did not end."""
    work = {"fault": asdict(fault) if fault is not None else None, "functions": functions, "timeout": TIMEOUT}
    work["least"] = LEAST
    (folder / "work.json").write_text(json.dumps(work))
    environment = os.environ | {"PYTHONPATH": str(ROOT), "HL_NUM_THREADS": "2", "PYTHONHASHSEED": "0"}
    with (folder / "said.txt").open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.planted.child", str(folder)], cwd=ROOT, env=environment, stdout=said,
            stderr=said, start_new_session=True,
        )
        try:
            process.wait(60 + 2 * TIMEOUT * len(functions))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    try:
        done: dict[str, Done] = pickle.loads((folder / "done.pickle").read_bytes())
        return done
    except FileNotFoundError:
        return None


def lifted_without(functions: list[str], cache: Path) -> dict[str, Done]:
    """What becomes of the functions without a fault; kept in `cache`."""
    known: dict[str, Done] = pickle.loads(cache.read_bytes()) if cache.exists() else {}
    new = [f for f in functions if f not in known]
    if new:
        with tempfile.TemporaryDirectory(prefix="planted-") as folder:
            found = lifted_with(None, new, Path(folder))
            assert found is not None, (Path(folder) / "said.txt").read_text()
        known |= found
        cache.write_bytes(pickle.dumps(known))
    return known


def tried(fault: Fault, functions: list[str], without: dict[str, Done]) -> Outcome:
    """Plants a fault and says what became of it."""
    with tempfile.TemporaryDirectory(prefix="planted-") as a:
        with_fault = lifted_with(fault, functions, Path(a))
        if with_fault is None:
            said = (Path(a) / "said.txt").read_text(errors="replace").strip().splitlines()
            return Outcome(fault, CAUGHT, f"the process died: {said[-1][:100] if said else ''}", functions)
        verdicts = [_verdict(f, with_fault.get(f), without[f], Path(a)) for f in functions]
    for wanted in (MISSED, CAUGHT):
        for verdict, how in verdicts:
            if verdict == wanted:
                return Outcome(fault, verdict, how, functions)
    return Outcome(fault, NO_EFFECT, "; ".join(sorted({how for _, how in verdicts})), functions)


def _verdict(function: str, now: Done | None, before: Done, folder: Path) -> tuple[str, str]:
    file, _, name = function.partition(":")
    if before.status != "verified":
        return NO_EFFECT, f"{before.status} without the fault too"
    if now is None or now.status != "verified":
        return CAUGHT, "not found in the file" if now is None else now.status
    if now.digest == before.digest:
        return NO_EFFECT, "all that is written is the same"
    original = folder / f"{Path(file).stem}.so"
    if not original.exists():
        compile_original(ROOT / file, (), original)
    found = compare(pickle.loads(now.summary), original, Path(now.library))
    problems = [p for p in found.problems if not p.startswith("no arguments")]
    if problems:
        run = f"run on {now.calls} calls" if now.calls else f"not run: {now.reason}"
        return MISSED, f"{name}, {run}: {problems[0].strip().splitlines()[-1][:160]}"
    return NO_EFFECT, "what is written agrees with the original"


def report(outcomes: list[Outcome]) -> str:
    """The counts and the faults that were missed, as Markdown."""
    total = Counter(o.verdict for o in outcomes)
    heads = ("", "planted", "without effect", "caught", "by the run", "missed", "caught of those with effect")
    lines = [f"| {' | '.join(heads)} |", "|---|--:|--:|--:|--:|--:|--:|"]
    for area in [*PLACES, ""]:
        own = [o for o in outcomes if not area or o.fault.area == area]
        n = Counter(o.verdict for o in own)
        effect = n[CAUGHT] + n[MISSED]
        by_run = sum(o.how == "disagreed" for o in own)
        share = f"{100 * n[CAUGHT] / effect:.1f} %" if effect else "-"
        lines.append(
            f"| {area or 'all'} | {len(own)} | {n[NO_EFFECT]} | {n[CAUGHT]} | {by_run} | {n[MISSED]} | {share} |"
        )
    if total[MISSED]:
        lines += ["", "| missed | instead of | what differs |", "|---|---|---|"]
    for o in outcomes:
        if o.verdict == MISSED:
            f = o.fault
            cells = (f"{f.file}:{f.line}: `{f.new}` ({f.kind})", f"`{f.old}`", o.how)
            lines.append("| " + " | ".join(c.replace("|", "\\|").replace("\n", " ") for c in cells) + " |")
    return "\n".join(lines) + "\n"


@click.command()
@click.option("--count", default=150, show_default=True, help="Faults at random, besides those written by hand.")
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", default=1, show_default=True, help="Faults tried at a time.")
@click.option("--folder", default="build/planted", show_default=True, help="Where what is done is kept.")
@click.option("--markdown", default="", help="Also write the table to this file.")
def main(count: int, seed: int, jobs: int, folder: str, markdown: str) -> None:
    """Plants faults and prints what became of them; the exit status is 1 where fewer than 95 % are caught."""
    kept = Path(folder)
    lines = lines_of_functions(kept / "lines.json")
    log = kept / f"seed-{seed}.jsonl"
    done: dict[Fault, Outcome] = {}
    for text in log.read_text().splitlines() if log.exists() else ():
        found = json.loads(text)
        fault = Fault(**found.pop("fault"))
        done[fault] = Outcome(fault, **found)
    everything = list(chosen(count, seed, lines))
    outcomes = [done[f] for f, _ in everything if f in done]
    sample = [f"{file}:{n}" for file, names in FUNCTIONS.items() for n in names]
    without = lifted_without(sample, kept / "without.pickle")
    with ThreadPoolExecutor(jobs) as pool, log.open("a") as out:
        new = [(f, functions) for f, functions in everything if f not in done and functions]
        running = [pool.submit(tried, f, functions, without) for f, functions in new]
        for finished in as_completed(running):
            o = finished.result()
            outcomes.append(o)
            out.write(json.dumps(asdict(o)) + "\n")
            out.flush()
            where = f"{o.fault.file}:{o.fault.line} {o.fault.kind}"
            click.echo(f"{len(outcomes)}/{len(everything)} {where}: {o.verdict}: {o.how}")
    text = report(outcomes)
    click.echo(text)
    if markdown:
        Path(markdown).write_text(text)
    n = Counter(o.verdict for o in outcomes)
    sys.exit(0 if n[CAUGHT] >= 0.95 * (n[CAUGHT] + n[MISSED]) else 1)


if __name__ == "__main__":
    main()
