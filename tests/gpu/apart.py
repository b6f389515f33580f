"""Functions compared with their originals, each in a process of its own: what crashes is one function."""

from __future__ import annotations

import multiprocessing
import traceback
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any, Protocol, TypeVar

from lifter.harness.side_by_side import Arguments, first_difference, same_value

_LIMIT = 300.0
"""Seconds for one function."""


class _Outcome(Protocol):
    problem: str


_O = TypeVar("_O", bound=_Outcome)


def in_own_process(out: _O, work: Callable[[], None]) -> _O:
    """What `out` is after `work`, which changes it in a child; a crash is a problem of it."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_child, args=(out, work, sender))
    child.start()
    sender.close()
    try:
        if receiver.poll(_LIMIT):
            found: _O = receiver.recv()
            return found
        out.problem = f"no end within {_LIMIT:g} s"
    except EOFError:
        child.join()
        out.problem = f"it ends with status {child.exitcode}"
    finally:
        child.kill()
        child.join()
    return out


def _child(out: _Outcome, work: Callable[[], None], sender: Connection) -> None:
    try:
        work()
    except Exception:  # shown as what became of the function
        out.problem = traceback.format_exc()
    sender.send(out)
    sender.close()


def difference(expected: Any, got: Any, after: Mapping[str, bytes], args: Arguments) -> str | None:
    """What is returned, or lies in memory, otherwise than it does after the original."""
    if expected is not None and not same_value(got, expected):
        return f"returns {got} for {expected} with {args.scalars}"
    now = args.snapshot()
    for name, wanted in after.items():
        where = first_difference(wanted, now[name], args.blocks[name].type)
        if where is not None:
            return f"{name}: byte {where} of {len(wanted)} differs with {args.scalars}"
    return None


__all__ = ["difference", "in_own_process"]
