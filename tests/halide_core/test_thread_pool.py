"""The pool itself: nested jobs, errors, short loops, one thread, more threads than processors."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import halide_core as hl
from halide_core.backend.llvm_module import CompiledModule
from halide_core.target import Target

_PROGRAM = """
define internal i32 @task(ptr %job, ptr %closure, i32 %lo, i32 %hi) {
  %r = call i32 %closure(ptr %job, i32 %lo, i32 %hi)
  ret i32 %r
}

define i32 @run(ptr %job, ptr %body, i32 %min, i32 %n) {
  %r = call i32 @hl.par_for(ptr %job, ptr @task, ptr %body, i32 %min, i32 %n, i64 1000000000)
  ret i32 %r
}

; A loop that was taken for short.
define i32 @run_short(ptr %job, ptr %body, i32 %min, i32 %n) {
  %r = call i32 @hl.par_for(ptr %job, ptr @task, ptr %body, i32 %min, i32 %n, i64 100)
  ret i32 %r
}

define internal i32 @count(ptr %job, ptr %closure, i32 %lo, i32 %hi) {
  %n = sub i32 %hi, %lo
  %old = atomicrmw add ptr %closure, i32 %n monotonic
  ret i32 0
}

define internal i32 @count_rows(ptr %job, ptr %closure, i32 %lo, i32 %hi) {
  br label %row
row:
  %k = phi i32 [ %lo, %0 ], [ %k1, %row ]
  %r = call i32 @hl.par_for(ptr %job, ptr @count, ptr %closure, i32 %k, i32 7, i64 100)
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %hi
  br i1 %more, label %row, label %done
done:
  ret i32 0
}

; %loops short loops, each of 7 short loops of 7.
define i32 @count_often(i32 %loops) {
  %sum = alloca i32
  store i32 0, ptr %sum
  br label %loop
loop:
  %k = phi i32 [ 0, %0 ], [ %k1, %loop ]
  %r = call i32 @hl.par_for(ptr null, ptr @count_rows, ptr %sum, i32 -3, i32 7, i64 10000)
  %k1 = add i32 %k, 1
  %more = icmp slt i32 %k1, %loops
  br i1 %more, label %loop, label %done
done:
  %total = load i32, ptr %sum
  ret i32 %total
}
"""
_Body = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_int32)


class Pool:
    """A pool of its own with `threads` threads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
        monkeypatch.setenv("HL_NUM_THREADS", str(threads))
        module = CompiledModule(_PROGRAM, Target("host")).jit()
        types = ctypes.c_int32, ctypes.c_void_p, _Body, ctypes.c_int32, ctypes.c_int32
        self._run, self._run_short = module.function("run", *types), module.function("run_short", *types)
        self.count_often = module.function("count_often", ctypes.c_int32, ctypes.c_int32)

    def run(
        self, count: int, body: Callable[[int, int], int | None], job: int | None = None, *, short: bool = False
    ) -> int:
        """Calls body(job, k) for k in range(count); what the loop returns.  short: it is taken for a short one."""

        def share(own: int, low: int, high: int) -> int:
            for k in range(low, high):
                status = body(own, k)
                if status:
                    return status
            return 0

        return int((self._run_short if short else self._run)(job, _Body(share), 0, count))


def meets(barrier: threading.Barrier) -> Callable[[int, int], int]:
    """A body that waits until as many tasks run at once as the barrier has parties; 1 where they never do."""

    def wait(_job: int, _k: int) -> int:
        try:
            barrier.wait(20)
        except threading.BrokenBarrierError:
            return 1
        return 0

    return wait


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_every_iteration_of_three_nested_loops_runs_once(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    pool = Pool(monkeypatch, threads)
    seen: Counter[tuple[int, int, int]] = Counter()
    lock = threading.Lock()

    def mark(point: tuple[int, int, int]) -> int:
        with lock:
            seen[point] += 1
        return 0

    def middle(job: int, a: int) -> int:
        return pool.run(5, lambda inner, b: pool.run(4, lambda _, c: mark((a, b, c)), inner), job)

    assert pool.run(6, middle) == 0
    assert seen == Counter((a, b, c) for a in range(6) for b in range(5) for c in range(4))


def test_one_thread_runs_in_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(monkeypatch, 1)
    where: list[tuple[int, int]] = []
    pool.run(5, lambda _, k: where.append((k, threading.get_ident())))
    assert where == [(k, threading.get_ident()) for k in range(5)]


def test_as_many_tasks_run_at_once_as_there_are_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(monkeypatch, 8)
    assert pool.run(8, meets(threading.Barrier(8))) == 0


def test_sleepers_are_woken_for_a_loop_that_turns_out_long(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(monkeypatch, 3)
    where: set[int] = set()

    def body(_job: int, _k: int) -> None:
        where.add(threading.get_ident())
        time.sleep(0.002)

    assert pool.run(2, lambda *_: 0) == 0
    time.sleep(0.1)
    assert pool.run(200, body, short=True) == 0
    assert len(where) == 3


def test_a_loop_that_is_over_soon_is_not_shared_with_sleepers(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(monkeypatch, 3)
    seen: list[int] = []
    shared = 0
    for _ in range(20):
        # Workers are asleep then, on a machine as busy as it may be.
        pool.run(2, lambda *_: 0)
        time.sleep(0.02)
        seen.clear()
        assert pool.run(4, lambda _, k: seen.append(threading.get_ident()), short=True) == 0
        assert len(seen) == 4
        shared += len(set(seen)) > 1
    # Python may keep the caller waiting for longer than the loop is worth, now and then.
    assert shared < 10


def test_an_inner_loop_is_shared_with_who_waits_for_the_outer_one(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(monkeypatch, 2)
    barrier = threading.Barrier(2)
    # Whoever gets the other outer iteration is done at once, and helps inside the first.
    for inner_in in (0, 1):
        assert pool.run(2, lambda job, k: pool.run(2, meets(barrier), job) if k == inner_in else 0) == 0  # noqa: B023


def test_an_inner_loop_is_shared_with_idle_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(monkeypatch, 4)
    barrier = threading.Barrier(4)
    assert pool.run(1, lambda job, _: pool.run(4, meets(barrier), job)) == 0


def test_the_first_error_ends_the_loop_and_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(monkeypatch, 3)
    ran: list[int] = []

    def fails(_job: int, k: int) -> int:
        ran.append(k)
        return -7 if k == 2 else 0

    assert pool.run(100_000, fails) == -7
    assert len(ran) < 100_000
    assert pool.run(8, lambda job, _: pool.run(8, fails, job)) == -7
    assert pool.run(50, lambda *_: 0) == 0


def test_the_owner_sleeps_while_others_finish(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(monkeypatch, 2)
    caller = threading.get_ident()
    barrier = threading.Barrier(2)

    def body(_job: int, _k: int) -> int:
        barrier.wait(20)
        if threading.get_ident() != caller:
            time.sleep(0.2)
        return 0

    start, used = time.monotonic(), time.thread_time()
    assert pool.run(2, body) == 0
    assert time.monotonic() - start >= 0.2
    assert time.thread_time() - used < 0.1


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_many_short_nested_loops(monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    assert Pool(monkeypatch, threads).count_often(2000) == 2000 * 49


def test_callers_at_once_share_the_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool(monkeypatch, 3)
    totals: list[int] = []
    callers = [threading.Thread(target=lambda: totals.append(pool.count_often(500))) for _ in range(5)]
    for t in callers:
        t.start()
    for t in callers:
        t.join(60)
    assert totals == [500 * 49] * 5


def failing_pipeline() -> tuple[hl.Func, hl.Param]:
    """f(x, y) of which row 20 fails where the Param is at most 20; storage on the heap inside the loop."""
    x, y = hl.Var("x"), hl.Var("y")
    f, row = hl.Func("f"), hl.Func("row")
    limit = hl.Param(hl.Int(32), "limit", 100)
    row[x, y] = x + y
    f[x, y] = row[x, y] + row[x + 1, y] + hl.require(y < limit, 0, "row", y, "is too much")
    row.compute_at(f, y).parallel(x)
    f.parallel(y)
    return f, limit


def test_errors_of_nested_parallel_loops_reach_realize() -> None:
    f, limit = failing_pipeline()
    f.realize([8000, 40])
    limit.set(20)
    with pytest.raises(hl.HalideError, match="is too much"):
        f.realize([8000, 40])
    limit.set(40)
    f.realize([8000, 40])


@pytest.mark.skipif(shutil.which("g++") is None, reason="no linker")
def test_errors_of_parallel_loops_reach_callers_of_objects(tmp_path: Path) -> None:
    f, limit = failing_pipeline()
    f.compile_to_object(str(tmp_path / "pipe.o"), [limit], "pipe")
    (tmp_path / "main.cpp").write_text(
        "#include <cstdint>\n#include <cstdio>\n"
        "struct Dim { int32_t min, extent, stride, flags; };\n"
        "struct Buffer { uint64_t device; void *interface, *host; uint64_t flags; uint32_t type; int32_t dimensions;"
        " Dim *dim; void *padding; };\n"
        'extern "C" int pipe(int32_t, Buffer *);\n'
        "static int32_t data[40 * 8000];\n"
        "int main() {\n"
        "    Dim dims[2] = {{0, 8000, 1, 0}, {0, 40, 8000, 0}};\n"
        "    Buffer b = {0, nullptr, data, 0, 32 << 8 | 1 << 16, 2, dims, nullptr};\n"
        '    int good = pipe(40, &b), bad = pipe(20, &b);\n    printf("%d %d %d", good, bad, pipe(40, &b));\n}\n'
    )
    program = tmp_path / "main"
    subprocess.run(["g++", tmp_path / "main.cpp", tmp_path / "pipe.o", "-o", program, "-pthread"], check=True)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout == "0 -27 0"
    assert "is too much" in done.stderr
