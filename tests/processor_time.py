"""Processor time of each test, of its child processes too: PROCESSOR_TIME=FOLDER make test.

Each worker writes FOLDER/<worker>.txt, a line for each test as it ends: seconds, when it began, and its id.  `python -m
tests.processor_time FOLDER` adds them up by module, and tells how long a worker was alone at the end."""

from __future__ import annotations

import os
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from multiprocessing import forkserver
from pathlib import Path

import pytest

FOLDER = os.environ.get("PROCESSOR_TIME")
_TICK = os.sysconf("SC_CLK_TCK")


def used() -> float:
    """Seconds of this process, of those that it has waited for, and of the server that forks others for it."""
    own, ended = (resource.getrusage(w) for w in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    server = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    forked = 0
    if server is not None:
        fields = Path(f"/proc/{server}/stat").read_text().rpartition(")")[2].split()
        forked = sum(map(int, fields[11:15]))
    return own.ru_utime + own.ru_stime + ended.ru_utime + ended.ru_stime + forked / _TICK


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    worker = os.environ.get("PYTEST_XDIST_WORKER", "one")
    before, start = used(), time.time()
    try:
        return (yield)
    finally:
        folder = Path(FOLDER or ".")
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{worker}.txt").open("a") as out:
            out.write(f"{used() - before:.3f} {start:.1f} {time.time():.1f} {item.nodeid}\n")


def main(folder: Path) -> None:
    """Prints the sums."""
    by_module: dict[str, list[float]] = defaultdict(list)
    ends = {}
    for path in sorted(folder.glob("*.txt")):
        rows = [line.split(" ", 3) for line in path.read_text().splitlines()]
        ends[path.stem] = max(float(r[2]) for r in rows)
        print(f"{path.stem}: {sum(float(r[0]) for r in rows):.0f} s, {len(rows)} tests")
        for seconds, _, _, test in rows:
            by_module[test.partition("::")[0]].append(float(seconds))
    for module, times in sorted(by_module.items(), key=lambda item: -sum(item[1])):
        print(f"{sum(times):8.1f} {len(times):6} {module}")
    print(f"{sum(map(sum, by_module.values())):8.1f} in all; one worker was alone for "
          f"{max(ends.values()) - min(ends.values()):.0f} s")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
