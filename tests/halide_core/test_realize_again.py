"""Realizing again: code is kept while nothing changes, checks while their inputs do not, and shared memory is seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core import lower as lowering

X, Y = hl.Var("x"), hl.Var("y")


def count_compilations(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows by one with every lowering of a pipeline."""
    seen: list[int] = []
    original = lowering.lower

    def counted(*args: object, **named: object) -> object:
        seen.append(1)
        return original(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(lowering, "lower", counted)
    return seen


def update_in_use(f: hl.Func, place: Any, value: Any) -> None:
    """Adds an update to a Func that is in use, as only the compiler itself may."""
    f._function.frozen = False
    f[place] = value


def test_code_is_made_again_only_after_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = count_compilations(monkeypatch)
    inner, f = hl.Func("inner"), hl.Func("f")
    inner[X] = X * 2
    f[X] = inner[X] + 1
    pipeline = hl.Pipeline(f)
    dense, sparse = hl.Buffer(hl.Int(32), [8]), hl.Buffer(np.zeros(16, np.int32)[::2])
    for _ in range(3):
        pipeline.realize(dense)
        pipeline.realize(sparse)
    # Once for outputs of unit stride, once for others.
    assert len(seen) == 2
    inner.compute_root()
    pipeline.realize(dense)
    assert len(seen) == 3
    pipeline.realize(dense)
    update_in_use(f, X, f[X] + 10)
    pipeline.realize(dense)
    assert len(seen) == 4
    assert np.asarray(dense).tolist() == [2 * k + 11 for k in range(8)]


def test_an_update_at_other_coordinates_is_a_change() -> None:
    f, g = hl.Func("f"), hl.Func("g")
    f[X] = 0
    g[X] = f[X]
    f.compute_root()
    pipeline = hl.Pipeline(g)
    assert np.asarray(pipeline.realize([4])).tolist() == [0, 0, 0, 0]
    update_in_use(f, 2, 5)
    assert np.asarray(pipeline.realize([4])).tolist() == [0, 0, 5, 0]
    update_in_use(f, 3, 6)
    assert np.asarray(pipeline.realize([4])).tolist() == [0, 0, 5, 6]


def test_checks_are_made_again_for_other_shapes_and_parameters() -> None:
    source, p = hl.ImageParam(hl.UInt(8), 1, "source"), hl.Param(hl.Int(32), "shift", 0)
    f = hl.Func("f")
    f[X] = source[X + p]
    source.set(np.arange(10, dtype=np.uint8))
    for _ in range(2):
        assert np.asarray(f.realize([10])).tolist() == list(range(10))
    with pytest.raises(hl.HalideError, match="beyond the max"):
        f.realize([11])
    p.set(-1)
    with pytest.raises(hl.HalideError, match="before the min"):
        f.realize([10])
    p.set(0)
    p.set_range(1, 5)
    with pytest.raises(hl.HalideError, match="at least 1"):
        f.realize([10])
    p.set(2)
    source.set(np.arange(9, dtype=np.uint8))
    with pytest.raises(hl.HalideError, match="beyond the max"):
        f.realize([8])
    assert np.asarray(f.realize([7])).tolist() == list(range(2, 9))


def test_a_target_changed_in_place_is_another_target(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = count_compilations(monkeypatch)
    f = hl.Func("f")
    f[X] = hl.select(hl.target_has_feature(hl.TargetFeature.Debug), 1, 0)
    pipeline, target, out = hl.Pipeline(f), hl.Target("x86-64-linux"), hl.Buffer(hl.Int(32), [2])
    pipeline.realize(out, target)
    assert np.asarray(out).tolist() == [0, 0]
    target.set_feature(hl.TargetFeature.Debug)
    pipeline.realize(out, target)
    assert np.asarray(out).tolist() == [1, 1]
    assert len(seen) == 2


@pytest.mark.parametrize("shift", [-3, -1, 0, 1, 5])
def test_an_output_over_its_input_is_written_in_order(shift: int) -> None:
    """Each element is read after those before it were written, as in the loop without a schedule."""
    source = hl.ImageParam(hl.Int(32), 1, "source")
    f = hl.Func("f")
    f[X] = source[X] * 2 + source[X + 1]
    memory = np.arange(40, dtype=np.int32)
    wanted = memory.copy()
    for k in range(20):
        wanted[10 + shift + k] = wanted[10 + k] * 2 + wanted[11 + k]
    apart = np.zeros(20, np.int32)
    source.set(memory[10:31])
    f.realize(hl.Buffer(apart))
    original = np.arange(10, 31)
    assert apart.tolist() == (original[:-1] * 2 + original[1:]).tolist()
    f.realize(hl.Buffer(memory[10 + shift : 30 + shift]))
    assert memory.tolist() == wanted.tolist()


def test_two_inputs_may_share_memory() -> None:
    a, b = (hl.ImageParam(hl.Int(32), 1, n) for n in "ab")
    f = hl.Func("f")
    f[X] = a[X] - 3 * b[X]
    data = np.arange(16, dtype=np.int32)
    a.set(data)
    b.set(data)
    assert np.asarray(f.realize([16])).tolist() == (-2 * data).tolist()


def test_a_buffer_of_another_layout() -> None:
    """Code that reads a Buffer is made for its unit stride, until that is another one."""
    data = np.arange(36, dtype=np.int32).reshape(6, 6)
    b = hl.Buffer(data, "b")
    x, y = hl.Var("x"), hl.Var("y")
    f = hl.Func("f")
    f[x, y] = b[x, y] * 2 + 1
    f.vectorize(x, 4)
    assert np.array_equal(np.asarray(f.realize([6, 6])), data * 2 + 1)
    b.transpose(0, 1)
    assert np.array_equal(np.asarray(f.realize([6, 6])), data.T * 2 + 1)
    b.crop(0, 1, 4)
    b.translate(0, -1)
    assert np.array_equal(np.asarray(f.realize([4, 6])), data.T[:, 1:5] * 2 + 1)
