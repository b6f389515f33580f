"""Objects for AArch64: random pipelines, cross-compiled, linked with a C program and run under qemu's user emulation.

Needs Debian's qemu-user, gcc-aarch64-linux-gnu and libc6-dev-arm64-cross (`make arm-tools`)."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import halide_core as hl
from halide_core.interp.expr import dtype_of
from tests.halide_core.fuzz.__main__ import cases
from tests.halide_core.fuzz.case import Case, data, functions, reference

pytestmark = pytest.mark.few(6)

GCC, QEMU = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64")
needs_arm = pytest.mark.skipif(GCC is None or QEMU is None, reason="no cross compiler or no emulator; make arm-tools")

# A halide_buffer_t of two dense dimensions over a file's bytes; the result goes to another file.
CALLER = Path(__file__).with_name("arm_caller.c").read_text()


def emulated(case: Case, folder: Path) -> np.ndarray[Any, Any]:
    """What the pipeline gives on AArch64; shape (rows, columns)."""
    names = functions(case)
    output, source = names["output"], names["source"]
    output.compile_to_object(str(folder / "pipe.o"), [source], "pipe", hl.Target("arm-64-linux"))
    (folder / "main.c").write_text(CALLER)
    assert GCC is not None and QEMU is not None
    program = [GCC, "-static", "-O1", "main.c", "pipe.o", "-o", "program", "-lm", "-lpthread"]
    subprocess.run(program, cwd=folder, check=True)
    pixels, dtype = data(case), dtype_of(output.type())
    pixels.tofile(folder / "in")
    codes = {"i": 0, "u": 1, "b": 1, "f": 2}
    shapes = [
        str(n)
        for t, size in ((pixels.dtype, pixels.shape[::-1]), (dtype, case.sizes))
        for n in (codes[t.kind], 1 if t.kind == "b" else t.itemsize * 8, *size)
    ]
    subprocess.run([QEMU, "./program", *shapes, "in", "out"], cwd=folder, check=True, timeout=60)
    return np.fromfile(folder / "out", dtype).reshape(case.sizes[::-1])


@needs_arm
@pytest.mark.sampled(2)
@pytest.mark.parametrize("seed", range(12))
def test_random_pipelines(seed: int, tmp_path: Path) -> None:
    # Nothing is computed beyond the result, which has no room there.
    case = replace(next(c for c in cases(1000 + seed, guarded=True)), target="")
    np.testing.assert_array_equal(emulated(case, tmp_path), reference(case))
