"""Drop-ins of functions that only their file sees: their callers come to the lifted code."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np

from lifter.api import lift_file

C, CPP, METHODS = (Path(__file__).with_name(n).read_text() for n in ("internal.c", "internal.cpp", "methods.cpp"))


def _symbols(library: Path) -> dict[str, str]:
    said = subprocess.run(["nm", str(library)], capture_output=True, text=True, check=True).stdout
    return {parts[-1]: parts[-2] for line in said.splitlines() if len(parts := line.split()) >= 3}


def _lifted(tmp_path: Path, text: str, suffix: str, names: list[str]) -> ctypes.CDLL:
    source = tmp_path / f"source{suffix}"
    source.write_text(text)
    found = lift_file(str(source), functions=names, out=str(tmp_path), emit=("shared",), run=True).functions
    assert {f.name for f in found} == set(names)
    assert all(f.status == "verified" and f.run and f.run.calls for f in found), [(f.reason, f.run) for f in found]
    return ctypes.CDLL(str(tmp_path / "libsource_lifted.so"))


def _pointer(a: np.ndarray) -> ctypes.c_void_p:
    return a.ctypes.data_as(ctypes.c_void_p)


def test_static_functions_of_c(tmp_path: Path) -> None:
    library = _lifted(tmp_path, C, ".c", ["row", "total", "twice"])
    symbols = _symbols(tmp_path / "libsource_lifted.so")
    for name in ("row", "total", "twice"):
        assert symbols[name] == symbols[f"{name}.original"] == "t"
    s = np.random.default_rng(0).integers(0, 256, (5, 40), np.uint8)
    d = np.zeros_like(s)
    assert library.plane(_pointer(d), _pointer(s), 33, 5, 40) == int(s[:, :33].sum(dtype=int))
    assert (d[:, :33] == s[:, :33] * np.uint8(6)).all() and not d[:, 33:].any()


def test_unnamed_namespaces_and_classes(tmp_path: Path) -> None:
    library = _lifted(tmp_path, CPP, ".cpp", ["invert", "add"])
    s, d = np.arange(100, dtype=np.uint8), np.zeros(100, np.uint8)
    library.both(_pointer(d), _pointer(s), 100)
    assert (d == (257 - s.astype(int)) % 256).all()


def test_what_a_macro_defines(tmp_path: Path) -> None:
    """The attribute goes before the macro's call."""
    loop = "{ for (int i = 0; i < n; i++) d[i] = i; }"
    text = f"#include <stdint.h>\n#define ROW(N) static void N(uint8_t *d, int n) {loop}\n"
    library = _lifted(tmp_path, text + "ROW(ramp) void out(uint8_t *d, int n) { ramp(d, n); }\n", ".c", ["ramp"])
    d = np.zeros(70, np.uint8)
    library.out(_pointer(d), 70)
    assert (d == np.arange(70)).all()


def test_methods_defined_in_their_classes(tmp_path: Path) -> None:
    """Overloaded ones, virtual ones, those with qualifiers, of classes that are nested, private, specialised, or in
    unnamed namespaces."""
    names = {"run": 2, "lift": 1, "apply": 1, "update": 2}
    library = _lifted(tmp_path, METHODS, ".cpp", list(names))
    symbols = _symbols(tmp_path / "libsource_lifted.so")
    originals = [s for s in symbols if s.endswith(".original")]
    assert {n: len([s for s in originals if n in s]) for n in names} == names
    assert all(symbols[s] == symbols[s.removesuffix(".original")] == "t" for s in originals)
    s, d = np.arange(101, dtype=np.float32), np.zeros(100, np.float32)
    library.gains(_pointer(d), _pointer(s), 100)
    assert (d == s[:-1] * np.float32(2.5) + 7).all()
    k, e = np.arange(101, dtype=np.int32), np.zeros(100, np.int32)
    library.fir(_pointer(e), _pointer(k), 100)
    assert (e == k[:-1] * 10 + k[1:]).all()
    library.lifts(_pointer(e), 100)
    assert (e == k[:-1] * 10 + k[1:] + 3).all()
    library.filter(_pointer(e), 100)
    assert (e == k[:-1] * 10 + k[1:] + np.array([13] * 4 + [8] * 96)).all()


def test_methods_that_nothing_can_name(tmp_path: Path) -> None:
    source = tmp_path / "source.cpp"
    source.write_text(METHODS)
    found = lift_file(str(source), functions=["two"], out=str(tmp_path), emit=("dsl", "shared"), run=True).functions
    assert [f.status for f in found] == ["verified"], [f.reason for f in found]
    assert all(any("nothing can name it" in note for note in f.notes) for f in found), [f.notes for f in found]
    assert not (tmp_path / "libsource_lifted.so").exists()
