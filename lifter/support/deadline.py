"""The time limit of what is being done, for code that lies too deep to be handed a clock.

    with until(time.perf_counter() + 60.0):
        ...  # calls `check` wherever time may go
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager


class TimedOut(Exception):
    """The function's time limit has passed."""


_end = math.inf


@contextmanager
def until(end: float) -> Iterator[None]:
    """Inside, `check` raises TimedOut after `end`, as `time.perf_counter` tells it; a limit around it holds too."""
    global _end
    outer, _end = _end, min(_end, end)
    try:
        yield
    finally:
        _end = outer


def check() -> None:
    """Raises TimedOut where the limit has passed."""
    if time.perf_counter() > _end:
        raise TimedOut


def left() -> float:
    """Seconds until the limit, infinite where there is none."""
    return _end - time.perf_counter()
