"""Storage on the heap: given back after its last use, and kept for the next run."""

from __future__ import annotations

import _ctypes
import ctypes
import resource
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import halide_core as hl
from halide_core.aot.compile import RawBuffer, RawParam, Variant, compile_raw
from halide_core.ir.expr import I32, I64, Variable, const
from halide_core.ir.operators import cast_to
from halide_core.jit_memory import custom_allocator, release_memory


class Recorder:
    """An allocator that remembers the order of what it is asked for."""

    def __init__(self) -> None:
        self.libc = ctypes.CDLL(None)
        self.libc.aligned_alloc.restype = ctypes.c_void_p
        self.live: dict[int, int] = {}
        self.most = self.count = 0

    def malloc(self, size: int) -> int:
        address: int = self.libc.aligned_alloc(ctypes.c_size_t(64), ctypes.c_size_t((size + 63) // 64 * 64))
        self.live[address] = size
        self.count += 1
        self.most = max(self.most, len(self.live))
        return address

    def free(self, address: int) -> None:
        del self.live[address]
        self.libc.free(ctypes.c_void_p(address))


def chain(stages: int, size: int, far: bool = False) -> tuple[hl.Pipeline, np.ndarray]:
    """Running sums of neighbours, each stage stored whole; `far`: the output reads the first one, too."""
    x, y = hl.Var("x"), hl.Var("y")
    first = last = hl.Func("first")
    last[x, y] = x + 3 * y
    last.compute_root()
    for k in range(stages):
        f = hl.Func(f"stage{k}")
        f[x, y] = last[x, y] + last[x + 1, y]
        f.compute_root()
        last = f
    out = hl.Func("out")
    out[x, y] = last[x, y] + (first[x, y] if far else 0)
    rows, columns = np.mgrid[:size, :size]
    wanted = (columns * 2 + 6 * rows) * 2 ** (stages - 1) + stages * 2 ** (stages - 1)
    return hl.Pipeline([out]), wanted + (columns + 3 * rows if far else 0)


def realized(pipeline: hl.Pipeline, size: int) -> np.ndarray:
    out = hl.Buffer(hl.Int(32), [size, size])
    pipeline.realize(out)
    return np.array(out)


@pytest.mark.parametrize(("far", "most"), [(False, 2), (True, 3)])
def test_a_chain_holds_what_is_still_read(far: bool, most: int) -> None:
    pipeline, wanted = chain(6, 100, far)
    heap = Recorder()
    with custom_allocator(heap.malloc, heap.free):
        found = realized(pipeline, 100)
    assert np.array_equal(found, wanted)
    assert (heap.count, heap.most, len(heap.live)) == (7, most, 0)


def test_what_a_loop_reads_again_outlives_it() -> None:
    """A table stored outside of a loop that computes and gives back a Func in each of its iterations."""
    x, y, yo, yi = (hl.Var(n) for n in ("x", "y", "yo", "yi"))
    table, rows, out = (hl.Func(n) for n in ("table", "rows", "out"))
    table[x] = x * x
    rows[x, y] = table[x] + table[x + 1] + y
    out[x, y] = rows[x, y] + rows[x + 1, y]
    out.split(y, yo, yi, 8, hl.TailStrategy.GuardWithIf).parallel(yo)
    rows.compute_at(out, yo)
    table.compute_root()
    heap = Recorder()
    with custom_allocator(heap.malloc, heap.free):
        found = np.array(out.realize([6000, 40]))
    r, c = np.mgrid[:40, :6000]
    assert np.array_equal(found, c * c + 2 * (c + 1) ** 2 + (c + 2) ** 2 + 2 * r)
    assert heap.count == 6 and not heap.live


def test_the_next_run_takes_the_same_memory() -> None:
    """Two arrays of 4 MB: mapped anew they would cost two thousand faults a run."""
    release_memory()
    pipeline, wanted = chain(4, 1000)
    out = hl.Buffer(hl.Int(32), [1000, 1000])
    for _ in range(2):
        pipeline.realize(out)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(10):
        pipeline.realize(out)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 1000
    assert np.array_equal(np.array(out), wanted)
    release_memory()


def test_short_lived_blocks_leave_others_in_place() -> None:
    """An array of 40 MB, mapped by itself, that is not needed before 64 blocks have been taken and given back."""
    release_memory()
    x, y = hl.Var("x"), hl.Var("y")
    row, early, late, out = (hl.Func(n) for n in ("row", "early", "late", "out"))
    row[x, y] = x + y
    early[x, y] = row[x, y] + row[x + 1, y]
    late[x, y] = early[x, y] + early[x + 1, y]
    out[x, y] = late[x, y] + late[x, y + 1]
    row.compute_at(early, y)
    early.compute_root()
    late.compute_root()
    target = hl.Buffer(hl.Int(32), [160_000, 63])
    for _ in range(2):
        out.realize(target)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(5):
        out.realize(target)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 1000
    r, c = np.mgrid[:63, :160_000]
    assert np.array_equal(np.array(target), 8 * (c + r) + 12)
    release_memory()


def test_many_sizes_in_many_threads() -> None:
    """More sizes than are kept, taken and given back by the threads of parallel loops."""
    x, y, z = (hl.Var(n) for n in ("x", "y", "z"))
    pieces, out = hl.Func("pieces"), hl.Func("out")
    n = hl.Param(hl.Int(32), "n", 1)
    r = hl.RDom([(0, n)])
    pieces[x, y] = x ^ y
    out[y, z] = 0
    out[y, z] += pieces[r, y + z]
    out.update().parallel(z).parallel(y)
    pieces.compute_at(out, y)
    for size in [40_000 * k for k in (1, 9, 2, 8, 3, 7, 4, 6, 5, 10, 30, 1, 20, 2)]:
        n.set(size)
        found = np.array(out.realize([3, 8]))
        sums = [int((np.arange(size, dtype=np.int64) ^ k).sum()) for k in range(10)]
        wanted = np.array([[sums[c + r] for c in range(3)] for r in range(8)], np.int64).astype(np.int32)
        assert np.array_equal(found, wanted)
    release_memory()


class _MallInfo(ctypes.Structure):
    _fields_ = [(n, ctypes.c_size_t) for n in (
        "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost",
    )]  # fmt: skip


def allocated() -> int:
    """Bytes that malloc has given out in this process."""
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = _MallInfo
    info = libc.mallinfo2()
    return int(info.hblkhd + info.uordblks)


lacks_tools = shutil.which("g++") is None or not hasattr(ctypes.CDLL(None), "mallinfo2")


@pytest.mark.skipif(lacks_tools, reason="no g++, or a C library without mallinfo2")
def test_a_library_keeps_memory_until_it_is_unloaded(tmp_path: Path) -> None:
    """void sums(int32_t *b, int w, int h) over four stages stored whole, 4 MB each."""
    pipeline, wanted = chain(4, 1000)
    w, h = (Variable(I32, n) for n in "wh")
    zero, one, row, rows = const(0, I64), const(1, I64), cast_to(I64, w), cast_to(I64, h)
    buffers = {"out": RawBuffer("b", zero, (zero, zero), (row, rows), (one, row))}
    params = [RawParam("b", hl.Int(32), True), RawParam("w", I32), RawParam("h", I32)]
    variant = Variant((w > 0) & (h > 0), pipeline, buffers)
    compile_raw("sums", params, None, [variant], "other", hl.get_host_target()).write_object(tmp_path / "sums.o")
    (tmp_path / "other.cpp").write_text('extern "C" void other(void*, int, int) {}\n')
    library = tmp_path / "lib.so"
    subprocess.run(
        ["g++", "-shared", "-fPIC", tmp_path / "sums.o", tmp_path / "other.cpp", "-o", library, "-pthread"], check=True
    )
    found = np.zeros((1000, 1000), np.int32)
    before = allocated()
    lib = ctypes.CDLL(str(library))
    for _ in range(3):
        lib.sums(ctypes.c_void_p(found.ctypes.data), 1000, 1000)
        assert 3 << 20 < allocated() - before < 13 << 20
    assert np.array_equal(found, wanted)
    _ctypes.dlclose(lib._handle)
    assert allocated() - before < 1 << 20
