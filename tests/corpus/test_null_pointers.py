"""Functions that skip what a null pointer stands for."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
import sys
from pathlib import Path

import numpy as np

from codegen.original import compile_original
from lifter.api import lift_file
from lifter.harness.compare import compare

SOURCE = Path(__file__).with_name("null_pointers.cpp").read_text()


PER_PIXEL = Path(__file__).with_name("null_pointers_per_pixel.cpp").read_text()


def test_optional_inputs_asked_for_at_each_pixel(tmp_path) -> None:
    source = tmp_path / "blend.cpp"
    source.write_text(PER_PIXEL)
    (f,) = lift_file(str(source), out=str(tmp_path), emit=("shared",), run=False).functions
    assert f.status == "verified", f.reason
    assert len(f.lifted.summary.paths) == 4
    original = compile_original(source, (), tmp_path / "original.so")
    done = compare(f.lifted.summary, original, tmp_path / "libblend_lifted.so")
    assert not done.problems
    assert done.met > 30


def test_optional_outputs(tmp_path) -> None:
    source = tmp_path / "split.cpp"
    source.write_text(SOURCE)
    report = lift_file(str(source), out=str(tmp_path), emit=("shared",), run=False)
    (f,) = report.functions
    assert f.status == "verified", f.reason
    original = tmp_path / "original.so"
    subprocess.run(["g++", "-O2", "-shared", "-fPIC", "-o", str(original), str(source)], check=True)
    libraries = [ctypes.CDLL(str(original)), ctypes.CDLL(f.outputs["shared"])]
    rng = np.random.default_rng(0)
    for width, height, has_u, has_v in itertools.product((0, 1, 5, 70), (0, 1, 4), (False, True), (False, True)):
        pixels = rng.integers(0, 256, (height + 1) * (2 * width + 8), np.uint8)
        results = []
        for library in libraries:
            u, v = (np.zeros((height + 1) * (width + 3), np.uint8) for _ in range(2))
            size = ctypes.c_size_t
            library.split(
                ctypes.c_void_p(pixels.ctypes.data), size(2 * width + 8), size(width), size(height),
                ctypes.c_void_p(u.ctypes.data if has_u else None), size(width + 3),
                ctypes.c_void_p(v.ctypes.data if has_v else None), size(width + 3),
            )
            results.append((u, v))
        assert all(np.array_equal(a, b) for a, b in zip(*results, strict=True)), (width, height, has_u, has_v)


MODES = Path(__file__).with_name("null_pointers_modes.cpp").read_text()

# No pixel of the third array can be touched: in a process of its own, since a mistake ends it.
UNREADABLE = """
import ctypes, sys
import numpy as np
library = ctypes.CDLL(sys.argv[1])
d, s = np.zeros(100, np.uint8), np.arange(100, dtype=np.uint8)
for n in (1, 7, 100):
    for name, mode in (("masked", 0), ("masked", 1), ("table", 0)):
        getattr(library, name)(
            ctypes.c_void_p(d.ctypes.data), ctypes.c_void_p(s.ctypes.data), ctypes.c_void_p(8), n, mode
        )
"""


def test_arrays_that_a_mode_leaves_alone(tmp_path) -> None:
    source = tmp_path / "modes.cpp"
    source.write_text(MODES)
    report = lift_file(str(source), out=str(tmp_path), emit=("shared",), run=False)
    assert [f.status for f in report.functions] == ["verified"] * 2
    library = report.functions[0].outputs["shared"]
    assert subprocess.run([sys.executable, "-c", UNREADABLE, library], timeout=60).returncode == 0
