"""Directives for a device in all their forms, as scripts for both modules: what a pipeline computes, and its schedule.

A script sees the module as `hl`, Funcs f, g, h and p, Vars of one and two letters, an image `src` of int32 (64 by 48),
and the RDom r of 10 by 5."""

from __future__ import annotations

from dataclasses import dataclass

_POINT = "f[x, y] = src[x, y] * 3 + y"
_PAIR = "g[x, y] = src[x, y] * 5; f[x, y] = g[x, y] - g[x + 1, y + 2]"
_SUM = "f[x, y] = x; f[x, y] += src[x, y] * 2"
_COLUMN = "f[x] = x; f[x] += src[x, r.x]"
_COUNT = "h[x] = 0; h[src[r.x, r.y] % 8] += 1; f[x] = h[x] + x"
_TILE = "f.gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf); "
_CUBE = "f[x, y, z] = src[x, y] * z + x"
_LINE = "f[x] = src[x, 3] - x"


@dataclass(frozen=True)
class Script:
    """`definition` of f, the `schedule`, and the sizes of f's box."""

    definition: str
    schedule: str
    size: tuple[int, ...]


SCRIPTS: dict[str, Script] = {}


def _add(kind: str, definition: str, size: tuple[int, ...], *schedules: str) -> None:
    for schedule in schedules:
        SCRIPTS[f"{kind} {sum(k.startswith(kind + ' ') for k in SCRIPTS)}"] = Script(definition, schedule, size)


_add(
    "blocks", _POINT, (19, 13),
    "f.gpu_blocks(x)",
    "f.gpu_blocks(y)",
    "f.gpu_blocks(x, y)",
    "f.gpu_blocks(x).gpu_blocks(y)",
    "f.reorder(y, x).gpu_blocks(y, x)",
    "f.gpu_blocks(x, y, hl.DeviceAPI.CUDA)",
    "f.gpu_blocks(x, y, hl.DeviceAPI.Default_GPU)",
    "f.fuse(x, y, t).gpu_blocks(t)",
    "f.split(x, xo, xi, 4, hl.TailStrategy.GuardWithIf).gpu_blocks(xi)",
    "f.gpu_blocks(x, y).vectorize(x)",
    "f.gpu_blocks(x, y).parallel(y)",
)  # fmt: skip
_add(
    "three blocks", _CUBE, (9, 7, 5),
    "f.gpu_blocks(x, y, z)",
    "f.reorder(z, x, y).gpu_blocks(x, y).gpu_threads(z)",
    "f.gpu_blocks(y, z).gpu_threads(x)",
    "f.gpu_threads(x, y).gpu_blocks(z)",
    "f.gpu_threads(x, y, z)",
    "f.gpu_blocks(z).gpu_threads(x).unroll(y)",
    "f.split(y, y, yi, 2, hl.TailStrategy.GuardWithIf).reorder(yi, x, y, z).fuse(y, z, y)"
    ".gpu_blocks(x, y).gpu_threads(yi)",
)  # fmt: skip
_add(
    "threads", _POINT, (19, 13),
    "f.gpu_threads(x)",
    "f.gpu_blocks(y).gpu_threads(x)",
    "f.gpu_blocks(x).gpu_threads(y)",
    "f.gpu_threads(x).gpu_blocks(y)",
    "f.tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf).gpu_blocks(y).gpu_threads(xi, yi)",
    "f.tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf).gpu_blocks(x, y).gpu_threads(yi)",
    "f.tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf).gpu_blocks(x, y).gpu_threads(xi)",
    "f.tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf).gpu_blocks(x, y).gpu_threads(xi).gpu_threads(yi)",
    "f.split(x, xo, xi, 8, hl.TailStrategy.GuardWithIf).gpu_blocks(y).gpu_threads(xo)",
    "f.split(x, xo, xi, 8, hl.TailStrategy.GuardWithIf).gpu_blocks(y).gpu_threads(xo).vectorize(xi)",
    "f.split(x, xo, xi, 8, hl.TailStrategy.GuardWithIf).gpu_blocks(y).gpu_threads(xo).unroll(xi)",
    "f.split(x, xo, xi, 8, hl.TailStrategy.GuardWithIf).gpu_blocks(xo).gpu_threads(xi)",
    "f.gpu_blocks(y).gpu_threads(x).gpu_threads(x)",
    "f.gpu_threads(y)",
)  # fmt: skip
_add(
    "tiles of one", _LINE, (53,),
    "f.gpu_tile(x, xi, 16)",
    "f.gpu_tile(x, bx, xi, 16)",
    "f.gpu_tile(x, xi, 16, hl.TailStrategy.GuardWithIf)",
    "f.gpu_tile(x, bx, xi, 16, hl.TailStrategy.ShiftInwards)",
    "f.gpu_tile(x, xi, 16, hl.TailStrategy.Predicate)",
    "f.gpu_tile(x, xi, 1)",
    "f.gpu_tile(x, bx, xi, 16, hl.TailStrategy.GuardWithIf, hl.DeviceAPI.CUDA)",
    "f.gpu_tile(x, xi, 16, hl.TailStrategy.PredicateStores)",
    "f.gpu_tile(x, xi, 16, hl.TailStrategy.ShiftInwardsAndBlend)",
    "f.gpu_tile(x, xi, 16, hl.TailStrategy.RoundUpAndBlend)",
    "f.gpu_tile(x, x, xi, 16)",
    "f.gpu_tile(x, xi, 2048, hl.TailStrategy.GuardWithIf)",
    "f.gpu_tile(x, xi, 0)",
)  # fmt: skip
_add("rounded tiles", _LINE, (48,), "f.gpu_tile(x, xi, 16, hl.TailStrategy.RoundUp)")
_add(
    "tiles of two", _POINT, (37, 22),
    "f.gpu_tile(x, y, xi, yi, 8, 4)",
    "f.gpu_tile(x, y, bx, by, xi, yi, 8, 4)",
    "f.gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf)",
    "f.gpu_tile(x, y, xi, yi, 1, 4)",
    "f.gpu_tile(y, x, yi, xi, 4, 8)",
    "f.gpu_tile(x, y, xi, yi, 32, 33, hl.TailStrategy.GuardWithIf)",
    "f.gpu_tile(x, y, xi, yi, 8, 4).gpu_tile(x, y, xi, yi, 2, 2)",
    "f.gpu_tile(x, y, xi, yi, 8, 4).unroll(yi)",
    "f.gpu_tile(x, y, xi, yi, 8, 4).vectorize(xi)",
    "f.gpu_tile(x, y, xi, yi, 8, 4).serial(xi)",
    "f.tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf).gpu(x, y, xi, yi)",
    "f.split(x, x, xi, 8, hl.TailStrategy.GuardWithIf).gpu(x, xi)",
    "f.gpu(y, x)",
    "f.gpu(x, y)",
    "f.gpu_single_thread()",
    "f.gpu_single_thread(hl.DeviceAPI.CUDA)",
    "f.bound(x, 0, 37).bound(y, 0, 22).gpu_tile(x, y, xi, yi, 16, 16, hl.TailStrategy.GuardWithIf)",
    "f.specialize(src.width() > 10).gpu_tile(x, y, xi, yi, 8, 4)",
    "f.specialize(src.width() > 100).gpu_tile(x, y, xi, yi, 8, 4)",
    "f.gpu_tile(x, y, xi, yi, 8, 4).specialize(src.width() > 10)",
    "f.gpu_tile(x, y, xi, yi, 8, 4).specialize(src.width() > 10).unroll(yi)",
    "f.specialize(src.width() > 10).gpu_tile(x, y, xi, yi, 8, 4); f.specialize_fail('narrow')",
    "f.compute_root().gpu_tile(x, y, xi, yi, 8, 4).partition(x, hl.Partition.Never)",
)  # fmt: skip
_add(
    "tiles of three", _CUBE, (11, 9, 5),
    "f.gpu_tile(x, y, z, xi, yi, zi, 4, 4, 2)",
    "f.gpu_tile(x, y, z, bx, by, bz, xi, yi, zi, 4, 4, 2, hl.TailStrategy.GuardWithIf)",
    "f.gpu_tile(x, y, xi, yi, 4, 4).gpu_blocks(z)",
    "f.gpu_tile(x, y, xi, yi, 4, 4)",
    "f.tile(x, y, xi, yi, 4, 4, hl.TailStrategy.GuardWithIf).gpu(x, y, z, xi, yi, zi)",
    "f.gpu_tile(x, y, z, xi, yi, zi, 16, 8, 16, hl.TailStrategy.GuardWithIf)",
)  # fmt: skip
_add(
    "lanes", _POINT, (64, 12),
    "f.split(x, xo, xi, 32).gpu_blocks(xo, y).gpu_lanes(xi)",
    "f.split(x, xo, xi, 16).gpu_blocks(xo, y).gpu_lanes(xi)",
    "f.split(x, xo, xi, 20, hl.TailStrategy.GuardWithIf).gpu_blocks(xo, y).gpu_lanes(xi)",
    "f.split(x, xo, xi, 33, hl.TailStrategy.GuardWithIf).gpu_blocks(xo, y).gpu_lanes(xi)",
    "f.gpu_blocks(y).gpu_lanes(x)",
    "f.gpu_lanes(x)",
    "f.tile(x, y, xi, yi, 32, 4).gpu_blocks(x, y).gpu_threads(yi).gpu_lanes(xi)",
    "f.tile(x, y, xi, yi, 32, 4).gpu_blocks(x, y).gpu_threads(xi).gpu_lanes(yi)",
    "f.split(x, xo, xi, 1).gpu_blocks(xo, y).gpu_lanes(xi)",
    "f.split(x, xo, xi, 64).split(xi, xi, u, 2).vectorize(u).gpu_blocks(xo, y).gpu_lanes(xi)",
)  # fmt: skip
_WARP = "f.tile(x, y, xi, yi, 32, 4, hl.TailStrategy.RoundUp).gpu_blocks(x, y).gpu_threads(yi).gpu_lanes(xi); "
_OWN = "g[x, y] = src[x, y] * 5; f[x, y] = g[x, y] + 1"
_add(
    "stored by lanes", _OWN, (32, 8),
    _WARP + "g.compute_at(f, yi).gpu_lanes(x)",
    _WARP + "g.compute_at(f, yi).store_in(hl.MemoryType.Register).gpu_lanes(x)",
    _WARP + "g.compute_at(f, yi).store_in(hl.MemoryType.Stack).gpu_lanes(x)",
    _WARP + "g.compute_at(f, yi).store_in(hl.MemoryType.GPUShared).gpu_lanes(x)",
    _WARP + "g.compute_at(f, xi)",
    _WARP + "g.compute_at(f, xi).store_in(hl.MemoryType.Register)",
    _WARP + "g.compute_at(f, x).gpu_threads(y).gpu_lanes(x)",
)  # fmt: skip
_ROW = "f.tile(x, y, xi, yi, {}, 4, hl.TailStrategy.{}).gpu_blocks(x, y).gpu_threads(yi).gpu_lanes(xi); "
_ROUNDED, _HALF, _GUARDED = _ROW.format(32, "RoundUp"), _ROW.format(16, "RoundUp"), _ROW.format(16, "GuardWithIf")
_TWICE = "g.compute_at(f, yi).split(x, xo, xi, 32, hl.TailStrategy.RoundUp).gpu_lanes(xi)"
_NEXT = "g[x, y] = src[hl.clamp(x, 0, 63), y] * 5; f[x, y] = g[x, y] - g[x + 1, y]"
_BY_LANES = "g.compute_at(f, yi).gpu_lanes(x)"
_add(
    "exchanged by neighbours", _NEXT, (48, 12),
    _HALF + _BY_LANES,
    _GUARDED + _BY_LANES,
    _HALF + _BY_LANES + ".store_in(hl.MemoryType.Register)",
    _HALF + _BY_LANES + ".store_in(hl.MemoryType.Stack)",
    _HALF + _BY_LANES + ".store_in(hl.MemoryType.GPUShared)",
    _ROW.format(8, "RoundUp") + _BY_LANES,
    _ROW.format(12, "RoundUp") + _BY_LANES,
    _HALF + "g.compute_at(f, x).gpu_threads(y).gpu_lanes(x)",
    _HALF + _TWICE + ".unroll(xo)",
    _ROW.format(24, "GuardWithIf").replace(".gpu_threads(yi)", ".split(yi, yi, v, 2).reorder(xi, v, yi, x, y)"
    ".gpu_threads(yi)") + _BY_LANES + ".unroll(y)",
)  # fmt: skip
_add(
    "exchanged in two turns", _NEXT, (32, 12),
    _ROUNDED + _BY_LANES,
    _ROUNDED + _TWICE,
    _ROUNDED + _TWICE + ".unroll(xo)",
    _ROUNDED + "g.compute_at(f, yi).split(x, xi, xo, 2, hl.TailStrategy.RoundUp).gpu_lanes(xi)",
    _ROUNDED + "g.compute_at(f, yi).split(x, xi, xo, 2, hl.TailStrategy.RoundUp).vectorize(xo).gpu_lanes(xi)",
    "f.tile(x, y, xi, yi, 32, 2, hl.TailStrategy.RoundUp).vectorize(xi, 2).gpu_blocks(x, y).gpu_threads(yi)"
    ".gpu_lanes(xi); g.compute_at(f, yi).split(x, xi, xo, 2, hl.TailStrategy.RoundUp).vectorize(xo).gpu_lanes(xi)",
)  # fmt: skip
for _value in (
    "hl.u8({})", "hl.i64({})", "hl.f32({})", "hl.f64({}) / 2", "hl.cast(hl.Float(16), {} % 64)", "{} > 0", "hl.i16({})",
):  # fmt: skip
    _add(
        "exchanged values", f"g[x, y] = {_value.format('src[x, y]')}; f[x, y] = hl.i32(g[x + 2, y]) - hl.i32(g[x, y])",
        (32, 8), _HALF + _BY_LANES, _HALF + _BY_LANES + ".store_in(hl.MemoryType.GPUShared)",
    )  # fmt: skip
for _where, _size in (
    ("src[x, y] % 32", (32, 8)), ("x + y % 4", (32, 8)), ("31 - x % 32", (32, 8)), ("x / 2 + 3", (32, 8)),
    ("2 * (x % 16)", (32, 8)), ("hl.clamp(x ^ 5, 0, 31)", (32, 8)), ("hl.select(src[x, y] > 0, x, x + 7)", (32, 8)),
    ("(x + 3) % 16", (32, 8)), ("x + hl.clamp(src[x, y], 0, 9)", (32, 8)), ("7 + y * 0", (32, 8)),
):  # fmt: skip
    _add(
        "exchanged from anywhere", f"g[x, y] = src[x, y] * 5; f[x, y] = g[{_where}, y] - x", _size,
        _HALF + _BY_LANES, _GUARDED + _BY_LANES, _ROUNDED + _TWICE,
    )  # fmt: skip
_add(
    "exchanged in part", "g[x, y] = src[x, y] * 5; f[x, y] = hl.select(src[x, y] > 0, g[x + 1, y], x) + g[x + 2, y]",
    (48, 8), _HALF + _BY_LANES, _GUARDED + _BY_LANES,
)  # fmt: skip
_add(
    "exchanged along a chain",
    "g[x, y] = src[x, y] * 5; h[x, y] = g[x, y] + g[x + 1, y]; p[x, y] = h[x, y] - h[x + 2, y]; "
    "f[x, y] = p[x + 1, y] + x",
    (48, 8),
    *(row + "".join(f"; {n}.compute_at(f, yi).gpu_lanes(x)" for n in "ghp") for row in (
        _ROW.format(24, "GuardWithIf")[:-2], _ROW.format(10, "GuardWithIf")[:-2],
    )),
)  # fmt: skip
_add(
    "exchanged after updates", "g[x, y] = src[x, y]; g[x, y] += src[x, r.x] * r.x; f[x, y] = g[x, y] - g[x + 1, y]",
    (32, 8),
    _HALF + _BY_LANES + "; g.update().gpu_lanes(x)",
    _HALF + _BY_LANES + "; g.update().reorder(r.x, r.y, x).gpu_lanes(x)",
    _HALF + "g.compute_at(f, yi); g.update().gpu_lanes(x)",
)  # fmt: skip
_add(
    "exchanged rows", "h[y] = src[5, y] * 3; g[x] = src[x, 3]; f[x, y] = g[x] * 100 + h[y]", (32, 32),
    "f.tile(x, y, xi, yi, 32, 32, hl.TailStrategy.RoundUp).gpu_blocks(x, y).gpu_lanes(xi); "
    "g.compute_at(f, x).gpu_lanes(x).store_in(hl.MemoryType.Register); "
    "h.compute_at(f, x).gpu_lanes(y).store_in(hl.MemoryType.Register)",
    "f.tile(x, y, xi, yi, 32, 16, hl.TailStrategy.RoundUp).gpu_blocks(x, y).gpu_lanes(xi); "
    "g.compute_at(f, x).gpu_lanes(x); h.compute_at(f, x).gpu_lanes(y)",
    "f.tile(x, y, xi, yi, 32, 16, hl.TailStrategy.RoundUp).gpu_blocks(x, y).gpu_lanes(xi); "
    "h.compute_at(f, x).store_in(hl.MemoryType.Register); g.compute_at(f, yi)",
)  # fmt: skip
_add(
    "added up by lanes", "g[x] = 0; g[x] += src[r.x, x % 48]; f[x] = g[x]", (48,),
    "f.split(x, x, xi, 8, hl.TailStrategy.RoundUp).split(xi, xi, t, 1).gpu_blocks(x).gpu_threads(xi, t); "
    "q = g.update().rfactor(r.y, u); q.compute_at(f, xi).gpu_lanes(u); q.update().gpu_lanes(u); g.compute_at(f, t)",
    "f.split(x, x, xi, 8, hl.TailStrategy.RoundUp).split(xi, xi, t, 1).gpu_blocks(x).gpu_threads(xi).gpu_lanes(t); "
    "q = g.update().rfactor(r.y, u); q.compute_at(f, xi).gpu_lanes(u); q.update().gpu_lanes(u); g.compute_at(f, xi)",
)  # fmt: skip
_add(
    "computed in blocks", _PAIR, (23, 14),
    _TILE + "g.compute_at(f, x).gpu_threads(x, y)",
    _TILE + "g.compute_at(f, x).gpu_threads(x)",
    _TILE + "g.compute_at(f, x).gpu_threads(y)",
    _TILE + "g.compute_at(f, x)",
    _TILE + "g.compute_at(f, y)",
    _TILE + "g.compute_at(f, yi)",
    _TILE + "g.compute_at(f, yi).gpu_threads(x)",
    _TILE + "g.compute_at(f, xi)",
    _TILE + "g.compute_at(f, xi).gpu_threads(x)",
    _TILE + "g.compute_at(f, xi).unroll(x).unroll(y)",
    _TILE + "g.compute_at(f, x).gpu_threads(x, y).vectorize(x)",
    _TILE + "g.compute_at(f, x).split(x, xo, xi, 2, hl.TailStrategy.GuardWithIf).vectorize(xi).gpu_threads(xo, y)",
    _TILE + "g.compute_at(f, x).split(x, xo, xi, 2, hl.TailStrategy.GuardWithIf).gpu_threads(xo, y)",
    _TILE + "g.compute_at(f, x).reorder(y, x).gpu_threads(y, x)",
    _TILE + "g.compute_at(f, x).gpu_blocks(x)",
    _TILE + "g.compute_at(f, x).parallel(y)",
    _TILE + "g.compute_at(f, x).fuse(x, y, t).gpu_threads(t)",
    _TILE + "g.store_at(f, x).compute_at(f, xi)",
    _TILE + "g.store_at(f, y).compute_at(f, x).gpu_threads(x, y)",
    _TILE + "g.store_root().compute_at(f, x).gpu_threads(x, y)",
    _TILE + "g.compute_at(f, x).align_storage(x, 16).gpu_threads(x, y)",
    _TILE + "g.compute_at(f, x).reorder_storage(y, x).gpu_threads(x, y)",
    _TILE + "g.compute_at(f, x).bound_extent(x, 9).gpu_threads(x, y)",
    _TILE + "g.compute_at(f, x).gpu_single_thread()",
    "f.gpu_blocks(y); g.compute_at(f, y).gpu_threads(x)",
    "f.gpu_blocks(y).gpu_threads(x); g.compute_at(f, y).gpu_threads(x, y)",
    "g.compute_at(f, y).gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf)",
    "f.parallel(y); g.compute_at(f, y).gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf)",
    _TILE + "g.compute_root()",
    _TILE + "g.compute_root().parallel(y).vectorize(x, 8, hl.TailStrategy.GuardWithIf)",
    "g.compute_root().gpu_tile(x, y, xi, yi, 8, 8, hl.TailStrategy.GuardWithIf)",
    "g.compute_root().gpu_tile(x, y, xi, yi, 8, 8, hl.TailStrategy.GuardWithIf); f.parallel(y)",
)  # fmt: skip
_add(
    "stored in", _PAIR, (23, 14),
    *(_TILE + f"g.compute_at(f, x).gpu_threads(x, y).store_in(hl.MemoryType.{m})" for m in (
        "Auto", "GPUShared", "Stack", "Register", "LockedCache", "VTCM",
    )),
    *(_TILE + f"g.compute_at(f, xi).store_in(hl.MemoryType.{m})" for m in (
        "Auto", "GPUShared", "Stack", "Register", "LockedCache", "VTCM",
    )),
    *(_TILE + f"g.compute_root().store_in(hl.MemoryType.{m})" for m in ("Heap", "GPUShared", "Stack", "Register")),
)  # fmt: skip
_add(
    "updates", _SUM, (23, 14),
    _TILE + "f.update().gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf)",
    _TILE + "f.update().gpu_tile(x, y, xi, yi, 8, 4)",
    _TILE + "f.update().gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.ShiftInwards)",
    _TILE + "f.update().gpu_blocks(x, y)",
    _TILE + "f.update().gpu_single_thread()",
    _TILE + "f.update().unscheduled()",
    "f.update().gpu_tile(x, y, xi, yi, 8, 4)",
    "f.update().gpu_threads(x)",
    _TILE + "f.update().parallel(y)",
)  # fmt: skip
_add(
    "sums", _COLUMN, (27,),
    "f.gpu_tile(x, xi, 8); f.update().gpu_tile(x, xi, 8)",
    "f.gpu_tile(x, xi, 8); f.update().reorder(r.x, x).gpu_tile(x, xi, 8)",
    "f.gpu_tile(x, xi, 8); f.update().reorder(r.x, r.y, x).gpu_blocks(x).gpu_threads(r.x)",
    "f.gpu_tile(x, xi, 8); f.update().atomic().reorder(r.x, r.y, x).gpu_blocks(x).gpu_threads(r.x)",
    "f.gpu_tile(x, xi, 8); f.update().atomic().reorder(x, r.x, r.y).gpu_blocks(r.y).gpu_threads(x)",
    "f.gpu_tile(x, xi, 8); f.update().reorder(x, r.x, r.y).gpu_blocks(r.y).gpu_threads(x)",
    "f.gpu_tile(x, xi, 8); f.update().gpu_single_thread()",
    "q = f.update().rfactor(r.y, u); q.compute_root().gpu_tile(u, v, 8, hl.TailStrategy.GuardWithIf); "
    "q.update().gpu_blocks(u); f.gpu_tile(x, xi, 8)",
    "q = f.update().rfactor(r.y, u); f.gpu_tile(x, xi, 8); q.compute_root(); "
    "q.update().gpu_blocks(u).gpu_threads(x); f.update().gpu_tile(x, xi, 8)",
)  # fmt: skip
_add(
    "counts", _COUNT, (8,),
    "h.compute_root().gpu_tile(x, xi, 8); h.update().atomic().gpu_blocks(r.y).gpu_threads(r.x)",
    "h.compute_root(); h.update().atomic().gpu_blocks(r.y).gpu_threads(r.x)",
    "h.compute_root(); h.update().atomic().gpu_threads(r.x, r.y)",
    "h.compute_root(); h.update().gpu_blocks(r.y).gpu_threads(r.x)",
    "h.compute_root(); h.update().gpu_single_thread()",
    "f.gpu_tile(x, xi, 8); h.compute_at(f, x).gpu_threads(x); h.update().atomic().gpu_threads(r.x)",
    "f.gpu_tile(x, xi, 8); h.compute_at(f, x).gpu_threads(x); h.update().atomic().gpu_threads(r.x, r.y)",
    "f.gpu_tile(x, xi, 8); h.compute_at(f, x).gpu_threads(x)",
    "f.gpu_tile(x, xi, 8); h.compute_at(f, xi)",
    "q = h.update().rfactor(r.y, u); q.compute_root().gpu_tile(x, u, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf); "
    "q.update().gpu_blocks(u); h.compute_root().gpu_tile(x, xi, 8); f.gpu_tile(x, xi, 8)",
)  # fmt: skip
for _type, _operation in (
    ("int32", "f[x] - src[r.x, x]"), ("int32", "hl.max(f[x], src[r.x, x])"), ("int32", "hl.min(f[x], src[r.x, x])"),
    ("uint32", "hl.max(f[x], hl.u32(src[r.x, x]))"), ("uint32", "f[x] & hl.u32(src[r.x, x])"),
    ("uint32", "f[x] | hl.u32(src[r.x, x])"), ("uint32", "f[x] ^ hl.u32(src[r.x, x])"),
    ("int64", "f[x] + src[r.x, x]"), ("uint64", "hl.min(f[x], hl.u64(src[r.x, x]))"), ("int16", "f[x] + hl.i16(r.x)"),
    ("uint8", "hl.max(f[x], hl.u8(src[r.x, x]))"), ("int32", "f[x] * src[r.x, x]"), ("int32", "f[x] * 2 + src[r.x, x]"),
    ("float32", "f[x] + hl.f32(src[r.x, x])"), ("float64", "f[x] + hl.f64(src[r.x, x])"),
    ("float32", "f[x] - hl.f32(src[r.x, x])"), ("float32", "hl.max(f[x], hl.f32(src[r.x, x]))"),
    ("float64", "hl.min(f[x], hl.f64(src[r.x, x]))"), ("uint16", "f[x] ^ hl.u16(src[r.x, x])"),
    ("int8", "hl.min(f[x], hl.i8(src[r.x, x]))"),
):  # fmt: skip
    _kind = _type[0] + _type.lstrip("uintfloa")
    _add(
        "in one step", f"f[x] = hl.{_kind}(x); f[x] = {_operation}", (11,),
        "f.gpu_tile(x, xi, 8); f.update().atomic().reorder(r.x, x).gpu_blocks(x).gpu_threads(r.x)",
    )  # fmt: skip
_add(
    "two stages", "g[x, y] = src[x, y] + 1; h[x, y] = src[x, y] * 2; f[x, y] = g[x, y] * h[x, y]", (23, 14),
    "g.compute_root().gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.RoundUp); "
    "h.compute_root().gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.RoundUp).compute_with(g, xi); " + _TILE,
    "g.compute_root().gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.RoundUp); "
    "h.compute_root().gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.RoundUp).compute_with(g, x); " + _TILE,
    "g.compute_root().gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.RoundUp); "
    "h.compute_root().gpu_tile(x, y, xi, yi, 4, 4, hl.TailStrategy.RoundUp).compute_with(g, x); " + _TILE,
    "g.compute_root().gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.RoundUp); "
    "h.compute_root().compute_with(g, y); " + _TILE,
    _TILE + "g.compute_at(f, x).gpu_threads(x, y); h.compute_at(f, x).gpu_threads(x, y).compute_with(g, x)",
    _TILE + "g.compute_at(f, x).gpu_threads(x, y); h.compute_at(f, xi)",
    _TILE + "g.compute_root(); h.compute_at(f, x).gpu_threads(x)",
    _TILE + "g.compute_root().gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf); h.compute_root().parallel(y)",
)  # fmt: skip
_add(
    "kept rows", "g[x, y] = src[x, y] * 5; f[x, y] = g[x, y] - g[x, y + 1]", (23, 14),
    "f.split(x, x, xi, 8, hl.TailStrategy.GuardWithIf).reorder(y, xi, x).gpu_blocks(x).gpu_threads(xi); "
    "g.store_at(f, xi).compute_at(f, y)",
    "f.split(x, x, xi, 8, hl.TailStrategy.GuardWithIf).reorder(xi, y, x).gpu_blocks(x).gpu_threads(xi); "
    "g.store_at(f, x).compute_at(f, y).gpu_threads(x)",
    "f.split(x, x, xi, 8, hl.TailStrategy.GuardWithIf).reorder(xi, y, x).gpu_blocks(x).gpu_threads(xi); "
    "g.store_at(f, x).compute_at(f, y).gpu_threads(x).fold_storage(y, 2)",
    "f.gpu_blocks(y).gpu_threads(x); g.store_root().compute_at(f, y).gpu_threads(x)",
)  # fmt: skip
_add(
    "large", "g[x] = src[x % 64, 0] * 3; f[x] = g[x] + g[x + 1]", (4096,),
    "f.split(x, xo, xi, 4096).split(xi, xi, t, 32).reorder(t, xi, xo).gpu_blocks(xo).gpu_threads(t); "
    "g.compute_at(f, xo).split(x, x, xi, 32, hl.TailStrategy.GuardWithIf).gpu_threads(xi)",
    "f.gpu_tile(x, xi, 1024); g.compute_at(f, x).gpu_threads(x)",
    "f.gpu_tile(x, xi, 512); g.compute_at(f, x).gpu_threads(x)",
)  # fmt: skip
_SOURCE = "g[x, y] = src[x, y] * 2; h[x, y] = g[x, y]; f[x, y] = h[x, y] + x"
_ROOT, _ON_DEVICE = "g.compute_root(); ", "; f.gpu_blocks(y).gpu_threads(x)"
_add(
    "copied", _SOURCE, (23, 14),
    _ROOT + "h.compute_root().copy_to_device()" + _ON_DEVICE,
    _ROOT + "h.compute_root().copy_to_device(hl.DeviceAPI.CUDA)" + _ON_DEVICE,
    _ROOT + "g.gpu_blocks(y).gpu_threads(x); h.compute_root().copy_to_host(); f.parallel(y)",
    _ROOT + "h.compute_root().copy_to_host()" + _ON_DEVICE,
    _ROOT + "h.compute_at(f, y).copy_to_device()",
    _ROOT + "h.compute_at(f, y).copy_to_host()",
    _ROOT + "h.compute_root().gpu_blocks(y).gpu_threads(x).copy_to_device(); f.parallel(y)",
    _ROOT + "h.compute_root().copy_to_device().copy_to_host()",
    _ROOT + "h.compute_root().copy_to_device().vectorize(x, 4)",
    "h.compute_root().copy_to_device()",
    _ROOT + "f.copy_to_device()",
    _ROOT + "h.compute_root().copy_to_device(hl.DeviceAPI.OpenCL)",
    _ROOT + "g.in_(h).compute_root().copy_to_device(); h.compute_root().gpu_blocks(y).gpu_threads(x)",
    "g.compute_root().copy_to_device()",
)  # fmt: skip
for _function in (
    "exp({} / 200)", "log({} + 2000)", "sin({})", "cos({} * 1e6)", "tan({} / 700)", "asin({} / 1000)",
    "acos({} / 1000)", "atan({} / 9)", "atan2({}, 17 - {})", "sinh({} / 200)", "cosh({} / 200)", "tanh({} / 500)",
    "asinh({})", "acosh({} + 1001)", "atanh({} / 1001)", "pow({} + 1001, 1.5)", "sqrt({} + 1000)", "floor({} / 7)",
    "round({} / 7)",
):  # fmt: skip
    _value = "hl.f64(src[x, y])"
    _add(
        "functions of float64", f"f[x, y] = hl.i64(hl.round(hl.{_function.replace('{}', _value)} * 1000))", (19, 7),
        "f.gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf)",
    )  # fmt: skip
_add("functions of float64", "f[x, y] = hl.erf(hl.f64(src[x, y]))", (19, 7), "f.gpu_tile(x, y, xi, yi, 8, 4)")
for _size in ((56, 12), (53, 11)):
    for _tail in ("GuardWithIf", "ShiftInwards", "RoundUp"):
        if _tail == "RoundUp" and _size[0] % 8:
            continue
        _split = f"f.split(x, x, xi, 4, hl.TailStrategy.{_tail}).reorder(xi, x, y)"
        _wide = f"f.split(x, x, xi, 8, hl.TailStrategy.{_tail}).reorder(xi, x, y)"
        _add(
            f"several elements {_tail} {_size[0]}",
            "f[x, y] = src[x, y] * 3 - src[x + 1, y] + src[x + 2, y] * y", _size,
            f"{_split}.vectorize(xi).gpu_tile(x, y, t, yi, 8, 4, hl.TailStrategy.GuardWithIf)",
            f"{_split}.unroll(xi).gpu_tile(x, y, t, yi, 8, 4, hl.TailStrategy.GuardWithIf)",
            f"{_wide}.vectorize(xi, 2).gpu_blocks(y).gpu_threads(x)",
            f"{_wide}.unroll(xi).gpu_blocks(y).gpu_threads(x)",
        )  # fmt: skip
    _add(
        f"several elements between {_size[0]}",
        "g[x, y] = src[x, y] * 3; g[x, y] += src[x + 4, y]; f[x, y] = g[x, y] - g[x, y + 1]", _size,
        "g.compute_root().split(x, x, xi, 4).reorder(xi, x, y).vectorize(xi).gpu_blocks(y).gpu_threads(x); "
        "g.update().split(x, x, xi, 4).reorder(xi, x, y).unroll(xi).gpu_blocks(y).gpu_threads(x); "
        "f.gpu_tile(x, y, xi, yi, 8, 4, hl.TailStrategy.GuardWithIf)",
        "g.compute_at(f, xo).gpu_threads(x, y); g.update().gpu_threads(x, y); "
        "f.tile(x, y, xo, yo, xi, yi, 16, 4, hl.TailStrategy.GuardWithIf).split(xi, xi, t, 4).unroll(t)"
        ".reorder(t, xi, yi, xo, yo).gpu_blocks(xo, yo).gpu_threads(xi, yi)",
    )  # fmt: skip
_add("copies", "f[x, y] = src[x, y]", (23, 14), "f.copy_to_device()", "f.copy_to_host()")
_add(
    "copies in four", "g[x, y, z, t] = src[x, y] * z + t; g.compute_root(); f[x, y, z, t] = g[x, y, z, t]",
    (9, 7, 3, 2), "f.copy_to_device()",
)  # fmt: skip
_add("no copies", "g[x, y] = src[x, y]; g.compute_root(); f[x, y] = g[y, x]", (9, 7), "f.copy_to_device()")
_add("no copies", "g[x, y] = src[x, y]; g.compute_root(); f[x, y] = g[x + 1, y]", (9, 7), "f.copy_to_host()")
_add("no copies", "f[x, y] = 3", (9, 7), "f.copy_to_device()")
_add("no copies", "f[x, y] = src[x, y]; f[x, y] += 1", (9, 7), "f.copy_to_device()")
