"""Names that emitted text and compiled code have already, and arguments of every spelling."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest

from codegen import adapter, reserved
from lifter.api import UsageError, lift_file
from lifter.harness import second_opinion

pytestmark = pytest.mark.few(9)

NAMES = Path(__file__).with_name("names.cpp").read_text()
ARGUMENTS = Path(__file__).with_name("arguments.cpp").read_text()


@pytest.fixture(scope="module")
def names(tmp_path_factory):
    folder = tmp_path_factory.mktemp("names")
    (folder / "names.cpp").write_text(NAMES)
    report = lift_file(str(folder / "names.cpp"), out=str(folder), emit=("dsl", "halide-cpp", "shared", "object"))
    assert {f.name: f.status for f in report.functions} == dict.fromkeys(
        ("halide_error", "f", "f__original", "of_halide", "of_python", "of_the_generator", "helper"), "verified"
    ), [f.reason for f in report.functions]
    return report


def test_names_of_the_run_time_have_no_compiled_code(names):
    own = names.functions[0]
    assert set(own.outputs) == {"dsl", "halide-cpp"}
    assert "'halide_error' may be a name of Halide's run time" in own.notes[-1]
    assert all({"shared", "object"} <= set(f.outputs) for f in names.functions[1:])


def test_drop_ins_of_such_names(names):
    library = ctypes.CDLL(names.functions[1].outputs["shared"])
    data = np.arange(100, dtype=np.uint8)
    for name, wanted in (("f", 253 - data), ("f__original", 252 - data)):
        got = data.copy()
        getattr(library, name)(ctypes.c_void_p(got.ctypes.data), 100)
        assert (got == wanted).all()


def test_names_that_are_changed_are_said(names):
    texts = {f.name: Path(f.outputs["halide-cpp"]).read_text() for f in names.functions}
    assert "// Here Var is Var_, Output is Output_, Buffer is Buffer_, cast is cast_.\n" in texts["of_halide"]
    assert "select is select_, select_ is select__." in texts["of_the_generator"]
    assert "None is None_, lambda is lambda_." in Path(names.functions[4].outputs["dsl"]).read_text()


@pytest.mark.long
def test_generators_of_such_names_compile(names, tmp_path):
    halide = pytest.importorskip("halide")
    include = Path(halide.__file__).parent / "include"
    text = "".join(f'#include "{f.outputs["halide-cpp"]}"\n' for f in names.functions)
    command = ["g++", "-std=c++17", "-w", "-fsyntax-only", f"-I{include}", "-x", "c++", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:500]


def test_changed_names_stay_different():
    for taken in (reserved.PYTHON, reserved.CPP):
        words = {w + "_" * n for w in ("select", "min", "hl", "x", "lambda") for n in range(4)}
        assert len({reserved.apart(w, taken) for w in words}) == len(words)


def test_drop_ins_for_arguments_of_every_spelling(tmp_path, monkeypatch):
    monkeypatch.setattr(second_opinion, "LEAST", 120.0)
    source = tmp_path / "arguments.cpp"
    source.write_text(ARGUMENTS)
    report = lift_file(str(source), out=str(tmp_path), emit=("shared",))
    for f in report.functions:
        assert f.status == "verified", f.reason
        assert "shared" in f.outputs
        assert f.run.calls > 40, f.run.words()


def test_a_function_whose_adapter_does_not_compile_costs_only_itself(tmp_path, monkeypatch):
    source = tmp_path / "arguments.cpp"
    source.write_text(ARGUMENTS)
    made = adapter._Adapter.text
    monkeypatch.setattr(
        adapter._Adapter, "text", lambda a: "not C++;" if a.summary.function.name == "matrix" else made(a)
    )
    report = lift_file(str(source), out=str(tmp_path), emit=("dsl", "shared"))
    found = {f.name: f for f in report.functions}
    assert {n for n, f in found.items() if "shared" in f.outputs} == {"sized", "referred", "moved"}
    assert found["matrix"].status == "verified"
    assert set(found["matrix"].outputs) == {"dsl"}
    assert "its arguments cannot be taken apart here: c++ failed" in found["matrix"].notes[-1]


def test_a_program_links_with_the_drop_in(tmp_path, monkeypatch):
    text = "void invert(unsigned char *p, int n) { for (int i = 0; i < n; i++) p[i] ^= 255; }\n"
    (tmp_path / "invert.c").write_text(text)
    (tmp_path / "main.c").write_text(
        "void invert(unsigned char *, int);\n"
        "int main(void) { unsigned char p[3] = {0, 1, 2}; invert(p, 3); return p[2] != 253; }\n"
    )
    monkeypatch.chdir(tmp_path)
    report = lift_file("invert.c", out="lifted", emit=("shared",))
    line = next(s for s in str(report).splitlines() if s.startswith("link with: "))
    subprocess.run(f"cc main.c -o main {line.removeprefix('link with: ')}", shell=True, cwd=tmp_path, check=True)
    subprocess.run([tmp_path / "main"], cwd="/", check=True)


def test_a_flag_that_an_intrinsic_needs_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(second_opinion, "LEAST", 120.0)
    source = tmp_path / "lanes.cpp"
    source.write_text("""\
#include <smmintrin.h>
void positive(signed char *d, const signed char *s, int n) {
    for (int i = 0; i + 16 <= n; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(s + i));
        _mm_storeu_si128((__m128i *)(d + i), _mm_max_epi8(v, _mm_setzero_si128()));
    }
}
""")
    with pytest.raises(UsageError, match=r"the intrinsic '_mm_max_epi8' needs the flag -msse4\.1; repeat the command"):
        lift_file(str(source), out=str(tmp_path), emit=("shared",))
    (f,) = lift_file(str(source), out=str(tmp_path), emit=("shared",), clang_args=["-msse4.1"]).functions
    assert f.status == "verified"
    assert f.run.calls > 40
