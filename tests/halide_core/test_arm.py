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
CALLER = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct dim { int32_t min, extent, stride; uint32_t flags; };
struct buffer { uint64_t device; void *interface; uint8_t *host; uint64_t flags; uint8_t code, bits; uint16_t lanes;
                int32_t dimensions; struct dim *dim; void *padding; };
int pipe(struct buffer *, struct buffer *);
static void fill(struct buffer *b, struct dim *d, char **a) {
    b->code = atoi(a[0]); b->bits = atoi(a[1]); b->lanes = 1; b->dimensions = 2; b->dim = d;
    d[0].extent = atoi(a[2]); d[1].extent = atoi(a[3]); d[0].stride = 1; d[1].stride = d[0].extent;
    b->host = malloc((size_t)d[0].extent * d[1].extent * ((b->bits + 7) / 8));
}
int main(int count, char **args) {
    struct dim d[4] = {{0}};
    struct buffer in = {0}, out = {0};
    fill(&in, d, args + 1);
    fill(&out, d + 2, args + 5);
    FILE *f = fopen(args[9], "rb");
    if (!f || !fread(in.host, (size_t)d[0].extent * d[1].extent * (in.bits / 8), 1, f)) return 2;
    fclose(f);
    int status = pipe(&in, &out);
    if (status) return 3;
    f = fopen(args[10], "wb");
    if (!fwrite(out.host, (size_t)d[2].extent * d[3].extent * ((out.bits + 7) / 8), 1, f)) return 4;
    return fclose(f);
}
"""


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
@pytest.mark.parametrize("seed", range(12))
def test_random_pipelines(seed: int, tmp_path: Path) -> None:
    # Nothing is computed beyond the result, which has no room there.
    case = replace(next(c for c in cases(1000 + seed, guarded=True)), target="")
    np.testing.assert_array_equal(emulated(case, tmp_path), reference(case))
