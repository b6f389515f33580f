"""A batch whose files are read and lifted by a cluster, and run and written here."""

from __future__ import annotations

import pickle
from collections import deque
from collections.abc import Callable, Iterator, Sequence

from lifter.commands.batch.cluster import Cluster, unpacked
from lifter.commands.batch.plan import Job
from lifter.commands.batch.pool import Pool, prepare
from lifter.commands.batch.remote import finish
from lifter.commands.file_task import FileTask, Request, lift
from lifter.running.results import FileReport

_AHEAD = 4
"""Files that wait for each worker."""


class ClusterPool(Pool):
    """Files go through three processes: one here that preprocesses them, one of a worker, one here that runs what is
    proved and writes.  What a cluster cannot do is done here."""

    def __init__(
        self, jobs: Sequence[Job], request: Callable[[Job], Request], width: int, force: bool, cluster: Cluster
    ) -> None:
        super().__init__(jobs, request, width, force)
        self._cluster = cluster
        self._away: dict[int, tuple[Job, str]] = {}
        """The files at the cluster, with their digests."""
        self._back: deque[tuple[Job, str, bytes | None]] = deque()
        """Those that are back, with their digests, and their results where all went well."""
        self._preparing: set[FileTask] = set()
        self._digests: dict[FileTask, str] = {}
        self._number = 0

    @property
    def running(self) -> list[Job]:
        """What is being lifted."""
        return [*super().running, *(job for job, _ in self._away.values())]

    def run(self, tick: Callable[[], None]) -> Iterator[tuple[Job, FileReport]]:
        """Each file's report once it is done."""
        with self._signals():
            while (self._unknown or self._waiting or self._running or self._away or self._back) and not self.signal:
                yield from self._unchanged()
                self._begin()
                self._wait()
                for number, result in self._cluster.done():
                    self._back.append((*self._away.pop(number), _usable(result)))
                tick()
                for task in [t for t in self._running if t.ended]:
                    found = self._ended(task)
                    if found is not None:
                        yield found
            for task in list(self._running):
                task.interrupt()
                yield self._done(task)
            for job in [*(job for job, _ in self._away.values()), *(job for job, *_ in self._back)]:
                yield job, FileReport(job.path, status="interrupted", reason="interrupted while a worker lifted it")

    def _begin(self) -> None:
        while self._back and len(self._running) < self._width:
            job, digest, result = self._back.popleft()
            task = self._start(job, lift if result is None else finish(result))
            self._digests[task] = digest
        room = self._cluster.workers * _AHEAD - len(self._away) - len(self._preparing)
        while self._waiting and len(self._running) < self._width and room > 0:
            self._preparing.add(self._start(self._waiting.popleft(), prepare(self._force)))
            room -= 1

    def _ended(self, task: FileTask) -> tuple[Job, FileReport] | None:
        if task not in self._preparing:
            task.report.digest = self._digests.pop(task, "") or task.report.digest
            return self._done(task)
        self._preparing.discard(task)
        if task.report.kept or task.report.status:
            return self._done(task)
        job = self._running.pop(task)
        if not task.payload:  # nothing is known of its compiler
            self._back.append((job, "", None))
            return None
        self._number += 1
        self._away[self._number] = job, task.report.digest
        self._cluster.submit(self._number, task.payload)
        return None


def _usable(result: bytes | None) -> bytes | None:
    """The pickled report of a result of which all functions have a status; of any other the cause is found out here.

    It is opened where it is used: expressions that this process sees change the order of terms in all that it forks."""
    if result is None:
        return None
    status, report = pickle.loads(unpacked(result))
    return None if status else bytes(report)
