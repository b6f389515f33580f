"""Random C++ kernels, lifted and run beside g++'s on random arguments, aliased ones included.

    python -m tests.soundness --count 2000 --seed 1

prints each kernel whose verified replacement differs, and how many kernels ended with which status."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ProcessPoolExecutor, as_completed

import click
from rich.progress import Progress

from tests.soundness.compare import run
from tests.soundness.kernels import SHAPES, kernel

# Kernels in one file.
CHUNK = 10


@click.command(help=__doc__)
@click.option("--count", default=200, show_default=True, help="kernels")
@click.option("--seed", default=0, show_default=True, help="the first seed")
@click.option("--jobs", default=2, show_default=True, help="processes")
@click.option("--timeout", default=10.0, show_default=True, help="seconds for lifting one kernel")
@click.option("--style", default="", help="the name of one style of kernels (tests/soundness/kernels.py)")
def main(count: int, seed: int, jobs: int, timeout: float, style: str) -> None:
    if style not in ("", *(s.__name__ for s in SHAPES)):
        raise click.BadParameter(f"{style} is none of {', '.join(sorted({s.__name__ for s in SHAPES}))}")
    statuses: Counter[str] = Counter()
    calls, wrong = 0, 0
    with Progress() as progress, ProcessPoolExecutor(jobs) as pool:
        task = progress.add_task("kernels", total=count)
        chunks = [range(s, min(s + CHUNK, seed + count)) for s in range(seed, seed + count, CHUNK)]
        for done in as_completed([pool.submit(run, [kernel(s, style) for s in c], timeout) for c in chunks]):
            tally = done.result()
            statuses += tally.statuses
            calls += tally.calls
            wrong += len(tally.wrong)
            for text in tally.wrong:
                progress.console.print(text, markup=False, highlight=False)
            progress.advance(task, sum(tally.statuses.values()))
    ends = ", ".join(f"{n} {s}" for s, n in statuses.most_common())
    print(f"{count} kernels from seed {seed}: {ends}; {calls} calls compared, {wrong} kernels wrong")
    raise SystemExit(wrong > 0)


if __name__ == "__main__":
    main()
