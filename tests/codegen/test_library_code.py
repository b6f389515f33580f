"""What image libraries are made of, lifted whole: the corpus's functions in that style, and what stands around them."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from corpus.manifest import ROOT, entries
from lifter.api import lift_file
from lifter.harness import second_opinion
from tests.c_files import names_of

pytestmark = pytest.mark.few(8)

LEFT = Path(__file__).with_name("left_alone.c")
FILES = ("filter/plain_c.c", "filter/library_views.cpp")


def _pointer(a: np.ndarray) -> ctypes.c_void_p:
    return a.ctypes.data_as(ctypes.c_void_p)


@pytest.fixture(scope="module")
def plain_c(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("plain")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(second_opinion, "LEAST", 120.0)  # proofs are soon done
        report = lift_file(str(ROOT / FILES[0]), out=str(folder), emit=("shared",))
    expected = {e.name: e.status for e in entries() if e.file == FILES[0]}
    assert {f.name: f.status for f in report.functions} == expected, [f.reason for f in report.functions if f.reason]
    for f in report.functions:
        assert f.status != "verified" or (f.run is not None and f.run.calls > 20 and not f.run.reason), f.name
    return ctypes.CDLL(str(folder / "libplain_c_lifted.so"))


def test_views(tmp_path: Path) -> None:
    report = lift_file(str(ROOT / FILES[1]), out=str(tmp_path), emit=("shared",))
    assert {f.status for f in report.functions} == {"verified"}, [f.reason for f in report.functions]


def test_variables_of_the_file_are_read_at_each_call(plain_c: ctypes.CDLL) -> None:
    s, d = np.arange(256, dtype=np.uint8), np.zeros(256, np.uint8)
    for bits in (0xF8, 0x0F, 0x81):
        if bits != 0xF8:
            plain_c.set_kept_bits(bits)
        plain_c.coarsen(_pointer(s), _pointer(d), 256)
        assert (d == s & bits).all()


def test_calls_that_report_errors(plain_c: ctypes.CDLL) -> None:
    s, d = np.arange(100, dtype=np.uint8), np.zeros(100, np.uint8)
    assert plain_c.scale_checked(None, _pointer(s), 100, 3) == -1
    assert plain_c.scale_checked(_pointer(d), _pointer(s), 100, 999) == -2 and not d.any()
    assert plain_c.scale_checked(_pointer(d), _pointer(s), 100, 128) == 100 and (d == s // 2).all()


def test_functions_chosen_at_the_start(plain_c: ctypes.CDLL) -> None:
    s, d = np.random.default_rng(3).integers(0, 256, (4, 41), np.uint8), np.zeros((4, 41), np.uint8)
    for choose in (lambda: None, plain_c.use_unrolled_fade, lambda: plain_c.choose_fade(0)):
        choose()
        d[:] = 0
        plain_c.fade_plane(_pointer(d), 41, _pointer(s), 41, 37, 4)
        assert (d[:, :37] == s[:, :37] - (s[:, :37] >> 2)).all() and not d[:, 37:].any()


def test_bytes_of_floats(plain_c: ctypes.CDLL) -> None:
    """All bits are kept, those of signalling not-a-numbers too."""
    bits = np.random.default_rng(1).integers(0, 1 << 32, 4096, np.uint64).astype(np.uint32)
    bits[:256] = 0x7F800001 + np.arange(256)
    d = np.zeros(4096, np.uint32)
    plain_c.floats_from_file(_pointer(d.view(np.uint8)), _pointer(bits.byteswap().view(np.uint8)), 4096)
    assert (d == bits).all()


def test_names_of_variables_of_the_file(tmp_path: Path) -> None:
    """A parameter or a macro of the same name, and a function of the file's that reads the variable."""
    source = tmp_path / "f.c"
    source.write_text(
        "static int k = 5, other = 90;\nstatic int given(void) { return k; }\n"
        "void set(int v) { k = v; other = v + 1; }\n"
        "void f(unsigned char *d, int n, int k) { for (int i = 0; i < n; i++) d[i] = given() + k; }\n"
        "void g(unsigned char *d, int n) { for (int i = 0; i < n; i++) d[i] = k; }\n#define k other\n"
    )
    report = lift_file(str(source), out=str(tmp_path), emit=("shared",))
    assert [f.name for f in report.functions if f.status == "verified"] == ["f", "g"]
    library, d = ctypes.CDLL(str(tmp_path / "libf_lifted.so")), np.zeros(40, np.uint8)
    library.set(9)
    library.f(_pointer(d), 40, 3)
    assert (d == 12).all()
    library.g(_pointer(d), 40)
    assert (d == 9).all()


def test_variables_of_models(tmp_path: Path) -> None:
    """They are not the file's own of that name."""
    source, model = tmp_path / "f.c", tmp_path / "model.c"
    source.write_text(
        "static int k = 5;\nint own(void) { return k; }\nint g(int);\n"
        "void f(unsigned char *d, int n) { for (int i = 0; i < n; i++) d[i] = g(i); }\n"
    )
    model.write_text("static int k = 9;\nvoid set(int v) { k = v; }\nint g(int i) { return k + i; }\n")
    report = lift_file(str(source), out=str(tmp_path), emit=(), models=[str(model)], run=False)
    (found,) = (f for f in report.functions if f.name == "f")
    assert found.status == "unsupported" and "'k'" in found.reason


def test_one_of_several_kernels(plain_c: ctypes.CDLL) -> None:
    s, d = np.random.default_rng(0).integers(0, 256, 60, np.uint8), np.zeros(60, np.uint8)
    kernels = [(0, 4, 0), (1, 2, 1), (0, 4, 0), (-1, 6, -1)]
    for level, (a, b, c) in enumerate(kernels):
        plain_c.sharpen_by(_pointer(d), _pointer(s), 60, level)
        wide = s.astype(int)
        sums = a * wide[:-2] + b * wide[1:-1] + c * wide[2:]
        assert (d[1:-1] == np.clip(np.trunc(sums / 4), 0, 255)).all()


@pytest.mark.parametrize("name", names_of(LEFT))
def test_what_is_left_alone(tmp_path: Path, name: str) -> None:
    (found,) = lift_file(str(LEFT), functions=[name], out=str(tmp_path), emit=(), run=False).functions
    assert found.status in ("unsupported", "not_found"), found.status
    assert found.reason


@pytest.mark.parametrize(("type_", "whole"), [("int", True), ("unsigned", False), ("size_t", True)])
def test_distances_in_bytes(tmp_path: Path, type_: str, whole: bool) -> None:
    """Rows of floats are floats; where a distance may have wrapped, they are bytes."""
    source = tmp_path / "f.c"
    source.write_text(
        f"#include <stddef.h>\nvoid f(const unsigned char *s, {type_} pitch, float *d, {type_} w, {type_} h) {{\n"
        f"    for ({type_} y = 0; y < h; y++) {{ const float *r = (const float *)(s + y * pitch);\n"
        f"        for ({type_} x = 0; x < w; x++) d[y * w + x] = r[x]; }}\n}}\n"
    )
    (found,) = lift_file(str(source), out=str(tmp_path), emit=()).functions
    assert found.status == "verified" and found.lifted is not None and found.lifted.summary is not None, found.reason
    (path,) = found.lifted.summary.paths
    assert any("pitch%4 == 0" in i.text for i in path.contract) == whole
    assert (str(path.inputs[0].type) == "float32") == whole


def test_objects_behind_null_pointers(tmp_path: Path) -> None:
    """What is not there is not read."""
    source = tmp_path / "f.c"
    source.write_text(
        "struct tint { int k; }; struct im { int w; unsigned char *p; struct tint *t; };\n"
        "void f(struct im *x) {\n    if (x->t) for (int i = 0; i < x->w; i++) x->p[i] += x->t->k;\n"
        "    else for (int i = 0; i < x->w; i++) x->p[i] = 7;\n}\n"
    )
    (found,) = lift_file(str(source), out=str(tmp_path), emit=("shared",)).functions
    assert found.status == "verified", found.reason
    library = ctypes.CDLL(str(tmp_path / "libf_lifted.so"))

    class Image(ctypes.Structure):
        _fields_ = (("w", ctypes.c_int), ("p", ctypes.c_void_p), ("t", ctypes.c_void_p))

    data, tint = np.full(50, 3, np.uint8), ctypes.c_int(5)
    library.f(ctypes.byref(Image(50, data.ctypes.data, ctypes.addressof(tint))))
    assert (data == 8).all()
    library.f(ctypes.byref(Image(50, data.ctypes.data, None)))
    assert (data == 7).all()


@pytest.mark.parametrize("pitch", [5, 24, 25, 26, 40])
def test_borders_in_place(tmp_path: Path, pitch: int) -> None:
    """Where one row's border would be read by the next, the original runs."""
    source = tmp_path / "f.c"
    source.write_text(
        "#include <string.h>\nvoid f(unsigned char *p, int pitch, int w, int h) {\n"
        "    p += w;\n    for (int y = 0; y < h; y++, p += pitch) memset(p, p[-1], 24);\n}\n"
    )
    (found,) = lift_file(str(source), out=str(tmp_path), emit=("shared",)).functions
    assert found.status == "verified" and found.lifted is not None and found.lifted.summary is not None, found.reason
    (path,) = found.lifted.summary.paths
    assert "pitch >= 25" in [i.text for i in path.contract]
    library = ctypes.CDLL(str(tmp_path / "libf_lifted.so"))
    data = np.arange(400, dtype=np.uint8)
    expected = data.copy()
    for y in range(7):
        expected[3 + y * pitch : 27 + y * pitch] = expected[2 + y * pitch]
    library.f(data.ctypes.data_as(ctypes.c_void_p), pitch, 3, 7)
    assert (data == expected).all()


def test_a_head_that_a_typedef_declares(tmp_path: Path) -> None:
    """As code that is made by macros says that its functions fit a table."""
    source = tmp_path / "f.c"
    source.write_text(
        "typedef int (sum_of)(const unsigned char *, int);\nstatic sum_of sum;\n"
        "static int sum(const unsigned char *s, int n) {\n"
        "    int t = 0;\n    for (int i = 0; i < n; i++) t += s[i];\n    return t;\n}\n"
        "sum_of f;\nint f(const unsigned char *s, int n) { return n > 0 ? sum(s, n) : 0; }\n"
    )
    (found,) = lift_file(str(source), out=str(tmp_path), emit=()).functions
    assert found.status == "verified", found.reason
