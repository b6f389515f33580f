"""Reductions, scans, storage of every kind, types, and stages that other directives bring together."""

from __future__ import annotations

from typing import Any

from tests.gpu.registry import case, named, strict


@case((30, 20), source=((30, 20), "int32"))
def specialized(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A kernel where the output is wide, and a loop of the host otherwise."""
    x, y, xi, yi = named(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    f = hl.Func("f")
    f[x, y] = source[x, y] * 3
    if device:
        f.specialize(source.width() > 16).gpu_tile(x, y, xi, yi, 8, 8)
    return f, {"source": source}


@case((1,), source=((1000,), "int32"))
def factored_sum(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """Partial sums by threads, their sum by one."""
    x, u, ut = named(hl, "x u ut")
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


@case((37, 5), package=False, source=((37, 5), "float64"))
def functions_of_doubles(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """All functions of float64; the package's are of a library of NVIDIA's, which has other last places."""
    x, y, xi, yi = named(hl, "x y xi yi")
    source = hl.ImageParam(hl.Float(64), 2, "source")
    v = source[x, y]
    f = hl.Func("f")
    f[x, y] = (
        *(g(v) for g in (hl.exp, hl.log, hl.sin, hl.cos, hl.tan, hl.asin, hl.acos, hl.atan)),
        *(g(v) for g in (hl.sinh, hl.cosh, hl.tanh, hl.asinh, hl.atanh, hl.sqrt, hl.floor)),
        *(hl.acosh(v + 1), hl.pow(v, v * 3), hl.atan2(v, v - 0.25)),
    )
    g = hl.Func("g")
    g[x, y] = sum((f[x, y][k] for k in range(1, 18)), f[x, y][0])
    if device:
        g.gpu_tile(x, y, xi, yi, 16, 4)
        f.compute_root().gpu_tile(x, y, xi, yi, 16, 4)
    return g, {"source": source}


@case((16,), source=((300,), "uint8"))
def histogram(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A scatter by one thread of a block whose others clear the bins."""
    x, xi = named(hl, "x xi")
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
    x, y, xi = named(hl, "x y xi")
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
    x, y, xi = named(hl, "x y xi")
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
    x, y = named(hl, "x y")
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
    x, y, xi, yi = named(hl, "x y xi yi")
    source = hl.ImageParam(hl.Float(32), 2, "source")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = hl.cast(hl.Float(16), source[x, y])
    f[x, y] = hl.f32(strict(hl, hl.f64(g[x, y]) * 1.25 + hl.f64(g[x + 1, y])))
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 4)
        g.compute_at(f, x).gpu_threads(x, y)
    return f, {"source": source}


@case((20, 12), source=((24, 16), "int64"), second=((24, 16), "int64"))
def wide_integers(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, y, xi, yi, xt = named(hl, "x y xi yi xt")
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
    x, y, z, a, b, c = named(hl, "x y z a b c")
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
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, y, xi = named(hl, "x y xi")
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
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, y, xi, yi = named(hl, "x y xi yi")
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


@case((48, 12), source=((52, 14), "int32"))
def chain_of_lanes(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """Stages by lanes of a warp that read their neighbours in the one before; some lanes stand aside."""
    x, y, xi, yi = named(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    a, b, f = hl.Func("a"), hl.Func("b"), hl.Func("f")
    a[x, y] = source[x, y] * 5
    b[x, y] = a[x, y] - a[x + 1, y]
    f[x, y] = b[x, y] * 3 + b[x + 2, y]
    if device:
        f.tile(x, y, xi, yi, 24, 4, hl.TailStrategy.RoundUp).gpu_blocks(x, y).gpu_threads(yi).gpu_lanes(xi)
        a.compute_at(f, yi).gpu_lanes(x)
        b.compute_at(f, yi).gpu_lanes(x)
    return f, {"source": source}


@case((64, 8), source=((96, 8), "uint8"))
def rows_in_lanes(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """A row in the registers of a warp, two elements to a lane, read at places that data choose."""
    x, y, xi, yi, u = named(hl, "x y xi yi u")
    source = hl.ImageParam(hl.UInt(8), 2, "source")
    a, f = hl.Func("a"), hl.Func("f")
    a[x, y] = hl.u16(source[x, y]) * 3
    f[x, y] = a[x + 1, y] + a[x + (hl.i32(source[x, y]) & 7), y]
    if device:
        f.tile(x, y, xi, yi, 32, 4, hl.TailStrategy.RoundUp).gpu_blocks(x, y).gpu_threads(yi).gpu_lanes(xi)
        a.compute_at(f, yi).split(x, u, x, 32, hl.TailStrategy.RoundUp).gpu_lanes(x).unroll(u)
        a.store_in(hl.MemoryType.Register)
    return f, {"source": source}
