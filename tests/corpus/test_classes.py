"""Drop-ins of functions that take classes: what an adapter must notice, and calls from C++ through the class itself."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

from lifter.api import lift_file
from tests.corpus.beside import libraries

pytestmark = pytest.mark.few(3)

VIEW = Path(__file__).with_name("classes_view.cpp").read_text()


class View(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("w", ctypes.c_int), ("h", ctypes.c_int), ("stride", ctypes.c_int),
    )


@pytest.fixture(scope="module")
def views(tmp_path_factory):
    return libraries(tmp_path_factory.mktemp("views"), VIEW)


def test_a_member_function_and_references(views):
    original, lifted, symbols = views
    rng = np.random.default_rng(0)
    for w, h, pad in ((0, 0, 0), (1, 1, 3), (33, 17, 5), (200, 90, 0)):
        memory = rng.integers(0, 256, h * (w + pad) + 1, dtype=np.uint8)
        results = []
        for library in (original, lifted):
            own = memory.copy()
            v = View(own.ctypes.data, w, h, w + pad)
            getattr(library, symbols["negate"])(ctypes.byref(v))
            first = own.copy()
            getattr(library, symbols["fill"])(ctypes.byref(v), 77)
            results.append((first, own))
        assert all(np.array_equal(a, b) for a, b in zip(*results, strict=True))


@pytest.mark.parametrize("shift", [8, 9, 11, 12, 16, 19, 20, 24])
def test_pixels_inside_the_object_run_the_original(views, shift):
    """The image's memory covers the object that describes it: its width changes while it is filled."""
    original, lifted, symbols = views
    results = []
    for library in (original, lifted):
        memory = np.full(4096, 7, np.uint8)
        start = memory.ctypes.data + (-memory.ctypes.data) % 64 + 1024
        v = View.from_address(start)
        v.data, v.w, v.h, v.stride = start + shift, 6, 2, 9
        getattr(library, symbols["fill"])(ctypes.byref(v), 0)
        results.append(bytes((ctypes.c_uint8 * 256).from_address(start + 8)))
    assert results[0] == results[1]


def test_null_objects(views):
    original, lifted, symbols = views
    data = np.arange(12, dtype=np.uint8)
    s = View(data.ctypes.data, 4, 3, 4)
    for library in (original, lifted):
        getattr(library, symbols["copy"])(None, ctypes.byref(s))
        getattr(library, symbols["copy"])(None, None)
    out = np.zeros(12, np.uint8)
    d = View(out.ctypes.data, 4, 3, 4)
    getattr(lifted, symbols["copy"])(ctypes.byref(d), ctypes.byref(s))
    assert np.array_equal(out, data)


def test_pointers_of_the_callers_objects_stay_in_their_memory(tmp_path):
    source = tmp_path / "f.cpp"
    source.write_text(
        VIEW + "void shrink(View& v) { for (int i = 0; i < v.w; i++) v.data[i] = 1; v.w = 0; }\n"
        "void skip(View* v, int n) { for (int i = 0; i < n; i++) *v->data++ = 1; }\n"
        "void turn(View* v, unsigned char* p, int n) { v->data = p; for (int i = 0; i < n; i++) v->data[i] = 1; }\n"
        "void drop(View* v, int n) { for (int i = 0; i < n; i++) v->data[i] = 1; v->data = 0; }\n"
        "void rest(View v, int n) { for (int i = 0; i < n; i++) *v.data++ = v.w--; }\n"
    )
    report = lift_file(str(source), out=str(tmp_path), emit=())
    found = {f.name: (f.status, f.reason) for f in report.functions}
    assert found["shrink"][0] == "verified"
    assert found["skip"][0] == "verified"
    other = "pointer in an object of the caller's that is set to other memory than it points to"
    assert found["turn"] == found["drop"] == ("unsupported", other)
    assert found["rest"][0] == "verified"


PICTURES = Path(__file__).with_name("classes_pictures.cpp").read_text()
DRIVER = Path(__file__).with_name("classes_driver.cpp").read_text()


def test_containers_from_cpp(tmp_path):
    """Calls through the containers: ragged rows, references to the same object, nothing at all."""
    source = tmp_path / "f.cpp"
    source.write_text(PICTURES)
    report = lift_file(str(source), out=str(tmp_path), emit=("shared",), run=False)
    assert all(f.status == "verified" for f in report.functions), [(f.name, f.reason) for f in report.functions]
    original = tmp_path / "original.so"
    subprocess.run(["g++", "-O2", "-fPIC", "-shared", "-o", str(original), str(source)], check=True)
    text = PICTURES.partition("void shift")[0] + DRIVER
    for f in report.functions:
        text = text.replace(f'"{f.name.upper()}"', f'"{f.lifted.function.symbol}"')
    (tmp_path / "driver.cpp").write_text(text)
    driver = tmp_path / "driver"
    subprocess.run(["g++", "-O1", "-o", str(driver), str(tmp_path / "driver.cpp"), "-ldl"], check=True)
    outputs = [
        subprocess.run([str(driver), str(library)], check=True, capture_output=True, text=True).stdout
        for library in (original, tmp_path / "libf_lifted.so")
    ]
    assert outputs[0].count("\n") == 12
    assert outputs[1] == outputs[0]


C_SOURCE = Path(__file__).with_name("classes.c").read_text()
C_DRIVER = Path(__file__).with_name("classes_driver.c").read_text()


def test_structures_of_c(tmp_path):
    """A C file: its drop-in has C's symbols, and takes structures by pointer and by value."""
    source = tmp_path / "f.c"
    source.write_text(C_SOURCE)
    report = lift_file(str(source), out=str(tmp_path), emit=("shared",), run=False)
    assert all(f.status == "verified" for f in report.functions), [(f.name, f.reason) for f in report.functions]
    driver = tmp_path / "driver.c"
    driver.write_text(C_SOURCE.partition("void invert")[0] + C_DRIVER)
    outputs = []
    for name, other in (("original", source), ("lifted", tmp_path / "libf_lifted.so")):
        program = tmp_path / name
        command = ["gcc", "-O1", "-o", str(program), str(driver), str(other), f"-Wl,-rpath,{tmp_path}"]
        subprocess.run(command, check=True)
        outputs.append(subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout)
    assert outputs[0] == outputs[1] != ""
