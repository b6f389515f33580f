"""Pipelines of one and two stages, of all shapes of blocks and threads."""

from __future__ import annotations

from typing import Any

from tests.gpu.registry import case, named, strict


@case((37, 29))
def pointwise(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi = named(hl, "x y xi yi")
    f = hl.Func("f")
    f[x, y] = strict(hl, hl.f32(x) * hl.f32(y) + 1.5)
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 4)
    return f, {}


@case((37, 29), source=((40, 50), "float32"))
def blur_shared(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi = named(hl, "x y xi yi")
    source = hl.ImageParam(hl.Float(32), 2, "source")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = strict(hl, (source[x, y] + source[x + 1, y]) + source[x + 2, y])
    f[x, y] = strict(hl, (g[x, y] + g[x, y + 1]) + g[x, y + 2])
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 4)
        g.compute_at(f, x).gpu_threads(x, y)
    return f, {"source": source}


@case((101,), source=((110,), "int32"))
def one_dimension(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, bx, tx = named(hl, "x bx tx")
    source = hl.ImageParam(hl.Int(32), 1, "source")
    f = hl.Func("f")
    f[x] = source[x] * 3 + source[x + 5]
    if device:
        f.gpu_tile(x, bx, tx, 16, hl.TailStrategy.GuardWithIf)
    return f, {"source": source}


@case((13, 11, 7), source=((13, 11, 7), "uint8"))
def three_dimensions(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, z, a, b, c = named(hl, "x y z a b c")
    source = hl.ImageParam(hl.UInt(8), 3, "source")
    f = hl.Func("f")
    f[x, y, z] = hl.u16(source[x, y, z]) * 257 + hl.u16(x + y * z)
    if device:
        f.gpu_tile(x, y, z, a, b, c, 4, 4, 2, hl.TailStrategy.GuardWithIf)
    return f, {"source": source}


@case((40, 24), source=((40, 24), "uint8"))
def round_up(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, bx, by, tx, ty = named(hl, "x y bx by tx ty")
    source = hl.ImageParam(hl.UInt(8), 2, "source")
    f = hl.Func("f")
    f[x, y] = hl.u8(255) - source[x, y]
    if device:
        f.gpu_tile(x, y, bx, by, tx, ty, 8, 8, hl.TailStrategy.RoundUp)
    return f, {"source": source}


@case((33, 18), source=((40, 25), "uint16"))
def two_kernels(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, bx, tx = named(hl, "x bx tx")
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
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, y = named(hl, "x y")
    f = hl.Func("f")
    f[x, y] = x * 5 - y
    if device:
        f.gpu_single_thread()
    return f, {}


@case((40, 12))
def only_blocks(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y = named(hl, "x y")
    f = hl.Func("f")
    f[x, y] = x * y
    if device:
        f.gpu_blocks(x, y)
    return f, {}


@case((40, 12), source=((40, 12), "float32"))
def vectors(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    """Four elements of each thread, as a vector."""
    x, y, xi, yi, xv = named(hl, "x y xi yi xv")
    source = hl.ImageParam(hl.Float(32), 2, "source")
    f = hl.Func("f")
    f[x, y] = strict(hl, source[x, y] * 2 + 1)
    if device:
        f.split(x, x, xv, 4).vectorize(xv).gpu_tile(x, y, xi, yi, 4, 4, hl.TailStrategy.GuardWithIf)
    return f, {"source": source}


@case((40, 12), source=((40, 12), "int16"))
def unrolled(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi, u = named(hl, "x y xi yi u")
    source = hl.ImageParam(hl.Int(16), 2, "source")
    f = hl.Func("f")
    f[x, y] = hl.saturating_add(source[x, y], hl.i16(x))
    if device:
        f.split(y, y, u, 3).unroll(u).gpu_tile(x, y, xi, yi, 8, 2, hl.TailStrategy.GuardWithIf)
    return f, {"source": source}


@case((31, 15), source=((31, 15), "uint8"))
def borders(hl: Any, device: bool) -> tuple[Any, dict[str, Any]]:
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, y, i, xi, yi = named(hl, "x y i xi yi")
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
    x, y, xi, yi = named(hl, "x y xi yi")
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
    x, y, xi, yi = named(hl, "x y xi yi")
    source = hl.ImageParam(hl.Int(32), 2, "source")
    g, f = hl.Func("g"), hl.Func("f")
    g[x, y] = source[x, y] * 3
    f[x, y] = g[x, y] + g[x + 1, y] - g[x, y + 1]
    if device:
        f.gpu_tile(x, y, xi, yi, 8, 8, hl.TailStrategy.GuardWithIf)
        g.compute_at(f, xi).store_in(hl.MemoryType.Register)
    return f, {"source": source}
