"""Functions of the C library in emitted text: its bits, whatever the language's own functions give."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import halide_core as hl
from lifter.api import lift_file

NAMES = ("exp", "log", "sin", "tanh", "atan")


@pytest.mark.parametrize(("kind", "suffix"), [("double", ""), ("float", "f")])
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_gives_its_bits(kind: str, suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The emitted text takes the package where there is one.
    monkeypatch.setitem(sys.modules, "halide", None)
    source = tmp_path / "functions.c"
    body = "void {0}_of({1} *out, const {1} *in, int n) {{ for (int i = 0; i < n; i++) out[i] = {0}{2}(in[i]); }}\n"
    source.write_text("#include <math.h>\n" + "".join(body.format(n, kind, suffix) for n in NAMES))
    report = lift_file(str(source), emit=("dsl",), out=str(tmp_path / "out"))
    assert {f.status for f in report.functions} == {"verified"}
    values = np.random.default_rng(3).uniform(0.01, 9, 5000).astype(np.float64 if kind == "double" else np.float32)
    real = ctypes.c_double if kind == "double" else ctypes.c_float
    library = ctypes.CDLL("libm.so.6")
    differ = 0
    for f, name in zip(report.functions, NAMES, strict=True):
        spec = importlib.util.spec_from_file_location(f.name, f.outputs["dsl"])
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        images, _, outputs = module.build()
        images["in"].set(hl.Buffer(values))
        function = getattr(library, name + suffix)
        function.restype, function.argtypes = real, [real]
        wanted = np.array([function(v) for v in values.tolist()], values.dtype)
        assert np.array_equal(np.asarray(outputs["out"].realize([len(values)])), wanted), name
        own, x = hl.Func("own"), hl.Var("x")
        own[x] = getattr(hl, name)(images["in"][x])
        differ += int((np.asarray(own.realize([len(values)])) != wanted).sum())
    assert differ, "the language's own functions have other last places"
