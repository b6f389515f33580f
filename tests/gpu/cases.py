"""Pipelines with schedules for a device, each as a function of the module that it is written in.

A case makes (Func, ImageParams by name); `device` says whether it is scheduled for one.  The arithmetic is of integers
or strict, so that both modules give the same bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Make = Callable[[Any, bool], tuple[Any, dict[str, Any]]]


@dataclass(frozen=True)
class Case:
    """`make` and the sizes of the output, those of the inputs (in x, y order), and whether the package takes it."""

    make: Make
    size: tuple[int, ...]
    inputs: dict[str, tuple[tuple[int, ...], str]]
    package: bool = True


CASES: dict[str, Case] = {}


def case(size: tuple[int, ...], package: bool = True, **inputs: tuple[tuple[int, ...], str]) -> Callable[[Make], Make]:
    """Enters a case; an input is (sizes, NumPy type)."""

    def enter(make: Make) -> Make:
        CASES[make.__name__] = Case(make, size, inputs, package)
        return make

    return enter


def data_of(c: Case, seed: int = 0) -> dict[str, np.ndarray]:
    """Arrays for the inputs of a case, in C's order of axes."""
    random = np.random.default_rng(seed)
    out: dict[str, np.ndarray] = {}
    for name, (sizes, kind) in c.inputs.items():
        shape = sizes[::-1]
        t = np.dtype(kind)
        if t.kind == "f":
            out[name] = random.random(shape).astype(t)
        else:
            info = np.iinfo(t)
            out[name] = random.integers(info.min, info.max, shape, t, endpoint=True)
    return out


def _vars(hl: Any, names: str) -> list[Any]:
    return [hl.Var(n) for n in names.split()]


def _strict(hl: Any, e: Any) -> Any:
    return hl.strict_float(e)


@case((37, 29))
def pointwise(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi = _vars(hl, "x y xi yi")
    f = hl.Func("f")
    f[x, y] = _strict(hl, hl.f32(x) * hl.f32(y) + 1.5)
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 4)
    return f, {}


@case((37, 29), source=((40, 50), "float32"))
def blur_shared(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Float(32), 2, "source")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = _strict(hl, (source[x, y] + source[x + 1, y]) + source[x + 2, y])
    f[x, y] = _strict(hl, (g[x, y] + g[x, y + 1]) + g[x, y + 2])
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 4)
        g.compute_at(f, x).gpu_threads(x, y)
    return f, {"source": source}


@case((101,), source=((110,), "int32"))
def one_dimension(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, bx, tx = _vars(hl, "x bx tx")
    source = hl.ImageParam(hl.Int(32), 1, "source")
    f = hl.Func("f")
    f[x] = source[x] * 3 + source[x + 5]
    if device:
        f.gpu_tile(x, bx, tx, 16, hl.TailStrategy.GuardWithIf)
    return f, {"source": source}


@case((13, 11, 7), source=((13, 11, 7), "uint8"))
def three_dimensions(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, z, a, b, c = _vars(hl, "x y z a b c")
    source = hl.ImageParam(hl.UInt(8), 3, "source")
    f = hl.Func("f")
    f[x, y, z] = hl.u16(source[x, y, z]) * 257 + hl.u16(x + y * z)
    if device:
        f.gpu_tile(x, y, z, a, b, c, 4, 4, 2, hl.TailStrategy.GuardWithIf)
    return f, {"source": source}


@case((40, 24), source=((40, 24), "uint8"))
def round_up(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, bx, by, tx, ty = _vars(hl, "x y bx by tx ty")
    source = hl.ImageParam(hl.UInt(8), 2, "source")
    f = hl.Func("f")
    f[x, y] = hl.u8(255) - source[x, y]
    if device:
        f.gpu_tile(x, y, bx, by, tx, ty, 8, 8, hl.TailStrategy.RoundUp)
    return f, {"source": source}


@case((33, 18), source=((40, 25), "uint16"))
def two_kernels(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.UInt(16), 2, "source")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = hl.u32(source[x, y]) * source[x + 1, y + 2]
    f[x, y] = g[x, y] ^ g[x + 3, y + 1]
    if device:
        g.compute_root().gpu_tile(x, y, xi, yi, 8, 8)
        f.gpu_tile(x, y, xi, yi, 16, 4)
    return f, {"source": source}


@case((33, 18), source=((40, 25), "int16"))
def host_between(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A stage on the device, one on the host, one on the device."""
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(16), 2, "source")
    a, b, f = hl.Func("a"), hl.Func("b"), hl.Func("f")
    a[x, y] = hl.i32(source[x, y]) + source[x + 1, y]
    b[x, y] = a[x, y] * 3 - a[x, y + 1]
    f[x, y] = b[x, y] + b[x + 2, y] + source[x, y]
    a.compute_root()
    b.compute_root()
    if device:
        a.gpu_tile(x, y, xi, yi, 8, 8)
        f.gpu_tile(x, y, xi, yi, 8, 4)
    return f, {"source": source}


@case((33, 18), source=((40, 25), "int16"))
def device_between(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A stage on the host, one on the device, one on the host that reads both."""
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(16), 2, "source")
    a, b, f = hl.Func("a"), hl.Func("b"), hl.Func("f")
    a[x, y] = hl.i32(source[x, y]) + source[x + 1, y]
    b[x, y] = a[x, y] * 3 - a[x, y + 1]
    f[x, y] = b[x, y] + b[x + 2, y] + a[x, y]
    a.compute_root()
    b.compute_root()
    if device:
        b.gpu_tile(x, y, xi, yi, 8, 8)
    return f, {"source": source}


@case((20, 24), source=((20, 24), "int32"))
def update_on_host(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    f = hl.Func("f")
    f[x, y] = source[x, y] * 2
    f[x, 3] = f[x, 3] + f[x, 4]
    f[x, y] += x * 5
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 8)
        f.update(0).unscheduled()
        f.update(1).gpu_tile(x, y, xi, yi, 4, 4)
    return f, {"source": source}


@case((19,), source=((19, 30), "int32"))
def reduction_inside(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A sum of each thread's own, in a register."""
    x, bx, tx = _vars(hl, "x bx tx")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    r = hl.RDom([(0, 30)], "r")
    s, f = hl.Func("s"), hl.Func("f")
    s[x] = hl.i32(x)
    s[x] += source[x, r] * 2
    f[x] = s[x] - 7
    if device:
        f.gpu_tile(x, bx, tx, 8)
        s.compute_at(f, tx)
    return f, {"source": source}


@case((21, 17), source=((21, 40), "int32"), second=((40, 17), "int32"))
def matrix_product(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """Tiles of both factors in shared memory, in a loop of the whole block."""
    x, y, xi, yi = _vars(hl, "x y xi yi")
    p, q = hl.ImageParam(hl.Int(32), 2, "source"), hl.ImageParam(hl.Int(32), 2, "second")
    r = hl.RDom([(0, 40)], "r")
    s, f, a, b = hl.Func("s"), hl.Func("f"), hl.Func("a"), hl.Func("b")
    a[x, y], b[x, y] = p[x, y], q[x, y]
    s[x, y] = 0
    s[x, y] += a[x, r] * b[r, y]
    f[x, y] = s[x, y]
    if device:
        ro, ri = hl.RVar("ro"), hl.RVar("ri")
        f.gpu_tile(x, y, xi, yi, 8, 8, hl.TailStrategy.GuardWithIf)
        s.compute_at(f, x).gpu_threads(x, y)
        s.update().split(r, ro, ri, 8).reorder(ri, x, y, ro).gpu_threads(x, y)
        a.compute_at(s, ro).gpu_threads(x, y)
        b.compute_at(s, ro).gpu_threads(x, y)
    return f, {"source": p, "second": q}


@case((25, 14), source=((40, 25), "int32"))
def three_stages_shared(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """Three stages in one block, of different extents; the first one's memory is used again."""
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    a, b, c, f = (hl.Func(n) for n in ("a", "b", "c", "f"))
    a[x, y] = source[x, y] + x
    b[x, y] = a[x, y] ^ a[x + 2, y]
    c[x, y] = b[x, y] - b[x, y + 1]
    f[x, y] = c[x, y] * c[x + 1, y]
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf)
        for g in (a, b, c):
            g.compute_at(f, x).gpu_threads(x, y)
    return f, {"source": source}


@case((50, 9), source=((60, 20), "int32"))
def fewer_dimensions(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A stage over threads of one dimension in blocks of two, and one without threads."""
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    a, b, f = (hl.Func(n) for n in ("a", "b", "f"))
    a[x, y] = source[x, y] + source[x, y + 1]
    b[y] = source[y, y] * 3
    f[x, y] = a[x, y] - a[x + 1, y] + b[y]
    if device:
        f.gpu_tile(x, y, xi, yi, 16, 3, hl.TailStrategy.GuardWithIf)
        a.compute_at(f, x).gpu_threads(x)
        b.compute_at(f, x)
    return f, {"source": source}


@case((64, 8), source=((80, 20), "int32"))
def lanes(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    a, f = hl.Func("a"), hl.Func("f")
    a[x, y] = source[x, y] * 5
    f[x, y] = a[x, y] - a[x + 1, y]
    if device:
        f.tile(x, y, xi, yi, 16, 4, hl.TailStrategy.RoundUp).gpu_blocks(x, y).gpu_threads(yi).gpu_lanes(xi)
        a.compute_at(f, yi).gpu_lanes(x)
    return f, {"source": source}


@case((17, 5))
def single_thread(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y = _vars(hl, "x y")
    f = hl.Func("f")
    f[x, y] = x * 5 - y
    if device:
        f.gpu_single_thread()
    return f, {}


@case((40, 12))
def only_blocks(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y = _vars(hl, "x y")
    f = hl.Func("f")
    f[x, y] = x * y
    if device:
        f.gpu_blocks(x, y)
    return f, {}


@case((40, 12), source=((40, 12), "float32"))
def vectors(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """Four elements of each thread, as a vector."""
    x, y, xi, yi, xv = _vars(hl, "x y xi yi xv")
    source = hl.ImageParam(hl.Float(32), 2, "source")
    f = hl.Func("f")
    f[x, y] = _strict(hl, source[x, y] * 2 + 1)
    if device:
        f.split(x, x, xv, 4).vectorize(xv).gpu_tile(x, y, xi, yi, 4, 4, hl.TailStrategy.GuardWithIf)
    return f, {"source": source}


@case((40, 12), source=((40, 12), "int16"))
def unrolled(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi, u = _vars(hl, "x y xi yi u")
    source = hl.ImageParam(hl.Int(16), 2, "source")
    f = hl.Func("f")
    f[x, y] = hl.saturating_add(source[x, y], hl.i16(x))
    if device:
        f.split(y, y, u, 3).unroll(u).gpu_tile(x, y, xi, yi, 8, 2, hl.TailStrategy.GuardWithIf)
    return f, {"source": source}


@case((31, 15), source=((31, 15), "uint8"))
def borders(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.UInt(8), 2, "source")
    f = hl.Func("f")

    def at(i: Any, j: Any) -> Any:
        return hl.i32(source[hl.clamp(i, 0, 30), hl.clamp(j, 0, 14)])

    f[x, y] = at(x - 1, y) + at(x + 1, y) - 2 * at(x, y - 1)
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 8)
    return f, {"source": source}


@case((31, 15), source=((31, 15), "uint8"))
def gathered(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A table computed by one kernel, read by another at what an image says."""
    x, y, i, xi, yi = _vars(hl, "x y i xi yi")
    source = hl.ImageParam(hl.UInt(8), 2, "source")
    table, f = hl.Func("table"), hl.Func("f")
    table[i] = hl.u8((i * 7) % 251)
    f[x, y] = table[hl.i32(source[x, y])]
    table.compute_root()
    if device:
        table.bound(i, 0, 256).gpu_tile(i, xi, 32)
        f.gpu_tile(x, y, xi, yi, 8, 8)
    return f, {"source": source}


@case((30, 20), source=((30, 20), "float32"))
def tuples(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Float(32), 2, "source")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = hl.Tuple([source[x, y], hl.i32(x - y)])
    f[x, y] = hl.select(g[x, y][1] > 3, g[x, y][0], -g[x, y][0])
    if device:
        g.compute_root().gpu_tile(x, y, xi, yi, 8, 8)
        f.gpu_tile(x, y, xi, yi, 8, 8)
    return f, {"source": source}


@case((30, 20), source=((34, 24), "int32"))
def inside_threads(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A producer of each thread's own, in local memory."""
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = source[x, y] * 3
    f[x, y] = g[x, y] + g[x + 1, y] - g[x, y + 1]
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 8, hl.TailStrategy.GuardWithIf)
        g.compute_at(f, xi).store_in(hl.MemoryType.Register)
    return f, {"source": source}


@case((30, 20), source=((30, 20), "int32"))
def specialized(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A kernel where the output is wide, and a loop of the host otherwise."""
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    f = hl.Func("f")
    f[x, y] = source[x, y] * 3
    if device:
        f.specialize(source.width() > 16).gpu_tile(x, y, xi, yi, 8, 8)
    return f, {"source": source}


@case((1,), source=((1000,), "int32"))
def factored_sum(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """Partial sums by threads, their sum by one."""
    x, u, ut = _vars(hl, "x u ut")
    source = hl.ImageParam(hl.Int(32), 1, "source")
    r = hl.RDom([(0, 1000)], "r")
    f = hl.Func("f")
    f[x] = 0
    f[x] += source[r]
    if device:
        ro, ri = hl.RVar("ro"), hl.RVar("ri")
        f.update().split(r, ro, ri, 8)
        p = f.update().rfactor(ro, u)
        p.compute_root().gpu_tile(u, ut, 32)
        p.update().gpu_tile(u, ut, 32, hl.TailStrategy.GuardWithIf)
    return f, {"source": source}


@case((16,), source=((300,), "uint8"))
def histogram(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A scatter by one thread of a block whose others clear the bins."""
    x, xi = _vars(hl, "x xi")
    source = hl.ImageParam(hl.UInt(8), 1, "source")
    r = hl.RDom([(0, 300)], "r")
    h, f = hl.Func("h"), hl.Func("f")
    h[x] = 0
    h[hl.i32(source[r]) % 16] += 1
    f[x] = h[x] + x
    if device:
        f.gpu_tile(x, xi, 16)
        h.compute_at(f, x).gpu_threads(x)
        h.update().unscheduled()
    return f, {"source": source}


@case((20, 12), source=((20, 12), "int32"))
def scan(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A running sum along y, of each column by a thread."""
    x, y, xi = _vars(hl, "x y xi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    r = hl.RDom([(1, 11)], "r")
    f = hl.Func("f")
    f[x, y] = source[x, y]
    f[x, r] += f[x, r - 1]
    if device:
        f.gpu_tile(x, y, xi, hl.Var("yi"), 8, 4, hl.TailStrategy.GuardWithIf)
        f.update().gpu_tile(x, xi, 8, hl.TailStrategy.GuardWithIf)
    return f, {"source": source}


@case((20, 12), source=((24, 16), "int32"))
def rolling_rows(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """Each thread's own rows, kept from one iteration to the next."""
    x, y, xi = _vars(hl, "x y xi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = source[x, y] * 7
    f[x, y] = g[x, y] + g[x, y + 1] - g[x, y + 2]
    if device:
        f.split(x, x, xi, 8, hl.TailStrategy.GuardWithIf).reorder(y, xi, x).gpu_blocks(x).gpu_threads(xi)
        g.store_at(f, xi).compute_at(f, y)
    return f, {"source": source}


@case((23, 9), source=((24, 16), "int32"))
def threads_of_any_number(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """As many threads, and as much shared memory, as the output is wide."""
    x, y = _vars(hl, "x y")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = source[x, y] * 7
    f[x, y] = g[x, y] + g[22 - x, y]
    if device:
        f.gpu_blocks(y).gpu_threads(x)
        g.compute_at(f, y).gpu_threads(x)
    return f, {"source": source}


@case((20, 12), source=((24, 16), "float32"))
def halves(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """float16 in shared memory, doubles on the way."""
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Float(32), 2, "source")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = hl.cast(hl.Float(16), source[x, y])
    f[x, y] = hl.f32(_strict(hl, hl.f64(g[x, y]) * 1.25 + hl.f64(g[x + 1, y])))
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 4)
        g.compute_at(f, x).gpu_threads(x, y)
    return f, {"source": source}


@case((20, 12), source=((24, 16), "int64"), second=((24, 16), "int64"))
def wide_integers(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi = _vars(hl, "x y xi yi")
    p, q = hl.ImageParam(hl.Int(64), 2, "source"), hl.ImageParam(hl.Int(64), 2, "second")
    f = hl.Func("f")
    a, b = hl.u64(p[x, y]), hl.max(hl.u64(q[x, y]) >> 40, 3)
    f[x, y] = hl.i64(a / b) + q[x, y] % 1000 - hl.min(q[x, y] / 7, q[x + 1, y])
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 4)
    return f, {"source": p, "second": q}


@case((20, 12), source=((24, 16), "int32"))
def masks(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """Bools, in shared memory and between kernels."""
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    a, b, f = hl.Func("a"), hl.Func("b"), hl.Func("f")
    a[x, y] = source[x, y] > 0
    b[x, y] = a[x, y] & (source[x + 1, y] < 1000)
    f[x, y] = hl.select(b[x, y] | a[x, y + 1], source[x, y], -1)
    if device:
        a.compute_root().gpu_tile(x, y, xi, yi, 8, 4)
        f.gpu_tile(x, y, xi, yi, 8, 4)
        b.compute_at(f, x).gpu_threads(x, y)
    return f, {"source": source}


@case((30, 20), source=((30, 20), "int32"))
def loops_of_threads_with_more(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """Fewer threads than elements of a tile: each does several, one after the other."""
    x, y, xi, yi, xt = _vars(hl, "x y xi yi xt")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = source[hl.clamp(x, 0, 29), hl.clamp(y, 0, 19)] + y
    f[x, y] = g[x, y] + g[x + 1, y + 1]
    if device:
        f.tile(x, y, xi, yi, 16, 4, hl.TailStrategy.GuardWithIf).split(xi, xt, xi, 2).reorder(xi, xt, yi, x, y)
        f.gpu_blocks(x, y).gpu_threads(xt, yi)
        g.compute_at(f, x).split(x, xt, xi, 4, hl.TailStrategy.GuardWithIf).gpu_threads(xt, y)
    return f, {"source": source}


@case((18, 10, 6), source=((20, 12, 8), "int32"))
def three_dimensions_shared(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, z, a, b, c = _vars(hl, "x y z a b c")
    source = hl.ImageParam(hl.Int(32), 3, "source")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y, z] = source[x, y, z] * 3
    f[x, y, z] = g[x, y, z] + g[x + 1, y + 1, z + 1]
    if device:
        f.gpu_tile(x, y, z, a, b, c, 4, 4, 2, hl.TailStrategy.GuardWithIf)
        g.compute_at(f, x).gpu_threads(x, y, z)
    return f, {"source": source}


@case((30, 20), source=((32, 22), "int32"))
def wrapped(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A copy in shared memory of what another kernel computed."""
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = source[x, y] * 3
    f[x, y] = g[x, y] + g[x + 1, y + 1] - g[x + 2, y + 2]
    g.compute_root()
    if device:
        g.gpu_tile(x, y, xi, yi, 8, 8, hl.TailStrategy.GuardWithIf)
        f.gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf)
        g.in_(f).compute_at(f, x).gpu_threads(x, y)
    return f, {"source": source}


@case((12, 20), source=((12, 200), "int32"))
def atomic_threads(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A sum whose threads meet in one element."""
    x, y, xi = _vars(hl, "x y xi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    r = hl.RDom([(0, 10)], "r")
    f = hl.Func("f")
    f[x, y] = 0
    f[x, y] += source[x, y * 10 + r]
    if device:
        f.gpu_tile(x, y, xi, hl.Var("yi"), 4, 4)
        f.update().atomic().gpu_blocks(x, y).gpu_threads(r).reorder(r, x, y)
    return f, {"source": source}


@case((20, 12), source=((24, 16), "int32"))
def one_loop_for_two(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """Two stages in common loops over blocks and threads."""
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    a, b, f = hl.Func("a"), hl.Func("b"), hl.Func("f")
    a[x, y] = source[x, y] * 7
    b[x, y] = source[x, y] - 9
    f[x, y] = a[x, y] * b[x, y]
    a.compute_root()
    b.compute_root()
    if device:
        a.gpu_tile(x, y, xi, yi, 4, 4, hl.TailStrategy.RoundUp)
        b.gpu_tile(x, y, xi, yi, 4, 4, hl.TailStrategy.RoundUp).compute_with(a, xi)
        f.gpu_tile(x, y, xi, yi, 4, 4)
    return f, {"source": source}


@case((30, 20), package=False, source=((34, 24), "int32"))
def on_the_heap(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A tile in the device's memory, a part of it for each block; and a part for each row of threads.

    The package's kernel reads beyond what its host code allocates for this one."""
    x, y, xi, yi = _vars(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    g, h, f = hl.Func("g"), hl.Func("h"), hl.Func("f")
    g[x, y] = source[x, y] * 3
    h[x, y] = g[x, y] - g[x + 1, y + 1]
    f[x, y] = h[x, y] + h[x + 1, y]
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf)
        g.compute_at(f, x).store_in(hl.MemoryType.Heap).gpu_threads(x, y)
        h.compute_at(f, yi).store_in(hl.MemoryType.Heap).gpu_threads(x)
    return f, {"source": source}
