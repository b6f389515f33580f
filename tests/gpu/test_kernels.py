"""Kernels as statements: shared memory, barriers, indices, what is captured."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import halide_core as hc
from halide_core.backend.llvm_stmt import StmtEmitter
from halide_core.backend.ptx import to_ptx
from halide_core.gpu import barriers, shared
from halide_core.gpu.barriers import barriers_in
from halide_core.gpu.kernel import Kernel
from halide_core.gpu.runtime import device_runtime
from halide_core.ir import expr as ir
from halide_core.ir import stmt as st
from halide_core.ir.expr import I32, I64, const
from halide_core.ir.structural import key, nodes
from halide_core.lower import lower
from tests.gpu import running
from tests.gpu.cases import CASES, data_of
from tests.gpu.emulator.device import Emulator
from tests.gpu.emulator.memory import DeviceError

pytestmark = pytest.mark.few(3)

x, y, xi, yi = (hc.Var(n) for n in ("x", "y", "xi", "yi"))


def _kernels(f: hc.Func) -> tuple[Kernel, ...]:
    return lower([f._function], hc.Target("x86-64-linux-sse41-cuda")).kernels


def _case(name: str) -> Kernel:
    f, _ = CASES[name].make(hc, True)
    (kernel,) = _kernels(f)
    return kernel


def _chain(count: int, width: int = 64) -> Kernel:
    """Stages of one block, each of which reads its left and right neighbours of the one before."""
    stages = [hc.Func(f"s{k}") for k in range(count)]
    stages[0][x] = x * 3
    for before, f in itertools.pairwise(stages):
        f[x] = before[x - 1] + before[x + 1]
    last = stages[-1].gpu_tile(x, xi, width, hc.TailStrategy.RoundUp)
    for f in stages[:-1]:
        f.compute_at(last, x).gpu_threads(x)
    (kernel,) = _kernels(last)
    return kernel


def test_memory_of_what_is_done_is_used_again() -> None:
    """Of five stages two have values at any time."""
    kernel = _chain(6)
    sizes = [int(str(a.size).removeprefix("(int64)")) for a in kernel.shared]
    assert len(sizes) == 5
    held = int(str(kernel.shared_bytes).removeprefix("(int64)"))
    assert 4 * sum(sorted(sizes)[-2:]) <= held <= 4 * sum(sorted(sizes)[-2:]) + 32
    assert barriers_in(kernel.body) == 5


def test_no_barrier_between_stages_of_one_thread() -> None:
    f, g = hc.Func("f"), hc.Func("g")
    g[x] = x * 3
    f[x] = g[x] + 1
    f.gpu_tile(x, xi, 32, hc.TailStrategy.RoundUp)
    g.compute_at(f, x).gpu_threads(x)
    (kernel,) = _kernels(f)
    assert barriers_in(kernel.body) == 0
    assert kernel.shared


def test_a_barrier_for_what_comes_again() -> None:
    """In a loop of the block the next tile waits for those that read this one."""
    assert barriers_in(_case("matrix_product").body) == 2


def test_what_is_captured() -> None:
    kernel = _case("pointwise")
    names = [v.name for v in kernel.scalars]
    assert all(not n.endswith((".offset", ".stride.0", ".stride.1")) for n in names)
    assert {str(v.type) for v in kernel.scalars} == {"int32"}


def _ptx(f: hc.Func, capability: int = 80) -> str:
    return to_ptx(_kernels(f), capability)


def test_loads_of_what_no_one_changes_are_read_only() -> None:
    f, _ = CASES["blur_shared"].make(hc, True)
    assert "ld.global.nc" in _ptx(f)


def test_nothing_is_contracted() -> None:
    f, _ = CASES["blur_shared"].make(hc, True)
    assert "fma" not in _ptx(f)


def test_versions() -> None:
    f, _ = CASES["pointwise"].make(hc, True)
    for capability, version in ((70, "7.1"), (86, "7.1"), (90, "7.8")):
        text = _ptx(f, capability)
        assert f".target sm_{capability}" in text
        assert f".version {version}" in text


def test_memory_asked_for_at_the_launch() -> None:
    """Beyond 48 KiB, or of a size that is known then only."""
    f, _ = CASES["threads_of_any_number"].make(hc, True)
    assert ".extern .shared" in _ptx(f)
    f, _ = CASES["blur_shared"].make(hc, True)
    assert ".shared .align 16 .b8 kernel_f_s0_0_shared[192]" in _ptx(f)


def test_the_target_says_the_capability() -> None:
    from halide_core.gpu.capability import capability, most_shared

    targets: dict[str, Any] = {
        "x86-64-linux-cuda": (70, 96 << 10),
        "x86-64-linux-cuda-cuda_capability_61": (70, 96 << 10),
        "x86-64-linux-cuda-cuda_capability_75": (75, 64 << 10),
        "x86-64-linux-cuda-cuda_capability_80": (80, 163 << 10),
    }
    for name, wanted in targets.items():
        assert (capability(hc.Target(name)), most_shared(hc.Target(name))) == wanted


@pytest.mark.parametrize("name", ["blur_shared", "matrix_product", "three_stages_shared", "three_dimensions_shared"])
def test_a_lost_barrier_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the emulator stops at is not there by luck."""
    monkeypatch.setenv("HL_JIT_CACHE_DIR", "")
    monkeypatch.setattr(barriers, "barrier", lambda: st.Block(()))
    case = CASES[name]
    with pytest.raises(DeviceError, match="race"):
        running.on_device(case, data_of(case))


def test_memory_used_too_early_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HL_JIT_CACHE_DIR", "")
    placed = shared._placed

    def all_at_zero(lives: Any) -> shared.Layout:
        layout = placed(lives)
        return replace(layout, arrays=[replace(a, offset=const(0, I64)) for a in layout.arrays])

    monkeypatch.setattr(shared, "_placed", all_at_zero)
    case = CASES["three_stages_shared"]
    with pytest.raises(DeviceError, match="race"):
        running.on_device(case, data_of(case))


def _warps(memory: Any = hc.MemoryType.Auto) -> hc.Func:
    """A stage by lanes, read by the lane that computed it."""
    f, g, v = hc.Func("f"), hc.Func("g"), hc.Var("v")
    g[x, y] = x * 3 + y
    f[x, y] = g[x, y] + g[x, y + 1]
    f.tile(x, y, xi, yi, 32, 4, hc.TailStrategy.RoundUp).split(yi, yi, v, 2).reorder(xi, v, yi, x, y)
    f.gpu_blocks(x, y).gpu_threads(yi).gpu_lanes(xi)
    g.compute_at(f, yi).gpu_lanes(x).store_in(memory)
    return f


def test_what_lanes_use_alone_lies_in_registers() -> None:
    (kernel,) = _kernels(_warps())
    assert not kernel.shared
    assert barriers_in(kernel.body) == 0
    text = to_ptx([kernel], 80)
    assert ".shared" not in text
    assert ".local" not in text
    (kernel,) = _kernels(_warps(hc.MemoryType.GPUShared))
    assert kernel.shared


def test_what_lanes_exchange_lies_in_registers() -> None:
    f, _ = CASES["lanes"].make(hc, True)
    (kernel,) = _kernels(f)
    assert not kernel.shared
    assert barriers_in(kernel.body) == 0
    text = to_ptx([kernel], 80)
    assert "shfl.sync.down" in text
    assert ".local" not in text


@pytest.mark.parametrize("lanes", [32, 16, 4])
@pytest.mark.parametrize("near", [True, False])
def test_shuffles_of_each_kind(lanes: int, near: bool) -> None:
    """Values of neighbours, of which the last lane's are the next turn's; and values of any lanes."""
    f, g, u = hc.Func("f"), hc.Func("g"), hc.Var("u")
    g[x, y] = x * x + y
    f[x, y] = g[x + 1, y] - g[x, y] if near else g[hc.clamp(x * 3 % 7, 0, lanes - 1), y]
    f.bound(x, 0, lanes).tile(x, y, xi, yi, lanes, 4, hc.TailStrategy.RoundUp)
    f.gpu_blocks(x, y).gpu_threads(yi).gpu_lanes(xi)
    g.compute_at(f, yi).split(x, u, x, lanes, hc.TailStrategy.RoundUp).gpu_lanes(x).unroll(u)
    (kernel,) = _kernels(f)
    assert not kernel.shared
    text = to_ptx([kernel], 80)
    for kind in ("down", "up") if near else ("idx",):
        assert f"shfl.sync.{kind}" in text
    assert ".local" not in text
    with device_runtime(Emulator()):
        found = np.asarray(f.realize([lanes, 8], hc.Target(running.TARGET)))
    k, row = np.meshgrid(np.arange(lanes), np.arange(8))
    assert np.array_equal(found, 2 * k + 1 if near else np.minimum(k * 3 % 7, lanes - 1) ** 2 + row)


def test_no_shuffle_where_some_lanes_stay_away() -> None:
    """A loop that lanes run differently often: what it reads of other lanes is shared."""
    f, g, v = hc.Func("f"), hc.Func("g"), hc.Var("v")
    g[x, y] = x * x + y
    r = hc.RDom([(0, 5)], "r")
    r.where(r < x % 5)
    f[x, y] = 0
    f[x, y] += g[hc.clamp(x + r, 0, 31), y]
    f.bound(x, 0, 32).compute_root()
    for stage in (f, f.update()):
        stage.split(y, y, v, 4, hc.TailStrategy.GuardWithIf)
    f.reorder(x, v, y).gpu_blocks(y).gpu_threads(v).gpu_lanes(x)
    f.update().reorder(r, x, v, y).gpu_blocks(y).gpu_threads(v).gpu_lanes(x)
    g.compute_at(f, v).gpu_lanes(x)
    kernels = _kernels(f)
    text = to_ptx(list(kernels), 80)
    with device_runtime(Emulator()):
        found = np.asarray(f.realize([32, 8], hc.Target(running.TARGET)))
    want = [[sum(min(k + i, 31) ** 2 + row for i in range(k % 5)) for k in range(32)] for row in range(8)]
    assert np.array_equal(found, want)
    assert kernels[1].shared
    assert "shfl.sync" not in text


def test_a_barrier_before_a_loop_and_not_in_it() -> None:
    """Rows of a tile, which are stored in a loop: what was read before is waited for once."""
    f, g, u = hc.Func("f"), hc.Func("g"), hc.Var("u")
    g[x, y] = x * y
    f[x, y] = g[x, y] + g[x + 1, y]
    f.tile(x, y, xi, yi, 32, 8, hc.TailStrategy.RoundUp).split(y, y, u, 2).reorder(xi, yi, u, x, y)
    f.gpu_blocks(x, y).gpu_threads(xi)
    g.compute_at(f, u).gpu_threads(x)
    (kernel,) = _kernels(f)
    inner = [s for s in st.walk(kernel.body) if isinstance(s, st.For) and "s0.y" in s.name and "g" in s.name]
    assert inner
    assert not any(barriers_in(s.body) for s in inner)
    assert barriers_in(kernel.body) >= 2


def test_no_barrier_where_elements_are_dealt_out() -> None:
    """Each thread updates its own column, whichever row it is at."""
    f, g, r = hc.Func("f"), hc.Func("g"), hc.RDom([(1, 7)], "r")
    g[x, y] = x + y
    g[x, r] += g[x, r - 1]
    f[x, y] = g[x, y]
    f.bound(y, 0, 8).split(x, x, xi, 32, hc.TailStrategy.RoundUp).reorder(y, xi, x).gpu_blocks(x).gpu_threads(xi)
    g.compute_at(f, x).gpu_threads(x)
    g.update().gpu_threads(x)
    (kernel,) = _kernels(f)
    assert kernel.shared
    assert barriers_in(kernel.body) == 0


def test_no_more_threads_than_there_is_work_for() -> None:
    """Of a tile wider than the output."""
    f = hc.Func("f")
    f[x, y] = x + y
    f.gpu_tile(x, y, xi, yi, 32, 8, hc.TailStrategy.GuardWithIf)
    device = Emulator()
    with device_runtime(device):
        f.realize([5, 11], hc.Target(running.TARGET))
    assert [(one.blocks, one.threads) for one in device.launches] == [((1, 2, 1), (5, 8, 1))]


def _counted(name: str, value: Any) -> tuple[str, Any]:
    """The PTX and the result of a sum that threads of several blocks make together."""
    f, r = hc.Func("f"), hc.RDom([(0, 64), (0, 3)], "r")
    f[x] = hc.u32(x)
    f[r.x % 8] = value(f[r.x % 8], hc.u32(r.x * 5 + r.y))
    f.compute_root().update().atomic().gpu_blocks(r.y).gpu_threads(r.x)
    device = Emulator()
    with device_runtime(device):
        out = f.realize([8], hc.Target(running.TARGET))
    assert [(one.blocks, one.threads) for one in device.launches] == [((3, 1, 1), (64, 1, 1))], name
    return device.texts()[0], out


@pytest.mark.parametrize("name", ["add", "sub", "min", "max", "and", "or", "xor"])
def test_updates_in_one_step(name: str) -> None:
    operations: dict[str, Any] = {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "min": lambda a, b: hc.min(a, b),
        "max": lambda a, b: hc.max(a, b),
        "and": lambda a, b: a & b,
        "or": lambda a, b: a | b,
        "xor": lambda a, b: a ^ b,
    }
    ptx, found = _counted(name, operations[name])
    assert re.search(r"\b(atom|red)\.", ptx)
    plain: dict[str, Any] = {"min": min, "max": max}
    wanted = list(range(8))
    for column in range(64):
        for row in range(3):
            k, v = column % 8, column * 5 + row
            wanted[k] = plain.get(name, operations[name])(wanted[k], v) % (1 << 32)
    assert [int(found[k]) for k in range(8)] == wanted


def test_an_update_that_is_not_in_one_step_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that meet in one element without it race."""
    from halide_core.backend import ptx

    def plainly(self: Any, s: st.Store) -> None:
        assert isinstance(s.value, ir.Call)
        (operand,) = s.value.args
        old = ir.Load(operand.type, s.name, s.index)
        StmtEmitter.emit(self, replace(s, value=ir.Add(operand.type, old, operand)))

    monkeypatch.setenv("HL_JIT_CACHE_DIR", "")
    monkeypatch.setattr(ptx._KernelEmitter, "_update", plainly)
    with pytest.raises(DeviceError, match="race"):
        _counted("add", lambda a, b: a + b)


@pytest.mark.parametrize("shared", [True, False])
def test_vectors_of_sixteen_bytes(shared: bool) -> None:
    """Where rows are a multiple of them; the result's rows may be of any length."""
    f, g, v = hc.Func("f"), hc.Func("g"), hc.Var("v")
    g[x, y] = hc.f32(x * y)
    f[x, y] = g[x, y] + g[x, y + 1]
    f.bound(x, 0, 64).bound(y, 0, 8).split(x, x, v, 4).vectorize(v).gpu_tile(x, y, xi, yi, 4, 4)
    if shared:
        g.compute_at(f, x).split(x, x, v, 4).vectorize(v).gpu_threads(x, y)
    else:
        g.compute_root().split(x, x, v, 4).vectorize(v).gpu_tile(x, y, xi, yi, 4, 4, hc.TailStrategy.GuardWithIf)
    device = Emulator()
    with device_runtime(device):
        out = f.realize([64, 8], hc.Target(running.TARGET))
    assert all(out[i, j] == i * j + i * (j + 1) for i in range(64) for j in range(8))
    (text,) = device.texts()
    loads, stores = (r"ld\.shared", r"st\.shared") if shared else (r"ld\.global\.nc", r"st\.global")
    assert re.search(rf"{loads}\.v4\.b32", text)
    assert re.search(rf"{stores}\.v4\.b32", text)


@pytest.mark.parametrize(("second", "wanted"), [("add", 2), ("max", 3)])
def test_updates_of_two_kinds_have_an_order(second: str, wanted: int) -> None:
    """A barrier between them where they are of different operations, and none where they come to the same in any
    order."""
    f, h, r, q = hc.Func("f"), hc.Func("h"), hc.RDom([(0, 64)], "r"), hc.RDom([(0, 64)], "q")
    h[x] = 0
    h[r.x % 8] += r.x
    h[q.x % 8] = hc.max(h[q.x % 8], q.x * 3) if second == "max" else h[q.x % 8] + q.x * 3
    f[x] = h[x % 8]
    f.bound(x, 0, 64).gpu_tile(x, xi, 64, hc.TailStrategy.GuardWithIf)
    h.compute_at(f, x).bound(x, 0, 8).store_in(hc.MemoryType.GPUShared).gpu_threads(x)
    h.update(0).atomic().gpu_threads(r.x)
    h.update(1).atomic().gpu_threads(q.x)
    (kernel,) = _kernels(f)
    assert barriers_in(kernel.body) == wanted
    numbers = range(64)
    sums = [sum(n for n in numbers if n % 8 == k) for k in range(8)]
    later = [[n * 3 for n in numbers if n % 8 == k] for k in range(8)]
    found = [max([s, *m]) if second == "max" else s + sum(m) for s, m in zip(sums, later, strict=True)]
    with device_runtime(Emulator()):
        assert list(f.realize([64], hc.Target(running.TARGET))) == [found[k % 8] for k in numbers]


@pytest.mark.parametrize("name", ["u8 add", "i16 max", "u16 xor", "i32 mul", "f32 add", "f64 sub", "f32 max"])
@pytest.mark.parametrize("shared", [False, True])
def test_updates_by_exchange(name: str, shared: bool) -> None:
    """Elements of less than a word, floats and products: a word is exchanged until nobody else changed it meanwhile.

    Results are whole numbers, of which the order of sums does not tell; rows end in the middle of a word."""
    kind, operation = name.split()
    apply = {"add": lambda a, e: a + e, "sub": lambda a, e: a - e, "mul": lambda a, e: a * e, "max": hc.max}
    apply["xor"] = lambda a, e: a ^ e

    def made() -> tuple[Any, Any, Any]:
        f, g, r = hc.Func("f"), hc.Func("g"), hc.RDom([(0, 40), (0, 9)], "r")
        cast = getattr(hc, kind)
        f[x] = cast(x) + cast(1)
        place = (r.x * 7 + r.y) % 11
        f[place] = apply[operation](f[place], cast((r.x * 13 + r.y * 5) % 17 + 1))
        g[x] = f[x]
        return f, g, r

    _, g, _ = made()
    wanted = np.asarray(g.realize([11]))
    f, g, r = made()
    g.gpu_tile(x, xi, 11)
    if shared:
        f.compute_at(g, x).gpu_threads(x).update().atomic().gpu_threads(r.x, r.y)
    else:
        f.compute_root().gpu_tile(x, xi, 8, hc.TailStrategy.GuardWithIf)
        f.update().atomic().gpu_blocks(r.y).gpu_threads(r.x)
    device = Emulator()
    with device_runtime(device):
        found = np.asarray(g.realize([11], hc.Target(running.TARGET)))
    assert np.array_equal(found, wanted)
    assert ".cas.b" in device.texts()[0]


def test_sums_of_floats_keep_denormals() -> None:
    """As adding does anywhere else; `atom.add.f32` of a device takes them for 0."""
    f, r = hc.Func("f"), hc.RDom([(0, 64)], "r")
    f[x] = hc.f32(0)
    f[r % 2] += hc.f32(1e-42)
    f.compute_root().gpu_tile(x, xi, 2).update().atomic().gpu_blocks(r)
    device = Emulator()
    with device_runtime(device):
        found = np.asarray(f.realize([2], hc.Target(running.TARGET)))
    total = np.float32(0)
    for _ in range(32):
        total += np.float32(1e-42)
    assert found[0] == total != 0
    assert "atom.add.f32" not in device.texts()[0]


@pytest.mark.parametrize("kind", [hc.UInt(16), hc.Int(32), hc.Float(64)])
def test_rows_are_padded_where_threads_would_meet(kind: Any) -> None:
    """A tile that is written along rows and read down columns."""
    f, g, image = hc.Func("f"), hc.Func("g"), hc.ImageParam(kind, 2, "image")
    g[x, y] = image[x, y] + hc.cast(kind, 1)
    f[x, y] = g[y, x]
    f.gpu_tile(x, y, xi, yi, 32, 16, hc.TailStrategy.RoundUp)
    g.compute_at(f, x).gpu_threads(x, y)
    data = np.random.default_rng(2).integers(0, 99, (64, 64)).astype(str(kind))
    image.set(hc.Buffer(data))
    device = Emulator()
    with device_runtime(device):
        found = np.asarray(f.realize([64, 64], hc.Target(running.TARGET)))
    image.reset()
    assert np.array_equal(found, data.T + 1)
    (launched,) = device.launches
    assert launched.counts.instructions["shared load"]
    assert not launched.counts.bank_conflicts


def test_loops_count_in_64_bits() -> None:
    """A row of any length by one thread: its addresses are pointers that go on, without a multiplication."""
    f, image = hc.Func("f"), hc.ImageParam(hc.Int(32), 2, "image")
    f[x, y] = image[x, y] + 1
    f.gpu_blocks(y)
    (kernel,) = lower([f._function], hc.Target("x86-64-linux-sse41-cuda"), {"f.stride.0": const(1, I64)}).kernels
    text = to_ptx([kernel], 80)
    loop = text[text.rindex("$L__BB0_2:") :]
    assert "st.global" in loop
    assert "mul" not in loop


def test_no_index_before_the_first_access() -> None:
    """A loop that accesses in some iterations only counts in 32 bits there: its first index may be far off."""
    f, flags, image = hc.Func("f"), hc.ImageParam(hc.Int(32), 1, "flags"), hc.ImageParam(hc.Int(32), 1, "image")
    count, first = hc.Param(hc.Int(32), "count"), hc.Param(hc.Int(32), "first")
    r = hc.RDom([(0, count)], "r")
    r.where(flags[r] > 0)
    f[x] = 0
    f[x] += image[r - first]
    f.compute_root()
    f.update().gpu_blocks(x)
    (kernel,) = _kernels(f)
    (loop,) = [s for s in st.walk(kernel.body) if isinstance(s, st.For)]
    counted = key(ir.Cast(I64, ir.Variable(I32, loop.name)))
    loads = [n for s in st.walk(loop) for e in st.expressions(s) for n in nodes(e, ir.Load)]
    wide = {n.name for n in loads if counted in map(key, nodes(n.index, ir.Cast))}
    assert wide == {"flags"}
    assert {n.name for n in loads} >= {"flags", "image"}


def test_threads_stand_aside_once() -> None:
    """A loop that some threads do nothing in stands under what says so."""
    f, g = hc.Func("f"), hc.Func("g")
    g[x, y] = x * y
    f[x, y] = g[x, y] + g[x + 1, y]
    f.gpu_tile(x, y, xi, yi, 16, 3, hc.TailStrategy.GuardWithIf)
    g.compute_at(f, x).gpu_threads(x)
    (kernel,) = _kernels(f)
    (loop,) = [s for s in st.walk(kernel.body) if isinstance(s, st.For)]
    assert not any(isinstance(s, st.IfThenElse) for s in st.walk(loop))
    assert barriers_in(loop) == 0


def test_the_first_window_stands_apart() -> None:
    """Rows that a thread keeps: the first iteration computes three of them, each other one computes one."""
    f, _ = CASES["rolling_rows"].make(hc, True)
    (kernel,) = _kernels(f)
    loads = [n for s in st.walk(kernel.body) for e in st.expressions(s) for n in nodes(e, ir.Load)]
    assert sum(n.name == "source" for n in loads) == 2
    loops = [s for s in st.walk(kernel.body) if isinstance(s, st.For)]
    assert len(loops) == 2
    assert not any(isinstance(s, st.For) for loop in loops for s in st.walk(loop.body))
    assert not any(nodes(e, ir.Select) for s in st.walk(kernel.body) for e in st.expressions(s))


def test_kernels_say_how_many_threads_they_are_for() -> None:
    """Where not each of them can have all registers; the emulator refuses to launch more."""
    small, large, unknown = hc.Func("small"), hc.Func("large"), hc.Func("unknown")
    for f in (small, large, unknown):
        f[x, y] = x * y
    small.gpu_tile(x, y, xi, yi, 32, 8)
    large.gpu_tile(x, y, xi, yi, 32, 16)
    unknown.gpu_blocks(y).gpu_threads(x)
    texts = [to_ptx(_kernels(f), 80) for f in (small, large, unknown)]
    assert ".maxntid" not in texts[0] and ".maxntid 32, 16, 1" in texts[1] and ".maxntid 1024" in texts[2]
    with pytest.raises(DeviceError, match="launched on more threads than it says"):
        Emulator().launch(texts[1], "kernel_large_s0_0", (1, 1, 1), (32, 17, 1), 0, [])
