"""The thread pool: concurrent and nested loops, forks."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import Any

import numpy as np

import halide_core as hl
from halide_core.jit_code import compiled


def make(depth: int = 0) -> tuple[hl.Func, hl.ImageParam]:
    x, y = hl.Var("x"), hl.Var("y")
    source = hl.ImageParam(hl.UInt(8), 2, "src")
    rows, f = hl.Func("rows"), hl.Func("f")
    rows[x, y] = hl.u16(source[x, y]) * 3
    f[x, y] = rows[x, y] + rows[x, y] / 2
    f.parallel(y)
    rows.compute_at(f, y).parallel(x)
    return f, source


def check(f: hl.Func, data: np.ndarray[Any, Any]) -> bool:
    height, width = data.shape
    t = data.astype(np.uint16) * 3
    return bool(np.array_equal(np.asarray(f.realize([width, height])), t + t // 2))


def picture() -> np.ndarray[Any, Any]:
    return np.random.default_rng(5).integers(0, 256, (600, 700)).astype(np.uint8)


def test_nested_parallel_loops_and_many_calls() -> None:
    f, source = make()
    data = picture()
    source.set(data)
    assert all(check(f, data) for _ in range(20))


def test_calls_from_several_threads_at_once() -> None:
    f, source = make()
    data = picture()
    source.set(data)
    compiled(f._pipeline(), None)
    good: list[bool] = []

    def work() -> None:
        good.append(all(check(f, data) for _ in range(30)))

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert good == [True] * 6


def test_a_forked_child_computes_too() -> None:
    f, source = make()
    data = picture()
    source.set(data)
    assert check(f, data)
    child = os.fork()
    if child == 0:
        ok = all(check(f, data) for _ in range(5))
        os._exit(0 if ok else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert check(f, data)


def test_workers_round_as_the_caller_does() -> None:
    """Every thread computes floats under the caller's rounding and treatment of denormals, and none keeps it."""
    libm = ctypes.CDLL("libm.so.6")
    x, y = hl.Var("x"), hl.Var("y")
    source = hl.ImageParam(hl.Float(32), 2, "values")
    f = hl.Func("thirds")
    f[x, y] = source[x, y] / 3.0
    f.parallel(y)
    data = np.full((4000, 257), 1.0, np.float32)
    source.set(data)
    nearest = np.asarray(f.realize([257, 4000])).copy()
    libm.fesetround(0x400)  # FE_DOWNWARD
    try:
        down = [np.asarray(f.realize([257, 4000])).copy() for _ in range(5)]
    finally:
        libm.fesetround(0)
    assert len(np.unique(nearest)) == 1
    for values in down:
        assert np.array_equal(np.unique(values), [np.nextafter(nearest[0, 0], np.float32(0))])
    assert np.array_equal(np.asarray(f.realize([257, 4000])), nearest)


def test_a_forked_child_has_workers_of_its_own_and_so_has_its_child() -> None:
    """What tells that there are workers does not outlive a fork."""
    f, source = make()
    data = picture()
    source.set(data)
    assert check(f, data)
    wanted = min(2, len(os.sched_getaffinity(0)))
    child = os.fork()
    if child == 0:
        grandchild = os.fork()
        fine = check(f, data) and check(f, data) and len(os.listdir("/proc/self/task")) >= wanted
        if grandchild == 0:
            os._exit(0 if fine else 1)
        _, status = os.waitpid(grandchild, 0)
        os._exit(0 if fine and os.waitstatus_to_exitcode(status) == 0 else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
