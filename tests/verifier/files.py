"""Campaigns over the verified functions of the corpus, a file at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

from rich.console import Console
from rich.progress import Progress

from corpus.manifest import SUITES, Entry, entries

T = TypeVar("T")


def each_file(
    console: Console, suites: Sequence[str], jobs: int, work: Callable[[str, Sequence[Entry]], T], every: int = 1
) -> Iterator[T]:
    """What `work` makes of each file's functions that are to be verified (one in `every`), in processes of their own,
    as they are ready."""
    by_file: dict[str, list[Entry]] = {}
    for e in [e for e in entries(suites or SUITES) if e.status == "verified"][::every]:
        by_file.setdefault(e.file, []).append(e)
    with ProcessPoolExecutor(jobs) as pool, Progress(console=console) as progress:
        task = progress.add_task("files", total=len(by_file))
        for done in as_completed([pool.submit(work, file, chosen) for file, chosen in by_file.items()]):
            yield done.result()
            progress.advance(task)
