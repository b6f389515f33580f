"""What is proved is run beside its original before it is called verified."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

import codegen.native
import lifter.frontend.state.operators as operations
import lifter.harness.originals as originals
from halide_core.ir import expr as ir
from lifter.harness import calls, side_process

pytestmark = pytest.mark.few(3)

ABOVE = Path(__file__).with_name("above.cpp").read_text()


@pytest.fixture
def wrong_front_end(monkeypatch):
    """The front end takes > for >=, of data."""
    monkeypatch.setitem(operations._COMPARISONS, ">", ir.GE)


def only(run, name):
    """The JSON of one function of a run."""
    return next(f for f in json.loads(run.out)["functions"] if f["name"] == name)


def exported(library):
    said = subprocess.run(["nm", "-D", "--defined-only", library], capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in said.stdout.splitlines()}


@pytest.mark.parametrize("kinds", ["dsl", "dsl,shared", "object,summary"])
def test_a_misread_operator(lift, source, tmp_path, wrong_front_end, kinds):
    run = lift(source("a.cpp", ABOVE), "--emit", kinds, "--json")
    assert run.status == 1
    found, other = only(run, "above"), only(run, "add")
    assert found["status"] == "disagreed"
    assert found["reason"].startswith("proved, but beside the compiled original d[")
    assert found["outputs"] == {}
    assert not list(Path("lifted").glob("above*"))
    assert (other["status"], sorted(other["outputs"])) == ("verified", sorted(kinds.split(",")))
    assert other["run"]["calls"] > 20
    if "shared" in kinds:
        assert "add" in exported(other["outputs"]["shared"])
        assert "above.original" not in exported(other["outputs"]["shared"])
    kept = Path("lifted/disagreed/above")
    assert {p.name for p in kept.iterdir()} == {"README.md", "a.cpp", "case.json", "memory.npz", "preprocessed.txt"}
    with np.load(kept / "memory.npz") as memory:
        where = int(np.nonzero(memory["d.original"] != memory["d.lifted"])[0][0])
        assert memory["s.before"][where] == 99


def test_a_kept_call_is_replayed(lift, source, monkeypatch):
    with monkeypatch.context() as wrong:
        wrong.setitem(operations._COMPARISONS, ">", ir.GE)
        assert lift(source("a.cpp", ABOVE), "-f", "above").status == 1
        run = lift("replay", "lifted/disagreed/above")
        assert run.status == 1
        assert "is 0 after the original, 255 after the lifted function" in run.out
    run = lift("replay", "lifted/disagreed/above")
    assert (run.status, run.out) == (0, "the two agree\n")
    assert lift("replay", "lifted").one_line.startswith("error: 'lifted' holds no kept call")


def test_without_a_run(lift, source, wrong_front_end):
    run = lift(source("a.cpp", ABOVE), "--no-run", "--json")
    assert run.status == 0
    assert only(run, "above")["run"] is None
    assert "proved, and run" not in run.err


def test_without_a_compiler(lift, source, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    run = lift(source("a.cpp", ABOVE), "--json")
    assert run.status == 0
    assert only(run, "add")["run"] == {"calls": 0, "missed_contract": 0, "reason": "no compiler"}
    assert "  proved, not run: no compiler\n" in run.err


def test_an_original_of_another_processor(lift, source):
    run = lift(source("a.cpp", ABOVE), "--json", "--", "-target", "aarch64-linux-gnu")
    assert only(run, "add")["run"]["reason"] == "it was read for another processor (aarch64-linux-gnu)"


@pytest.mark.parametrize("wrong", ["codegen", "crash"])
def test_wrong_code(lift, source, monkeypatch, wrong):
    """The summary is right; the compiled code of one function is not."""
    right = codegen.native.variants

    def changed(summary, *rest):
        found = right(summary, *rest)
        if summary.function.name == "add":
            for v in found:
                for b in list(v.buffers):
                    own = v.buffers[b]
                    shift = ir.const(1 if wrong == "codegen" else 1 << 24, ir.I64)
                    if b == "s":
                        v.buffers[b] = type(own)(own.pointer, own.offset + shift, own.mins, own.extents, own.strides)
        return found

    monkeypatch.setattr(codegen.native, "variants", changed)
    run = lift(source("a.cpp", ABOVE), "--emit", "shared", "--json")
    assert run.status == 1
    found, other = only(run, "add"), only(run, "above")
    assert found["status"] == "disagreed"
    assert other["status"] == "verified"
    assert "add.original" not in exported(other["outputs"]["shared"])
    assert Path("lifted/disagreed/add/case.json").exists()


def test_where_the_contract_is_missed(lift, source):
    run = lift(source("a.cpp", ABOVE), "--emit", "shared", "--json")
    assert run.status == 0
    said = only(run, "add")["run"]
    assert said["missed_contract"] > 5
    assert said["calls"] > 100


def test_an_original_that_crashes(lift, source):
    """A division by a zero that nothing excludes: its result is undefined, and the function stays verified."""
    text = "extern \"C\" int share(int a, int b) { return a / b; }\n"
    run = lift(source("a.cpp", text), "--json")
    found = only(run, "share")
    assert found["status"] == "verified"
    assert "the original ended by SIGFPE on a call with" in found["run"]["reason"]


@pytest.mark.parametrize(("does", "said"), [("for (;;);", "does not end"), ("abort();", "ended by SIGABRT")])
def test_an_original_that_does_not_come_back(lift, source, monkeypatch, does, said):
    """Only its compiled code does that, for some calls: the function stays verified, and the report says it."""
    text = f"""
#include <cstdlib>
#ifdef BROKEN
volatile int zero;
extern "C" int twice(int a, int b) {{ if (b > 0) {{ {does} }} return 2 * a + b + zero; }}
#else
extern "C" int twice(int a, int b) {{ return 2 * a + b; }}
#endif
"""
    monkeypatch.setattr("lifter.harness.originals.FLAGS", (*originals.FLAGS, "-DBROKEN"))
    if said == "does not end":
        monkeypatch.setitem(side_process.PATIENCE, side_process.Phase.ORIGINAL, 0.5)
    run = lift(source("a.cpp", text), "--json")
    found = only(run, "twice")
    assert (run.status, found["status"]) == (0, "verified")
    assert f"the original {said} on a call with a = " in found["run"]["reason"]


def test_an_original_that_writes_elsewhere(lift, source, monkeypatch):
    """Far from everything that was proved to be written."""
    text = """
#ifdef BROKEN
extern "C" void first(int* d, int a) { d[-(1L << 40)] = a; }
#else
extern "C" void first(int* d, int a) { d[0] = a; }
#endif
"""
    monkeypatch.setattr("lifter.harness.originals.FLAGS", (*originals.FLAGS, "-DBROKEN"))
    run = lift(source("a.cpp", text), "--json")
    assert run.status == 1
    assert "the original reads or writes far from" in only(run, "first")["reason"]


def test_a_function_internal_to_its_file(lift, source):
    run = lift(source("a.cpp", "static int twice(int a) { return 2 * a; }\n"), "-f", "twice", "--json")
    found = only(run, "twice")
    assert (run.status, found["status"], found["run"]["reason"]) == (0, "verified", "")
    assert found["run"]["calls"] > 9


def test_batch_without_a_run(lift, tmp_path, wrong_front_end):
    """A whole folder, with a run and without."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "a.cpp").write_text(ABOVE)
    assert lift("batch", "code", "-j", "1").status == 1
    assert lift("batch", "code", "-j", "1", "--no-run").status == 0


def test_an_original_that_reads_more_than_it_uses(lift, source):
    """Whole registers: at the end of memory that would be a fault, with room around it it is none."""
    text = """
#include <emmintrin.h>
extern "C" void first(int* d, const int* s) {
    d[0] = _mm_cvtsi128_si32(_mm_loadu_si128((const __m128i*)s)) + 1;
}
"""
    run = lift(source("a.cpp", text), "--json")
    found = only(run, "first")
    assert found["status"] == "verified"
    assert found["run"]["calls"] > 100
    assert found["run"]["reason"] == ""


@pytest.mark.parametrize("misaligned", [False, True])
def test_an_original_that_wants_aligned_rows(lift, source, monkeypatch, misaligned):
    """Rows are drawn as it wants them; where they are not, that it dies says nothing of what was proved."""
    text = """
#include <emmintrin.h>
#include <cstddef>
extern "C" int most(const unsigned char* s, ptrdiff_t stride, unsigned w, unsigned h) {
    __m128i m = _mm_setzero_si128();
    for (unsigned y = 0; y < h; y++, s += stride)
        for (unsigned x = 0; x < w; x += 16) m = _mm_max_epu8(m, _mm_load_si128((const __m128i*)(s + x)));
    m = _mm_max_epu8(m, _mm_srli_si128(m, 8));
    return _mm_cvtsi128_si32(m) & 255;
}
"""
    if misaligned:
        monkeypatch.setattr(calls, "_ALIGNED", 1)
    found = only(lift(source("a.cpp", text), "--json"), "most")
    assert found["status"] == "verified", found["reason"]
    assert ("SIGSEGV" in found["run"]["reason"]) == misaligned
    assert found["run"]["calls"] > (0 if misaligned else 100)


def test_constants_of_the_source_are_tried(lift, source, monkeypatch):
    """One value of a parameter, of an enumeration, of a table's length."""
    text = """
#include <cstdint>
enum Mode { Plain, Bright = 117 };
extern "C" void mode(uint8_t* d, const uint8_t* s, int n, int m, int k) {
    for (int i = 0; i < n; i++) d[i] = m == Bright ? s[i] + 9 : k == 23456 ? 7 : s[i];
}
"""
    right = operations.binary

    def wrong(op, a, b):
        value = ir.const_value(b)
        return right(op, a, ir.const(value + 1, b.type) if op == "==" and value in WRONG else b)

    monkeypatch.setattr(operations, "binary", wrong)
    for number in (117, 23456):
        WRONG[:] = [number]
        run = lift(source("a.cpp", text), "--json")
        assert only(run, "mode")["status"] == "disagreed", number
    WRONG[:] = []
    assert only(lift(source("a.cpp", text), "--json"), "mode")["status"] == "verified"


WRONG: list[int] = []


def test_a_result_whose_size_lifting_tells(lift, source):
    text = "#include <vector>\nstd::vector<int> twice(const unsigned char* s, int n) {\n"
    text += "    std::vector<int> v(n);\n    for (int i = 0; i < n; i++) v[i] = s[i] * 2;\n    return v;\n}\n"
    run = lift(source("a.cpp", text), "--json")
    assert only(run, "twice")["status"] == "verified"
    assert only(run, "twice")["run"]["calls"] > 100


def test_an_original_that_needs_other_files(lift, source):
    """It is loaded all the same; what it calls elsewhere ends it."""
    text = "extern int other; int g(int);\nint *place() { return &other; }\n"
    text += "int fine(int x) { return x * 2; }\nint calls(int x) { return g(x); }\n"
    model = source("model.cpp", "int g(int x) { return x + 1; }\n")
    run = lift(source("a.cpp", text), "--model", model, "--json")
    assert only(run, "fine")["run"]["calls"] > 100
    assert only(run, "calls")["status"] == "verified"
    assert "the original calls what another file defines" in only(run, "calls")["run"]["reason"]


def test_a_table_that_another_file_has(lift, source):
    """What stands in for it is as large as any index of 16 bits."""
    text = "extern double gain[65536];\n"
    text += "void scaled(double *d, const unsigned short *s, int n) {\n"
    text += "    for (int i = 0; i < n; i++) d[i] = gain[s[i]];\n}\n"
    found = only(lift(source("a.c", text), "--json"), "scaled")
    assert found["status"] == "verified" and found["run"]["calls"] > 50


def test_a_constant_that_nobody_can_set(lift, source):
    """Its value is known to the compiler of the original, whatever a call says."""
    text = "static const unsigned bits[2] = {0x3f800000, 0x40000000};\n"
    text += "static const float *const gain = (const float *)bits;\n"
    text += "void scaled(float *d, const unsigned char *s, int n) {\n"
    text += "    for (int i = 0; i < n; i++) d[i] = gain[s[i] & 1];\n}\n"
    found = only(lift(source("a.c", text), "--json"), "scaled")
    assert (found["status"], found["run"]["calls"]) == ("verified", 0)
    assert found["run"]["reason"] == "it reads a constant of its file, which nobody can set"
