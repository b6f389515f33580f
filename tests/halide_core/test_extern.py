"""External stages: the reference interpreter, objects, storage around loops, and what is refused."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.interp.pipeline import evaluate_function
from halide_core.passes.realization_order import build_environment
from halide_core.raw_buffer import RawBuffer
from tests.conformance.extern_cases import blocks, shifted, turned
from tests.halide_core.extern_stages import SOURCE, library


def doubled(x: Any) -> Any:
    """What the stage of `shifted` computes."""
    at = np.asarray(x) + 3
    return 2 * (at * at - 7 * at)


def test_reference() -> None:
    _, _, out = shifted(hl, 3)
    (got,) = evaluate_function(out._function, ((-4, 20),), {})
    x = np.arange(-4, 18) + 3 - 2 - 7
    chain = 8 * (x * x - 7 * x)
    assert np.array_equal(got, chain[:-2] - chain[2:])


def test_reference_of_blocks_and_images() -> None:
    _, _, f = blocks(hl)
    (limit,) = build_environment([f._function]).parameters
    found = evaluate_function(f._function, ((3, 10),), {}, {limit: 40})
    x = np.arange(3, 13)
    assert np.array_equal(found[0], (x * 3 + x / 4 * 1.5).astype(np.float32))
    assert np.array_equal(found[1], (x * 3 > 40).astype(np.uint8))
    p = hl.ImageParam(hl.UInt(16), 2, "p")
    data = np.arange(11 * 9, dtype=np.uint16).reshape(11, 9)
    (got,) = evaluate_function(turned(hl, p)._function, ((0, 5), (1, 7)), {"p": (data, (0, -5))})
    wanted = [[data[y, 5 - x] + data[y, 6 - x] for y in range(1, 8)] for x in range(5)]
    assert np.array_equal(got, np.array(wanted))


@pytest.mark.parametrize("parallel", [False, True])
def test_stored_outside_the_loop_that_computes_it(parallel: bool) -> None:
    x, xo, xi, z = hl.Var("x"), hl.Var("xo"), hl.Var("xi"), hl.Var("z")
    source, (f,), out = shifted(hl)
    last = hl.Func("last")
    last[x, z] = out[x] + z
    last.split(x, xo, xi, 4, hl.TailStrategy.GuardWithIf)
    if parallel:
        last.parallel(z)
    source.compute_root()
    f.store_at(last, z).compute_at(last, xo)
    out.compute_at(last, xo)
    got = np.array(last.realize([19, 3]))
    at = np.arange(19)
    assert np.array_equal(got, [doubled(at) - doubled(at + 2) + k for k in range(3)])


def test_runs_as_often_as_scheduled() -> None:
    x, xo, xi = hl.Var("x"), hl.Var("xo"), hl.Var("xi")
    lib = library()
    calls, points = (ctypes.c_int.in_dll(lib, n) for n in ("stage_calls", "stage_points"))
    source, (f,), out = shifted(hl)
    source.compute_root()
    f.compute_root()
    calls.value = points.value = 0
    out.realize([16])
    assert (calls.value, points.value) == (1, 18)
    out.split(x, xo, xi, 4)
    f.compute_at(out, xo)
    calls.value = points.value = 0
    out.realize([16])
    assert (calls.value, points.value) == (4, 24)


def test_a_result_is_found_again_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HL_JIT_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("HL_CHECK_IR", "0")
    for _ in range(2):
        source, (f,), out = shifted(hl)
        source.compute_root()
        f.compute_root()
        at = np.arange(9)
        assert np.array_equal(np.array(out.realize([9])), doubled(at) - doubled(at + 2))
    assert list(tmp_path.iterdir())


def test_default_schedule() -> None:
    _, _, out = shifted(hl, 2)
    pipeline = hl.Pipeline([out])
    pipeline.apply_autoscheduler(hl.get_host_target(), hl.AutoschedulerParams("default"))
    x = np.arange(42) + 3 - 2
    chain = 4 * (x * x - 7 * x)
    assert np.array_equal(np.array(pipeline.realize([40])), chain[:-2] - chain[2:])


def _object(tmp_path: Path) -> Any:
    """The function fn(p, out): out = turned(p)(x - 1, y) / 2, with Halide's signature, in a library."""
    x, y = hl.Var("x"), hl.Var("y")
    p = hl.ImageParam(hl.UInt(16), 2, "p")
    f, g = turned(hl, p), hl.Func("g")
    f.compute_root()
    g[x, y] = f[x - 1, y] // 2
    g.compile_to_object(str(tmp_path / "fn.o"), [p], "fn")
    (tmp_path / "stages.cpp").write_text(SOURCE)
    path = tmp_path / "lib.so"
    command = ["g++", "-shared", "-fPIC", str(tmp_path / "stages.cpp"), str(tmp_path / "fn.o"), "-o", str(path)]
    subprocess.run([*command, "-pthread"], check=True)
    return ctypes.CDLL(str(path)).fn


def _raw(b: Any) -> Any:
    return RawBuffer.from_address(b._get_raw_halide_buffer_t())


def test_objects(tmp_path: Path) -> None:
    fn = _object(tmp_path)
    query = hl.Buffer.make_bounds_query(hl.UInt(16), [0, 0])
    out = hl.Buffer(hl.UInt(16), [4, 6])
    asked, result = _raw(query), _raw(out)
    assert fn(ctypes.byref(asked), ctypes.byref(result)) == 0
    assert [(asked.dim[d].min, asked.dim[d].extent) for d in range(2)] == [(0, 6), (-2, 5)]
    data = (np.arange(5 * 6, dtype=np.uint16) * 9).reshape(5, 6)
    given = hl.Buffer(data)
    given.set_min([0, -2])
    assert fn(ctypes.byref(_raw(given)), ctypes.byref(result)) == 0
    wanted = [[(int(data[2 - (x - 1), y]) + int(data[3 - (x - 1), y])) // 2 for x in range(4)] for y in range(6)]
    assert np.array_equal(np.array(out), wanted)
    small = hl.Buffer(data)
    small.set_min([0, -1])
    assert fn(ctypes.byref(_raw(small)), ctypes.byref(result)) == -4


def test_an_object_gives_the_code_of_a_stage_that_fails(tmp_path: Path) -> None:
    f = hl.Func("f")
    f.define_extern("stage_fails", [hl.ExternFuncArgument(v) for v in (0, 42)], hl.Int(32), 1)
    f.compile_to_object(str(tmp_path / "fails.o"), [], "fails")
    (tmp_path / "stages.cpp").write_text(SOURCE)
    files = [str(tmp_path / n) for n in ("stages.cpp", "fails.o")]
    subprocess.run(["g++", "-shared", "-fPIC", *files, "-o", str(tmp_path / "lib.so"), "-pthread"], check=True)
    out = hl.Buffer(hl.Int(32), [3])
    assert ctypes.CDLL(str(tmp_path / "lib.so")).fails(ctypes.byref(_raw(out))) == 42


def _folded() -> None:
    x = hl.Var("x")
    source, (f,), out = shifted(hl)
    source.compute_root()
    f.store_root().compute_at(out, x).fold_storage(x, 4)
    out.realize([8])


def _together() -> None:
    x = hl.Var("x")
    source, (f,), out = shifted(hl)
    source.compute_root()
    f.compute_root().compute_with(source, x)
    out.realize([8])


def _split() -> None:
    source, (f,), out = shifted(hl)
    source.compute_root()
    f.compute_root().split(hl.Var("x"), hl.Var("a"), hl.Var("b"), 4)
    out.realize([8])


def _mangled() -> None:
    hl.Func("f").define_extern("stage_fails", [], hl.Int(32), 1, hl.NameMangling.CPlusPlus)


def _scalar_from_an_image() -> None:
    p = hl.ImageParam(hl.Int(32), 1)
    hl.Func("f").define_extern("stage_fails", [hl.ExternFuncArgument(p[3])], hl.Int(32), 1)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (_folded, "cannot be folded, for the external stage stage0 uses its storage"),
        (_together, "Func stage0 is an external stage, without loops"),
        (_split, "Externally defined Func stage0 has no loops that could be split"),
        (_mangled, "Only names of C can be called"),
        (_scalar_from_an_image, "reads a Func or an image; pass that itself"),
    ],
)
def test_refused(script: Any, message: str) -> None:
    with pytest.raises(hl.HalideError, match=message):
        script()
