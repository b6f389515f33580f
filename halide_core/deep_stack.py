"""Room for recursion over deep pipelines: storage of 200 Funcs nests 200 deep, an expression may nest 5000 deep."""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from halide_core.function import Function
from halide_core.ir.structural import post_order

_P = ParamSpec("_P")
_R = TypeVar("_R")
_STACK_BYTES = 256 << 20
_FRAMES = 250_000
# From here on Python's usual limit of 1000 frames might not do.
_MANY_FUNCTIONS = 12
_MANY_NODES = 150
_inside = threading.local()


def is_deep(outputs: list[Function]) -> bool:
    """Whether the pipeline of `outputs` may nest deeper than Python's usual stack allows."""
    seen: set[int] = set()
    work = list(outputs)
    while work:
        f = work.pop()
        if id(f) in seen or f.pure is None:
            continue
        seen.add(id(f))
        if len(seen) > _MANY_FUNCTIONS:
            return True
        external = f.extern.arguments if f.extern is not None else ()
        for e in (*external, *(e for d in f.definitions() for e in (*d.values, *d.args))):
            count = 0
            for n in post_order(e):
                count += 1
                target = getattr(n, "target", None)
                if isinstance(target, Function):
                    work.append(target)
            if count > _MANY_NODES:
                return True
    return False


def on_deep_stack(needed: Callable[_P, bool]) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]:
    """Makes a function run on a stack of its own where `needed` says so of its arguments."""

    def decorate(function: Callable[_P, _R]) -> Callable[_P, _R]:
        @functools.wraps(function)
        def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
            if getattr(_inside, "deep", False) or not needed(*args, **kwargs):
                return function(*args, **kwargs)
            return _in_thread(lambda: function(*args, **kwargs))

        return run

    return decorate


def _in_thread(call: Callable[[], _R]) -> _R:
    result: list[_R] = []
    failure: list[BaseException] = []

    def body() -> None:
        _inside.deep = True
        try:
            result.append(call())
        except BaseException as error:
            # Raised again below, in the thread that waits.
            failure.append(error)

    old_size, old_limit = threading.stack_size(_STACK_BYTES), sys.getrecursionlimit()
    sys.setrecursionlimit(max(old_limit, _FRAMES))
    try:
        thread: Any = threading.Thread(target=body, name="halide_core")
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(old_limit)
        threading.stack_size(old_size)
    if failure:
        raise failure[0]
    return result[0]
