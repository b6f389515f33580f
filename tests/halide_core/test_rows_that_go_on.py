"""Updates that go on from row to row: what may run in vectors, what need not be initialized, what is read again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import halide_core as hl
from halide_core.interp.pipeline import evaluate_function

pytestmark = pytest.mark.few(3)

x, y = hl.Var("x"), hl.Var("y")


def _reference(f: hl.Func, width: int, height: int) -> np.ndarray:
    (wanted,) = evaluate_function(f._function, ((0, width), (0, height)), {}, {})
    return wanted.T


def _lowered(f: hl.Func, path: Path) -> str:
    f.compile_to_lowered_stmt(str(path / "f.stmt"), [], hl.StmtOutputFormat.Text)
    return (path / "f.stmt").read_text()


def _paths_of_least_cost(width: int, height: int) -> tuple[hl.Func, hl.RDom]:
    r = hl.RDom([(0, width), (0, height - 1)])
    f = hl.Func("f")
    f[x, y] = (x * 37 + y * 11) % 101
    beside = hl.min(f[hl.max(r.x - 1, 0), r.y], f[hl.min(r.x + 1, width - 1), r.y])
    f[r.x, r.y + 1] += hl.min(f[r.x, r.y], beside)
    return f, r


@pytest.mark.parametrize("vectors", [False, True])
@pytest.mark.parametrize("size", [(1, 1), (7, 5), (33, 12), (64, 3)])
def test_rows_that_go_on_from_the_row_above_run_in_vectors(vectors: bool, size: tuple[int, int]) -> None:
    f, r = _paths_of_least_cost(*size)
    if vectors:
        f.update().vectorize(r.x, 8, hl.TailStrategy.GuardWithIf)
    assert np.array_equal(np.array(f.realize(list(size))), _reference(f, *size))


def test_their_loops_are_vectors(tmp_path: Path) -> None:
    f, r = _paths_of_least_cost(64, 9)
    f.update().vectorize(r.x, 8)
    assert "x8" in _lowered(f, tmp_path)


def test_what_the_same_row_has_stored_keeps_its_order() -> None:
    r = hl.RDom([(1, 7), (1, 7)])
    for store, read, loop in (
        ((r.x, r.y), (r.x - 1, r.y), r.x),
        ((r.y, r.x), (r.y - 1, r.x), r.y),  # rows are the loops inside: each column goes on from the one before
        ((r.y, r.x), (r.y - 1, r.x - 1), r.y),
        ((r.x, 2 * r.y), (r.x - 1, r.y + 1), r.x),  # two rows below or the same one
    ):
        f = hl.Func("f")
        f[x, y] = x + 8 * y
        f[store] += f[read]
        with pytest.raises(hl.HalideError, match="cannot be vectorized"):
            f.update().vectorize(loop)


def test_rows_that_a_later_reorder_would_put_inside() -> None:
    f, r = _paths_of_least_cost(16, 9)
    f.update().vectorize(r.x)
    with pytest.raises(hl.HalideError, match="reorder"):
        f.update().reorder(r.y, r.x)


@pytest.mark.parametrize("rows", [0, 1, 5, 9, 40])
@pytest.mark.parametrize("vectors", [False, True])
def test_rows_before_and_behind_a_scan_are_initialized(rows: int, vectors: bool) -> None:
    n = hl.Param(hl.Int(32), "n", rows)
    r = hl.RDom([(0, n)])
    f, g = hl.Func("f"), hl.Func("g")
    f[x, y] = x - 100 * y
    f[x, r + 3] = f[x, r + 1] * 3 + f[x, r + 2] + r
    g[x, y] = f[x, y] + f[x, y + 4]
    f.compute_root()
    if vectors:
        f.vectorize(x, 8, hl.TailStrategy.GuardWithIf).parallel(y)
        f.update().vectorize(x, 8, hl.TailStrategy.GuardWithIf)
        g.vectorize(x, 8)
    wanted = np.array([[i - 100 * k for i in range(21)] for k in range(60)])
    for k in range(rows):
        wanted[k + 3] = wanted[k + 1] * 3 + wanted[k + 2] + k
    wanted = wanted.astype(np.int64)
    got = np.array(g.realize([21, 16]))
    assert np.array_equal(got, ((wanted[:16] + wanted[4:20]) & 0xFFFFFFFF).astype(np.uint32).view(np.int32))


@pytest.mark.parametrize("offset", [0, 1])
def test_a_scan_that_reads_what_it_will_store_is_initialized(offset: int) -> None:
    r = hl.RDom([(0, 9)])
    f = hl.Func("f")
    f[x, y] = x + y
    f[x, r + 1] = f[x, r] + f[x, r + 1 + offset]
    assert np.array_equal(np.array(f.realize([5, 12])), _reference(f, 5, 12))


def test_an_update_before_that_stores_where_the_scan_does() -> None:
    r, s = hl.RDom([(0, 4)]), hl.RDom([(0, 6)])
    f = hl.Func("f")
    f[x, y] = x + y
    f[s, 2] += 7  # what the scan stores over
    f[s, 0] += f[s, 3]
    f[x, r + 1] = f[x, r] * 2
    assert np.array_equal(np.array(f.realize([6, 8])), _reference(f, 6, 8))


def test_fewer_rows_are_initialized(tmp_path: Path) -> None:
    r = hl.RDom([(0, 9)])
    f = hl.Func("f")
    f[x, y] = x
    f[x, r + 1] = f[x, r] * 2
    text = _lowered(f, tmp_path)
    assert text.count("s0.y in") == 2


def test_scans_side_by_side() -> None:
    from halide_core.autoschedule.rules.default import apply_default_schedule
    from halide_core.target import Target

    n = hl.Param(hl.Int(32), "n", 37)
    scans = []
    for k in range(6):
        r = hl.RDom([(0, n)])
        f = hl.Func(f"scan{k}")
        f[x] = k
        f[r + 1] = f[r] * 3 + r + (scans[k - 2][r] if k in (2, 5) else 0)
        scans.append(f)
    out = hl.Func("out")
    out[x] = sum((f[x] for f in scans), start=hl.i32(0))
    pipeline = hl.Pipeline(out)
    apply_default_schedule(pipeline, Target("host"))
    assert sum(f._function.updates[0].schedule.fused_with is not None for f in scans) == 3
    values = np.zeros((6, 38), np.int64)
    for k in range(6):
        values[k, 0] = k
        for i in range(37):
            values[k, i + 1] = values[k, i] * 3 + i + (values[k - 2, i] if k in (2, 5) else 0)
            values[k, i + 1] &= 0xFFFFFFFF
    got = np.array(pipeline.realize([38])).astype(np.int64) & 0xFFFFFFFF
    assert got.tolist() == (values.sum(axis=0) & 0xFFFFFFFF).tolist()


def test_what_a_scan_has_stored_is_read() -> None:
    from halide_core.aot.compile import RawBuffer
    from halide_core.autoschedule.rules.scans import read_scans
    from halide_core.ir.expr import I64, const

    r = hl.RDom([(0, 9)])
    f, out = hl.Func("f"), hl.Func("out")
    f[x, y] = x
    f[x, r + 1] = f[x, r] * 3 + x
    out[x, y] = f[x, y] * 3 + x + 1

    def layout(rows: int) -> dict[str, RawBuffer]:
        sizes = const(5, I64), const(rows, I64)
        return {"out": RawBuffer("out", const(0, I64), (const(0, I64),) * 2, sizes, (const(1, I64), const(5, I64)))}

    wanted = _reference(out, 5, 9)
    before = out._function.pure
    read_scans([out._function], layout(8))  # of fewer rows: not known to be the ones that are stored
    assert before is not None and out._function.pure is not None
    assert out._function.pure.values[0] is before.values[0]
    read_scans([out._function], layout(9))
    assert str(out._function.pure.values[0]) != str(before.values[0])
    assert np.array_equal(np.array(out.realize([5, 9])), wanted)


@pytest.mark.parametrize("size", [(1, 1), (5, 4), (16, 7), (33, 20)])
@pytest.mark.parametrize("block", [1, 3, 8])
def test_blocks_cut_by_conditions(size: tuple[int, int], block: int) -> None:
    from halide_core.autoschedule.rules.default import apply_default_schedule
    from halide_core.target import Target

    width, height = size
    w, h, b = hl.Param(hl.Int(32), "w", width), hl.Param(hl.Int(32), "h", height), hl.Param(hl.Int(32), "b", block)
    r = hl.RDom([(0, b), (0, b)])
    r.where((x * b + r.x < w) & ((r.x + r.y) % 3 != 1))
    r.where((h > r.y + y * b) & (r.x >= x - 2))
    f = hl.Func("f")
    f[x, y] = 0
    f[x, y] += (x * b + r.x) * 7 + (y * b + r.y) ** 2
    apply_default_schedule(hl.Pipeline(f), Target("host"))
    assert f._function.updates[0].domain is not None
    assert len(f._function.updates[0].domain.predicates) == 1
    across, down = -(-width // block), -(-height // block)
    wanted = np.zeros((down, across), np.int64)
    for i in range(height):
        for j in range(width):
            within, below = j % block, i % block
            if within >= j // block - 2 and (within + below) % 3 != 1:
                wanted[i // block, j // block] += j * 7 + i**2
    assert np.array_equal(np.array(f.realize([across, down])), wanted)


@pytest.mark.parametrize("size", [(1, 1), (2, 3), (5, 4), (33, 9)])
def test_borders_of_scans(size: tuple[int, int], tmp_path: Path) -> None:
    width, height = size
    w, h = hl.Param(hl.Int(32), "w", width), hl.Param(hl.Int(32), "h", height)
    r = hl.RDom([(0, w), (0, h)])
    back, up = w - 1 - r.x, h - 1 - r.y
    f = hl.Func("f")
    f[x, y] = (x * 37 + y * 11) % 101
    left = f[hl.max(hl.min(r.x - 1, w - 1), 0), r.y]
    above = f[hl.max(r.x - 2, 0), hl.max(r.y - 1, 0)]
    f[r.x, r.y] += hl.select(r.x > 0, left, 7) + hl.select((r.x > 1) & (r.y > 0), above, 0)
    right, below = f[hl.min(back + 1, w - 1), up], f[hl.clamp(back - 1, 0, w - 1), hl.min(up + 1, h - 1)]
    f[back, up] = (f[back, up] * 3 + right + below) % 1000
    names = {p.name(): v for p, v in ((w, width), (h, height))}
    (wanted,) = evaluate_function(f._function, ((0, width), (0, height)), {}, names)
    assert np.array_equal(np.array(f.realize(list(size))), wanted.T)
    f.compile_to_lowered_stmt(str(tmp_path / "f.stmt"), [w, h], hl.StmtOutputFormat.Text)
    assert (tmp_path / "f.stmt").read_text().count("f.s1.r") > 12  # loops of their own for the borders


def test_what_only_conditions_read_is_placed_where_they_are() -> None:
    from halide_core.autoschedule.rules.default import apply_default_schedule
    from halide_core.target import Target

    r, s = hl.RDom([(0, 9)]), hl.RDom([(0, 9)])
    rows, count, out = hl.Func("rows"), hl.Func("count"), hl.Func("out")
    rows[x, y] = x + y
    rows[r + 1, y] = rows[r, y] * 3 + r
    s.where(rows[s, 9 - s] % 2 == 0)
    count[x] = x
    count[s + 1] = count[s] + 1
    out[x, y] = rows[x, y] + count[x]
    apply_default_schedule(hl.Pipeline(out), Target("host"))
    assert np.array_equal(np.array(out.realize([8, 12])), _reference(out, 8, 12))
