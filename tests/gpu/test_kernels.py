"""Kernels as statements: shared memory, barriers, indices, what is captured."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import pytest

import halide_core as hc
from halide_core.backend.ptx import to_ptx
from halide_core.gpu import barriers, shared
from halide_core.gpu.barriers import barriers_in
from halide_core.gpu.kernel import Kernel
from halide_core.ir import stmt as st
from halide_core.ir.expr import I64, const
from halide_core.lower import lower
from tests.gpu import running
from tests.gpu.cases import CASES, data_of
from tests.gpu.emulator.memory import DeviceError

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
