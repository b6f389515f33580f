"""Places of extremes: where the last record was set, found without walking along all values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.autoschedule.rules.default import apply_default_schedule
from halide_core.passes.realization_order import build_environment

TARGETS = ["host", "x86-64-linux-avx-avx2-f16c-fma-sse41", "x86-64-linux-sse41", "x86-64-linux"]
SIZES = [0, 1, 2, 7, 8, 9, 17, 64, 131]
SPECIAL = [0.0, -0.0, math.nan, math.inf, -math.inf, 1.0, -1.0, 5e-324]


def _values(kind: Any, shape: tuple[int, ...], seed: int) -> np.ndarray[Any, Any]:
    """Few different values, the ends of the type and what is no number among them."""
    rng = np.random.default_rng(seed)
    if kind.is_float():
        pool = [*SPECIAL, *rng.normal(size=4)]
        if seed % 3 == 0:
            pool = [v for v in pool if not math.isnan(v)]
        return rng.choice(pool, shape).astype(f"float{kind.bits}")
    numpy_type = np.dtype(f"{'int' if kind.is_int() else 'uint'}{kind.bits}")
    info = np.iinfo(numpy_type)
    return rng.choice([info.min, info.max, 0, 3, 5], shape).astype(numpy_type)


class Search:
    """The place of the extreme of what an image holds: `start` at first, then each step that beats all before it."""

    def __init__(self, kind: Any, dimensions: int, greater: bool, strict: bool = True) -> None:
        self.image = hl.ImageParam(kind, dimensions, "im")
        self.greater, self.strict, self.kind = greater, strict, kind
        self.start = hl.Param(kind, "start")
        self.most, self.where = hl.Func("most"), hl.Func("where")

    def beats(self, a: Any, b: Any) -> Any:
        if self.strict:
            return a > b if self.greater else a < b
        return a >= b if self.greater else a <= b

    def keep(self, value: Any, before: Any) -> Any:
        if self.kind.is_float():
            return hl.select(self.beats(value, before), value, before)
        return hl.max(before, value) if self.greater else hl.min(before, value)

    def along_one(self) -> list[Any]:
        n, x = self.image.dim(0).extent(), hl.Var("x")
        r, s = hl.RDom([(0, n)]), hl.RDom([(0, n)])
        self.most[x] = self.start
        self.most[r + 1] = self.keep(self.image[r], self.most[r])
        self.where[()] = -7
        self.where[()] = hl.select(self.beats(self.image[s], self.most[s]), 3 * s + 1, self.where[()])
        self.most.compute_root()
        return [self.where]

    def along_two(self) -> list[Any]:
        w, h, x = self.image.dim(0).extent(), self.image.dim(1).extent(), hl.Var("x")
        r = hl.RDom([(0, w), (0, h)])
        self.most[x] = self.start
        self.most[w * r.y + r.x + 1] = self.keep(self.image[r.x, r.y], self.most[w * r.y + r.x])
        out = []
        for name, axis in (("column", 0), ("row", 1)):
            s, f = hl.RDom([(0, w), (0, h)]), hl.Func(name)
            f[()] = -7
            beaten = self.beats(self.image[s.x, s.y], self.most[w * s.y + s.x])
            f[()] = hl.select(beaten, (s.x, s.y)[axis], f[()])
            out.append(f)
        self.most.compute_root()
        return out

    def along_rows(self) -> list[Any]:
        n, x, y = self.image.dim(0).extent(), hl.Var("x"), hl.Var("y")
        r, s = hl.RDom([(0, n)]), hl.RDom([(0, n)])
        self.most[x, y] = self.start
        self.most[r + 1, y] = self.keep(self.image[r, y], self.most[r, y])
        self.where[y] = -7
        self.where[y] = hl.select(self.beats(self.image[s, y], self.most[s, y]), s, self.where[y])
        self.most.compute_root()
        return [self.where]

    def expected(self, values: np.ndarray[Any, Any], start: Any) -> int:
        """The number of the step that set the last record, -1 for none."""
        best, found = start, -1
        for k, v in enumerate(values.ravel()):
            if (v > best) if self.greater else (v < best):
                best, found = v, k
        return found


def _scheduled(outputs: list[Any], target: str) -> Any:
    pipeline = hl.Pipeline(outputs)
    apply_default_schedule(pipeline, hl.Target(target))
    return pipeline


def _names(pipeline: Any) -> set[str]:
    return {f.name.rpartition("$")[2] for f in build_environment(pipeline.functions()).order}


def _starts(kind: Any, seed: int) -> Any:
    if kind.is_float():
        return [0.0, -0.0, -math.inf, math.inf, math.nan, 1.5][seed % 6]
    return [0, 3, 5][seed % 3]


@pytest.mark.parametrize("greater", [True, False])
@pytest.mark.parametrize("kind", [hl.UInt(8), hl.Int(16), hl.Int(32), hl.Float(32), hl.Float(64)], ids=str)
@pytest.mark.parametrize("target", TARGETS)
def test_along_one_dimension(kind: Any, greater: bool, target: str) -> None:
    search = Search(kind, 1, greater)
    pipeline = _scheduled(search.along_one(), target)
    assert {"most", "first"} <= _names(pipeline)
    for seed, n in enumerate([*SIZES[1:], *SIZES[1:]]):
        values, start = _values(kind, (n,), seed), _starts(kind, seed)
        search.image.set(values)
        search.start.set(start)
        found = int(np.asarray(pipeline.realize([], target=hl.Target(target))))
        wanted = search.expected(values, start)
        assert found == (-7 if wanted < 0 else 3 * wanted + 1), (values, start)


@pytest.mark.parametrize("kind", [hl.UInt(8), hl.Int(32), hl.Float(32)], ids=str)
@pytest.mark.parametrize("target", TARGETS)
def test_along_two_dimensions(kind: Any, target: str) -> None:
    search = Search(kind, 2, True)
    pipeline = _scheduled(search.along_two(), target)
    assert {"most", "first"} <= _names(pipeline)
    for seed, (w, h) in enumerate([(1, 1), (7, 3), (8, 5), (33, 2), (64, 9), (13, 40), (1, 17), (3, 1)]):
        values, start = _values(kind, (h, w), seed), _starts(kind, seed)
        search.image.set(values)
        search.start.set(start)
        found = [int(np.asarray(f)) for f in pipeline.realize([], target=hl.Target(target))]
        wanted = search.expected(values, start)
        assert found == ([-7, -7] if wanted < 0 else [wanted % w, wanted // w]), (values, start)


@pytest.mark.parametrize("kind", [hl.Int(16), hl.Float(32)], ids=str)
@pytest.mark.parametrize("greater", [True, False])
def test_of_each_row(kind: Any, greater: bool) -> None:
    search = Search(kind, 2, greater)
    pipeline = _scheduled(search.along_rows(), "host")
    assert {"most", "first"} <= _names(pipeline)
    for seed, w in enumerate(SIZES[1:]):
        values, start = _values(kind, (6, w), seed), _starts(kind, seed)
        search.image.set(values)
        search.start.set(start)
        found = np.asarray(pipeline.realize([6])).tolist()
        wanted = [search.expected(row, start) for row in values]
        assert found == [-7 if k < 0 else k for k in wanted], (values, start)


def _last_place(search: Search) -> list[Any]:
    search.strict = False
    return search.along_one()


def _read_elsewhere(search: Search) -> list[Any]:
    out, more = search.along_one(), hl.Func("more")
    more[()] = search.most[2]
    return [*out, more]


def _other_values(search: Search) -> list[Any]:
    """What is compared is not what records are made of."""
    out = search.along_one()
    s = hl.RDom([(0, search.image.dim(0).extent())])
    other = hl.Func("other")
    other[()] = -7
    other[()] = hl.select(search.beats(search.image[s] / 2, search.most[s]), s, other[()])
    return [*out, other]


def _shorter(search: Search) -> list[Any]:
    """Records of a part of the steps."""
    n, x = search.image.dim(0).extent(), hl.Var("x")
    r, s = hl.RDom([(0, n)]), hl.RDom([(0, n - 1)])
    search.most[x] = search.start
    search.most[r + 1] = search.keep(search.image[r], search.most[r])
    search.where[()] = -7
    search.where[()] = hl.select(search.beats(search.image[s], search.most[s]), s, search.where[()])
    search.most.compute_root()
    return [search.where]


def _backwards(search: Search) -> list[Any]:
    """Steps that are not beside each other."""
    n, x = search.image.dim(0).extent(), hl.Var("x")
    r, s = hl.RDom([(0, n)]), hl.RDom([(0, n)])
    search.most[x] = search.start
    search.most[2 * r + 1] = search.keep(search.image[r], search.most[2 * r])
    search.where[()] = -7
    search.where[()] = hl.select(search.beats(search.image[s], search.most[2 * s]), s, search.where[()])
    search.most.compute_root()
    return [search.where]


@pytest.mark.parametrize("make", [_last_place, _read_elsewhere, _other_values, _shorter, _backwards])
def test_what_is_no_such_place_stays(make: Any) -> None:
    search = Search(hl.Int(32), 1, True)
    pipeline = _scheduled(make(search), "host")
    assert "first" not in _names(pipeline)
