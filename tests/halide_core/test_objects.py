"""Object files: several in one library, and Halide's calling convention from C++."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.aot.compile import RawBuffer, RawParam, Variant, compile_raw
from halide_core.autoschedule.rules.default import apply_default_schedule
from halide_core.ir.expr import I32, I64, Variable, const
from halide_core.ir.operators import cast_to

needs_linker = pytest.mark.skipif(shutil.which("g++") is None, reason="no linker")
U8 = hl.UInt(8)


def write_add(path: Path, symbol: str, amount: int) -> None:
    """void symbol(const uint8_t *a, uint8_t *b, int w, int h): b = a + amount, in parallel."""
    x, y = hl.Var("x"), hl.Var("y")
    source = hl.ImageParam(U8, 2, "src")
    f = hl.Func("dst")
    f[x, y] = source[x, y] + amount
    w, h = (Variable(I32, n) for n in "wh")
    zero, one, row, rows = const(0, I64), const(1, I64), cast_to(I64, w), cast_to(I64, h)
    buffers = {n: RawBuffer(p, zero, (zero, zero), (row, rows), (one, row)) for n, p in (("src", "a"), ("dst", "b"))}
    pipeline = hl.Pipeline([f])
    apply_default_schedule(pipeline, hl.get_host_target(), set(), buffers)
    params = [RawParam("a", U8, True), RawParam("b", U8, True), RawParam("w", I32), RawParam("h", I32)]
    variant = Variant((w > 0) & (h > 0), pipeline, buffers)
    compile_raw(symbol, params, None, [variant], f"{symbol}_original", hl.get_host_target()).write_object(path)


@needs_linker
def test_two_objects_share_one_pool_in_a_library(tmp_path: Path) -> None:
    for k in (1, 2):
        write_add(tmp_path / f"k{k}.o", f"add{k}", k)
    (tmp_path / "original.cpp").write_text(
        '#include <cstdint>\nint calls;\nextern "C" {\n'
        "void add1_original(const uint8_t*, uint8_t*, int, int) { calls += 1; }\n"
        "void add2_original(const uint8_t*, uint8_t*, int, int) { calls += 10; }\n"
        "int count() { return calls; }\n}\n"
    )
    library = tmp_path / "lib.so"
    objects = [str(tmp_path / f"k{k}.o") for k in (1, 2)]
    subprocess.run(["g++", "-shared", "-fPIC", *objects, str(tmp_path / "original.cpp"), "-o", library, "-pthread"],
                   check=True)  # fmt: skip
    lib = ctypes.CDLL(str(library))
    a = np.random.default_rng(1).integers(0, 256, (700, 900)).astype(np.uint8)
    for k in (1, 2, 1, 2):
        b = np.zeros_like(a)
        getattr(lib, f"add{k}")(ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(b.ctypes.data), 900, 700)
        assert np.array_equal(b, a + np.uint8(k))
    lib.add1(None, None, 0, 5)
    lib.add2(None, None, 5, -5)
    assert lib.count() == 11
    assert not hasattr(lib, "hl.par_for")


_CALLER = Path(__file__).with_name("objects_caller.cpp").read_text()


@needs_linker
def test_halide_calling_convention(tmp_path: Path) -> None:
    theirs: Any = pytest.importorskip("halide")
    include = Path(theirs.__file__).parent / "include"
    x, y = hl.Var("x"), hl.Var("y")
    source, k = hl.ImageParam(U8, 2, "inp"), hl.Param(hl.Int(32), "k")
    f = hl.Func("out")
    f[x, y] = hl.u8(hl.i32(source[x + 1, y]) + k)
    f.vectorize(x, 16).parallel(y)
    f.compile_to_object(str(tmp_path / "pipe.o"), [source, k], "pipe")
    f.compile_to_header(str(tmp_path / "pipe.h"), [source, k], "pipe")
    (tmp_path / "main.cpp").write_text(_CALLER)
    program = tmp_path / "main"
    subprocess.run(["g++", f"-I{include}", f"-I{tmp_path}", tmp_path / "main.cpp", tmp_path / "pipe.o", "-o", program,
                    "-pthread", "-ldl"], check=True)  # fmt: skip
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    assert done.stdout == "0 0 0 1 100 -4"
    assert "Input buffer inp is accessed at 101, which is beyond the max (100) in dimension 0" in done.stderr


_SCARCE = Path(__file__).with_name("objects_scarce.c").read_text()
_CALL = """
import ctypes, sys
import numpy as np
lib, left, n = ctypes.CDLL(sys.argv[1]), int(sys.argv[2]), 6000
b = np.zeros(n, np.int32)
ctypes.c_int.in_dll(lib, "left").value = left
lib.run(ctypes.c_void_p(b.ctypes.data), n)
print(np.array_equal(b, np.arange(n) * 12 + 18), ctypes.c_int.in_dll(lib, "originals").value)
"""


@needs_linker
def test_storage_that_runs_out_while_an_output_is_updated(tmp_path: Path) -> None:
    """What updates have done is not done again by the original: the program ends, and says why."""
    x, r = hl.Var("x"), hl.RDom([(0, 4)])
    f, g = hl.Func("f"), hl.Func("g")
    g[x] = x * 3
    f[x] = hl.undef(hl.Int(32))
    f[x] += g[x + r]
    f.update().reorder(x, r.x)
    g.compute_at(f, r.x)
    width = Variable(I32, "w")
    zero, one = const(0, I64), const(1, I64)
    buffers = {"f": RawBuffer("b", zero, (zero,), (cast_to(I64, width),), (one,))}
    params = [RawParam("b", hl.Int(32), True), RawParam("w", I32)]
    variant = Variant(width > 0, hl.Pipeline([f]), buffers)
    compile_raw("run", params, None, [variant], "original", hl.get_host_target()).write_object(tmp_path / "run.o")
    (tmp_path / "scarce.c").write_text(_SCARCE)
    command = ["g++", "-x", "c", "-shared", "-fPIC", str(tmp_path / "scarce.c"), "-x", "none", str(tmp_path / "run.o")]
    library = tmp_path / "run.so"
    subprocess.run([*command, "-o", str(library), "-pthread"], check=True)
    for left, wanted in ((9, "True 0"), (1, ""), (2, "")):
        done = subprocess.run(
            [sys.executable, "-c", _CALL, str(library), str(left)], capture_output=True, text=True, check=False
        )
        assert done.stdout.strip() == wanted
        assert (done.returncode == 0) is bool(wanted)
        assert wanted or "out of memory" in done.stderr
