"""Work in a process of its own, which the caller outlives: code that is timed may crash."""

from __future__ import annotations

import faulthandler
import multiprocessing
import signal
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any


class ProcessDied(Exception):
    """The process ended before its work did; the text says how."""


def told_by(work: Callable[[Callable[[Any], None]], None]) -> Iterator[Any]:
    """What `work`, run in a fork of this process, tells by calling its argument; as it comes.

    Raises what `work` raises, and ProcessDied where the process does not live to its end."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(there, work), daemon=True)
    process.start()
    there.close()
    try:
        while True:
            try:
                kind, told = here.recv()
            except EOFError:
                process.join()
                raise ProcessDied(_end(process.exitcode)) from None
            if kind == "ended":
                return
            if kind == "raised":
                raise told
            yield told
    finally:
        here.close()
        process.join()


def _run(there: Connection, work: Callable[[Callable[[Any], None]], None]) -> None:
    faulthandler.disable()  # the caller says what happened
    try:
        work(lambda told: there.send(("told", told)))
        there.send(("ended", None))
    except BrokenPipeError:
        pass  # nobody listens any longer
    except Exception as problem:
        there.send(("raised", problem))


def _end(code: int | None) -> str:
    if code is not None and code < 0:
        return f"ended by {signal.Signals(-code).name}"
    return f"ended with status {code}"
