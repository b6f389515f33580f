"""`make fuzz-adversarial`: every function written to break the tool; a line for each that differs, then the sums."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path

import click

from tests.adversarial.trial import Trial, label, names_of, sources, tried

_AT_ONCE = 12


def _try(source: Path, names: list[str], sets: int) -> dict[str, Trial]:
    with tempfile.TemporaryDirectory() as folder:
        return tried(source, Path(folder), names, sets)


@click.command()
@click.option("--sets", default=105, show_default=True, help="Sets of inputs for each emitted module.")
@click.option("--jobs", default=2, show_default=True, help="Processes.")
@click.option("--only", default="", help="Files with this in their names.")
@click.option("--json", "file", default="", help="Write every trial to a file.")
def main(sets: int, jobs: int, only: str, file: str) -> None:
    """Tries the adversarial functions."""
    work = []
    for source in (s for s in sources() if only in str(s)):
        names = names_of(source)
        work += [(source, names[k : k + _AT_ONCE]) for k in range(0, len(names), _AT_ONCE)]
    found: dict[str, Trial] = {}
    with ProcessPoolExecutor(jobs) as pool:
        for (source, _), done in zip(work, pool.map(_try, *zip(*work, strict=True), [sets] * len(work)), strict=True):
            for name, trial in done.items():
                found[label(source, name)] = trial
                for problem in trial.problems:
                    click.echo(f"{label(source, name)}: {problem}")
    counts = Counter(t.status for t in found.values())
    ran = [t for t in found.values() if t.status == "verified"]
    few = [n for n, t in found.items() if t.status == "verified" and t.calls < 100]
    if file:
        Path(file).write_text(json.dumps({n: asdict(t) for n, t in found.items()}, indent=1))
    click.echo(f"{len(found)} functions: " + ", ".join(f"{n} {s}" for s, n in counts.most_common()))
    click.echo(f"{sum(t.calls for t in ran)} calls of drop-ins, {sum(sum(t.sets.values()) for t in ran)} of modules")
    click.echo(f"run on fewer than 100 calls: {', '.join(few) or 'none'}")
    wrong = [n for n, t in found.items() if t.problems]
    click.echo(f"{len(wrong)} differ{': ' + ', '.join(wrong) if wrong else ''}")
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
