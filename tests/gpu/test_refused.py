"""Schedules that no device runs: refused by both, or by us alone with a reason."""

from __future__ import annotations

from ctypes.util import find_library
from typing import Any

import pytest

import halide_core as hc
from halide_core.lower import lower
from tests.gpu import package
from tests.gpu.cases import CASES

CUDA = "x86-64-linux-sse41-cuda-cuda_capability_70"
HOST = "x86-64-linux-sse41"


def _base(hl: Any, names: str) -> tuple[Any, ...]:
    f = hl.Func("f")
    loops = [hl.Var(n) for n in names.split()]
    f[loops[0], loops[1]] = loops[0] + loops[1]
    return (f, *loops)


def threads_outside_of_blocks(hl: Any) -> Any:
    f, x, _ = _base(hl, "x y")
    return f.gpu_threads(x)


def block_inside_of_threads(hl: Any) -> Any:
    f, x, y, xi, yi = _base(hl, "x y xi yi")
    return f.tile(x, y, xi, yi, 8, 8).gpu_blocks(xi, yi).gpu_threads(x, y)


def threads_outermost(hl: Any) -> Any:
    f, x, y = _base(hl, "x y")
    return f.gpu_blocks(x).gpu_threads(y)


def loop_between_blocks(hl: Any) -> Any:
    f, x, y, xi, yi = _base(hl, "x y xi yi")
    return f.tile(x, y, xi, yi, 8, 8).gpu_blocks(x).gpu_blocks(xi)


def four_loops_over_threads(hl: Any) -> Any:
    f, loops, inner = _many(hl)
    return f.gpu_blocks(*loops[:3]).gpu_threads(*inner[:3]).gpu_threads(inner[3])


def four_loops_over_blocks(hl: Any) -> Any:
    f, loops, inner = _many(hl)
    return f.gpu_blocks(*loops[:3]).gpu_blocks(loops[3]).gpu_threads(*inner[:3])


def _many(hl: Any) -> tuple[Any, list[Any], list[Any]]:
    f = hl.Func("f")
    loops = [hl.Var(f"a{k}") for k in range(5)]
    inner = [hl.Var(f"i{k}") for k in range(5)]
    f[loops] = hl.i32(loops[0])
    for a, i in zip(loops, inner, strict=True):
        f.split(a, a, i, 2)
    return f.reorder(*inner, *loops), loops, inner


def too_many_lanes(hl: Any) -> Any:
    f, x, y, xi, yi = _base(hl, "x y xi yi")
    return f.tile(x, y, xi, yi, 64, 4).gpu_blocks(x, y).gpu_threads(yi).gpu_lanes(xi)


def threads_inside_of_lanes(hl: Any) -> Any:
    f, x, y, xi, yi = _base(hl, "x y xi yi")
    return f.tile(x, y, xi, yi, 32, 4).gpu_blocks(x, y).gpu_lanes(yi).gpu_threads(xi)


def parallel_inside_of_blocks(hl: Any) -> Any:
    f, x, y, xi, yi = _base(hl, "x y xi yi")
    return f.gpu_tile(x, y, xi, yi, 8, 8).parallel(xi)


def blocks_inside_of_blocks(hl: Any) -> Any:
    g, u, v, ui, vi = _base(hl, "x y xi yi")
    f = hl.Func("h")
    f[u, v] = g[u, v] * 2
    f.gpu_tile(u, v, ui, vi, 8, 8)
    g.gpu_tile(u, v, ui, vi, 8, 8).compute_at(f, u)
    return f


def threads_over_a_reduction(hl: Any) -> Any:
    f, x, _ = _base(hl, "x y")
    r = hl.RDom([(0, 10)], "r")
    f[x, 0] += r
    f.update().gpu_blocks(x).gpu_threads(r)
    return f


BOTH = (
    threads_outside_of_blocks,
    block_inside_of_threads,
    threads_outermost,
    loop_between_blocks,
    four_loops_over_threads,
    four_loops_over_blocks,
    too_many_lanes,
    threads_inside_of_lanes,
    parallel_inside_of_blocks,
    blocks_inside_of_blocks,
    threads_over_a_reduction,
)
# Words that both have in their messages; the package has none for a parallel loop.
WORDS = {
    threads_outside_of_blocks: "must be inside a GPU block loop",
    block_inside_of_threads: "must be inside a GPU block loop",
    threads_outermost: "must be inside a GPU block loop",
    loop_between_blocks: "Funcs cannot be scheduled in between GPU block loops",
    four_loops_over_threads: "The maximum number of nested GPU thread loops is 3",
    four_loops_over_blocks: "The maximum number of nested GPU block loops is 3",
    too_many_lanes: "lanes loop must have constant extent of at most 32",
    threads_inside_of_lanes: "GPU thread loops must be outside any GPU lane loop",
    blocks_inside_of_blocks: "Funcs cannot be scheduled in between GPU block loops",
}


def _lowered(f: Any, target: str = CUDA) -> Any:
    return lower([f._function], hc.Target(target))


@pytest.mark.parametrize("make", BOTH, ids=lambda f: f.__name__)
def test_refused_by_both(make: Any) -> None:
    with pytest.raises(hc.HalideError) as ours:
        _lowered(make(hc))
    assert WORDS.get(make, "") in str(ours.value)
    hl = pytest.importorskip("halide")
    with pytest.raises(hl.HalideError) as theirs:
        package.assembly_of(make(hl), [], CUDA + "-no_runtime")
    assert WORDS.get(make, "") in str(theirs.value)


def _tile(hl: Any) -> Any:
    f, x, y, xi, yi = _base(hl, "x y xi yi")
    return f.gpu_tile(x, y, xi, yi, 8, 8)


def test_a_target_without_a_device() -> None:
    words = "requires <Default_GPU> but no compatible target feature is enabled in target"
    with pytest.raises(hc.HalideError, match=words):
        _lowered(_tile(hc), HOST)
    with pytest.raises(hc.HalideError, match=words):
        _tile(hc).realize([8, 8])
    hl = pytest.importorskip("halide")
    with pytest.raises(hl.HalideError, match=words):
        package.assembly_of(_tile(hl), [], HOST + "-no_runtime")


def test_no_driver() -> None:
    if find_library("cuda") is not None:
        pytest.skip("there is a driver of CUDA")
    with pytest.raises(hc.HalideError, match=r"no CUDA driver \(libcuda.so.1\)"):
        _tile(hc).realize([8, 8], hc.Target("host-cuda"))


def test_another_device() -> None:
    f, x, y = _base(hc, "x y")
    with pytest.raises(hc.HalideError, match="cannot run on Metal; code is made for the host and for CUDA"):
        f.gpu_blocks(x, y, hc.DeviceAPI.Metal)


def test_too_many_threads() -> None:
    """The package leaves it to the driver, which refuses the launch."""
    f, x, y, xi, yi = _base(hc, "x y xi yi")
    with pytest.raises(hc.HalideError, match="a block has 2048 threads; a device allows 1024"):
        _lowered(f.gpu_tile(x, y, xi, yi, 64, 32))


def _much_shared(hl: Any, size: int, memory: Any = None) -> Any:
    x, xo, xi, t = (hl.Var(n) for n in ("x", "xo", "xi", "t"))
    g, f = hl.Func("g"), hl.Func("f")
    g[x] = x * 3
    f[x] = g[x] + g[x + 1]
    f.split(x, xo, xi, size, hl.TailStrategy.RoundUp).split(xi, xi, t, 32).reorder(t, xi, xo)
    f.gpu_blocks(xo).gpu_threads(t)
    g.compute_at(f, xo).split(x, x, xi, 32).gpu_threads(xi)
    if memory is not None:
        g.store_in(memory)
    return f


def test_too_much_shared_memory() -> None:
    """As with threads, the package's code fails when it is launched."""
    with pytest.raises(hc.HalideError, match="shares 131088 bytes of memory; the target allows 98304"):
        _lowered(_much_shared(hc, 32 * 1024))
    (kernel,) = _lowered(_much_shared(hc, 20 * 1024)).kernels
    assert str(kernel.shared_bytes) == "(int64)81936"


@pytest.mark.parametrize("memory", ["Stack", "Register", "GPUTexture"])
def test_storage_that_several_threads_cannot_use(memory: str) -> None:
    with pytest.raises(hc.HalideError, match=f"g is stored in {memory}, but a loop over threads stands within"):
        _lowered(_much_shared(hc, 64, hc.MemoryType[memory]))


def test_blocks_that_meet() -> None:
    """By an operation that is none of several steps."""
    f, x, y = hc.Func("f"), hc.Var("x"), hc.Var("y")
    r = hc.RDom([(0, 10)], "r")
    f[x, y] = x
    f[x, 0] = f[x, 0] * 2 + r
    f.update().atomic(True).reorder(x, r.x).gpu_blocks(r.x).gpu_threads(x)
    with pytest.raises(hc.HalideError, match=r"blocks of loop \S+ meet in one element, for which a device would"):
        _lowered(f)


def test_text_to_print() -> None:
    f = hc.Func("f")
    x, xi = hc.Var("x"), hc.Var("xi")
    f[x] = hc.print(x, "here")
    f.gpu_tile(x, xi, 8)
    from halide_core.backend.ptx import to_ptx

    with pytest.raises(hc.HalideError, match="print, require and traces cannot stand in what a device computes"):
        to_ptx(_lowered(f).kernels, 80)


def test_a_function_of_the_c_library() -> None:
    f = hc.Func("f")
    x, xi = hc.Var("x"), hc.Var("xi")
    f[x] = hc.libm("exp", hc.f64(x))
    f.gpu_tile(x, xi, 8)
    from halide_core.backend.ptx import to_ptx

    with pytest.raises(hc.HalideError, match="a device has no function exp_f64"):
        to_ptx(_lowered(f).kernels, 80)


@pytest.mark.parametrize("name", ["blur_shared", "lanes", "two_kernels", "three_dimensions", "unrolled"])
def test_loop_nests_as_text(name: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    hl = pytest.importorskip("halide")
    monkeypatch.setenv("HL_TARGET", "host-cuda")
    texts = []
    for module in (hl, hc):
        f, _ = CASES[name].make(module, True)
        f.print_loop_nest()
        out = capfd.readouterr()
        texts.append(out.out + out.err)
    assert texts[0] == texts[1]
