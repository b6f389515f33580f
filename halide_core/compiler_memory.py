"""What the compiler does with memory while it runs.

Python's collector of garbage in cycles walks the trees that are built again and again: a tenth of the time to compile.
They are no cycles, so meanwhile it is asked to look less often.  What is remembered of expressions is let go after."""

from __future__ import annotations

import functools
import gc
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from halide_core.ir.structural import forget_expressions

_P = ParamSpec("_P")
_R = TypeVar("_R")
# New objects from one look to the next; Python's own choice is 700.
_MANY = 100_000


class _Running:
    """How many functions run, in all threads, and what the collector did before the first of them."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.count = 0
        self.before = (0, 0, 0)


_running = _Running()


def frugal(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """`function` of the compiler, with memory as above.  A collector that is turned off stays so."""

    @functools.wraps(function)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        with _running.lock:
            if _running.count == 0:
                _running.before = gc.get_threshold()
                if _running.before[0]:
                    gc.set_threshold(max(_MANY, _running.before[0]), *_running.before[1:])
            _running.count += 1
        try:
            return function(*args, **kwargs)
        finally:
            with _running.lock:
                _running.count -= 1
                if _running.count == 0:
                    gc.set_threshold(*_running.before)
                    forget_expressions()

    return run
