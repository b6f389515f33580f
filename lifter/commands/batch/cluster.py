"""A cluster of `dask.distributed` that reads and lifts files, asked through a process of its own.

The client of a cluster has threads, and this process forks; so the client lives in another one."""

from __future__ import annotations

import contextlib
import importlib.util
import multiprocessing
import os
import queue
import re
import signal
import zlib
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

from lifter.commands.batch.remote import lift_remotely
from lifter.support.errors import LiftError
from lifter.support.limited import die_with_parent, kill_tree

_PATIENCE = 30.0
"""Seconds until a scheduler answers."""
_LOCAL = re.compile(r"local:([1-9]\d*)")


class ClusterError(LiftError):
    """There is no cluster to work with; the text says why, and what to do."""


class Cluster:
    """Where files are lifted.  Raises ClusterError where it cannot be reached."""

    def __init__(self, address: str) -> None:
        """`address`: of a scheduler, or `local:N` for a cluster of N processes that ends with this one."""
        if importlib.util.find_spec("distributed") is None:
            raise ClusterError("dask.distributed is not installed; run: pip install 'lifter[dask]'")
        if address.startswith("local:") and _LOCAL.fullmatch(address) is None:
            raise ClusterError(f"--dask {address}: write local:N, with N the number of workers")
        context = multiprocessing.get_context("fork")
        self._here, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(address, there, os.getpid()))
        self._process.start()
        there.close()
        try:
            kind, said = self._here.recv()
        except EOFError:
            kind, said = "failed", "its client ended at once"
        if kind == "failed":
            self.close()
            raise ClusterError(f"no cluster answers at '{address}': {said}")
        self.workers: int = said

    def submit(self, number: int, request: bytes) -> None:
        """Has a request lifted."""
        self._here.send((number, zlib.compress(request, 1)))

    def done(self) -> Iterator[tuple[int, bytes | None]]:
        """(Number, report) of requests that are done since the last time; None for one that no worker could do.

        Raises ClusterError where the cluster has gone."""
        while self._here.poll():
            try:
                number, result = self._here.recv()
            except EOFError:
                raise ClusterError("the cluster's client has ended") from None
            yield number, result

    def close(self) -> None:
        """Ends it at once, and the workers that it has started."""
        if self._process.pid is not None and self._process.is_alive():
            kill_tree(self._process.pid)
        self._process.join()
        self._here.close()


def _serve(address: str, there: Connection, parent: int) -> None:
    die_with_parent(parent)
    os.setsid()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    import dask
    from distributed import Client, LocalCluster

    local = _LOCAL.fullmatch(address)
    finished: queue.SimpleQueue[tuple[int, bytes | None]] = queue.SimpleQueue()
    try:
        where: Any = address
        if local is not None:
            # A task whose worker dies is given to another one, once.
            dask.config.set({"distributed.scheduler.allowed-failures": 1})
            where = LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=int(local[1]), threads_per_worker=1, dashboard_address=None, silence_logs=50
            )
        client = Client(where, timeout=_PATIENCE)  # type: ignore[no-untyped-call]
        there.send(("ready", len(client.scheduler_info()["workers"])))
    except Exception as problem:  # whatever a network or a configuration has in store
        with contextlib.suppress(OSError):
            there.send(("failed", str(problem).strip().partition("\n")[0] or type(problem).__name__))
        os._exit(1)
    futures: dict[int, Any] = {}

    def finish(number: int, future: Any) -> None:
        finished.put((number, future.result() if future.status == "finished" else None))

    with contextlib.suppress(EOFError, OSError):
        while True:
            if there.poll(0.02):
                number, request = there.recv()
                future = client.submit(_lift_compressed, request, key=f"lift-{os.getpid()}-{number}", retries=1)
                futures[number] = future
                future.add_done_callback(lambda f, n=number: finish(n, f))  # type: ignore[no-untyped-call]
            while not finished.empty():
                message = finished.get()
                futures.pop(message[0], None)
                there.send(message)
    os._exit(0)


def _lift_compressed(request: bytes) -> bytes:
    return zlib.compress(lift_remotely(zlib.decompress(request)), 1)


def unpacked(result: bytes) -> bytes:
    """A report as `lift_remotely` gives it."""
    return zlib.decompress(result)
