"""Bad input gets one clear line on standard error and the right exit status, and never a traceback."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.few(3)

INVERT = """\
#include <cstdint>
void invert(uint8_t* p, int n) {
    for (int i = 0; i < n; i++) p[i] = 255 - p[i];
}
"""


def test_missing_file(lift):
    run = lift("missing.cpp")
    assert (run.status, run.one_line) == (2, "missing.cpp: error: no such file")


def test_directory(lift):
    run = lift(".")
    assert run.status == 2
    assert run.one_line.startswith("error: '.' holds no C or C++ file; name a folder or a compile_commands.json")


@pytest.mark.parametrize("text", ["", "\n\n", "// nothing\n", "static int f(int x) { return x; }\n"])
def test_nothing_to_lift(lift, source, text):
    run = lift(source("empty.cpp", text))
    assert run.status == 1
    assert run.one_line == (
        "empty.cpp: nothing to lift: it defines no function that is visible outside it; name a static one with -f"
    )


@pytest.mark.parametrize("junk", [bytes(range(256)) * 16, b"\x7fELF\x02\x01\x01" + bytes(64)])
def test_binary_junk(lift, source, junk):
    run = lift(source("junk.cpp", junk))
    assert (run.status, run.one_line) == (2, "junk.cpp:1:1: error: not a text file: it contains a zero byte")


def test_bytes_that_are_no_text(lift, source):
    run = lift(source("junk.cpp", b"\xff\xfe\xe9\x80" * 50))
    assert run.status == 2
    assert run.one_line.startswith("junk.cpp: error: UTF-16 (LE) byte order mark detected")


def test_latin_1_in_code(lift, source):
    run = lift(source("junk.cpp", b"int \xe9t\xe9 = 1;\nint f(int a) { return a; }\n"))
    assert run.status == 2
    assert run.err.startswith("junk.cpp:1:")


def test_latin_1_in_comments_is_fine(lift, source):
    assert lift(source("ok.cpp", b"// \xe9t\xe9\nint f(int a) { return a; }\n")).status == 0


def test_syntax_error(lift, source):
    run = lift(source("bad.cpp", "void f(int* p, int n) {\n    p[0] = ;\n}\n"))
    assert (run.status, run.one_line) == (2, "bad.cpp:2:12: error: expected primary-expression before ';' token")


def test_missing_header(lift, source):
    run = lift(source("bad.cpp", '#include "nowhere.h"\nvoid f() {}\n'))
    assert run.status == 2
    hint = "name its folder with -I after `--`, or the build's folder with -p"
    assert run.one_line == f"bad.cpp:1:10: error: nowhere.h: No such file or directory; {hint}"


def test_unknown_function(lift, source):
    run = lift(source("ok.cpp", INVERT), "-f", "Invert")
    assert (run.status, run.one_line) == (2, "error: no function 'Invert' is defined in ok.cpp; it defines: invert")


def test_a_name_may_be_in_any_of_several_files(lift, source):
    one, two = source("one.cpp", INVERT), source("two.cpp", INVERT.replace("invert", "other"))
    run = lift(one, two, "-f", "other", "-q")
    assert run.status == 0, run.err
    run = lift(one, two, "-f", "other", "-f", "third", "-q")
    assert run.status == 2
    assert "error: no function 'third' is defined in one.cpp, two.cpp" in run.err


def test_unknown_kind(lift, source):
    run = lift(source("ok.cpp", INVERT), "--emit", "dsl,exe")
    assert run.status == 2
    assert run.one_line == (
        "error: unknown output kind 'exe'; the kinds are dsl, halide-cpp, summary, object, header, shared"
    )


def test_no_kind(lift, source):
    run = lift(source("ok.cpp", INVERT), "--emit", ",")
    assert run.status == 2
    assert run.one_line.startswith("error: --emit names no kind; the kinds are dsl, halide-cpp")


@pytest.mark.parametrize("folder", ["taken", "taken/below"])
def test_unwritable_folder(lift, source, folder):
    source("taken", "a file")
    run = lift(source("ok.cpp", INVERT), "-o", folder)
    assert run.status == 2
    assert run.one_line.startswith(f"error: cannot write to the output folder '{folder}': ")
    assert run.one_line.endswith("; choose another with -o")


def test_output_name_taken_by_a_folder(lift, source, tmp_path):
    (tmp_path / "out" / "invert.py").mkdir(parents=True)
    run = lift(source("ok.cpp", INVERT), "-o", "out")
    assert (run.status, run.one_line) == (2, "error: cannot write out/invert.py: Is a directory")


@pytest.mark.parametrize("value", ["0", "-3", "nan", "inf", "-inf"])
def test_timeout_out_of_range(lift, source, value):
    run = lift(source("ok.cpp", INVERT), "--timeout", value)
    assert run.status == 2
    assert run.one_line.startswith("error: --timeout must be a positive number of seconds, not ")


def test_timeout_no_number(lift, source):
    run = lift(source("ok.cpp", INVERT), "--timeout", "soon")
    assert run.status == 2
    assert run.one_line == "error: Invalid value for '--timeout': 'soon' is not a valid float; see lift --help"


def test_missing_model(lift, source):
    run = lift(source("ok.cpp", INVERT), "--model", "nowhere.cpp")
    assert (run.status, run.one_line) == (2, "nowhere.cpp: error: no such file")


def test_error_in_model(lift, source):
    run = lift(source("ok.cpp", INVERT), "--model", source("model.cpp", "int f( {\n"))
    assert run.status == 2
    assert run.err.startswith("model.cpp:1:9: error: ")


def test_unknown_target(lift, source):
    run = lift(source("ok.cpp", INVERT), "--target", "pdp11")
    assert run.status == 2
    assert run.one_line.startswith("error: Target 'pdp11' is not understood")


def test_unknown_autoscheduler(lift, source):
    run = lift(source("ok.cpp", INVERT), "--autoscheduler", "Magic")
    assert run.status == 2
    assert run.one_line.startswith("error: unknown autoscheduler 'Magic'")


def test_a_method_for_devices_without_one(lift, source):
    run = lift(source("ok.cpp", INVERT), "--autoscheduler", "AutoGPU")
    assert run.status == 2
    assert run.one_line.startswith("error: the autoscheduler AutoGPU schedules for a device; choose one by --target")


def test_no_file(lift):
    run = lift()
    assert run.status == 2
    assert run.one_line == "error: no input file; usage: lift FILE... [options] [-- CLANG_ARGS]; see lift --help"


def test_unknown_option(lift):
    run = lift("--optimise")
    assert run.status == 2
    assert run.one_line.startswith("error: No such option '--optimise'")


def test_unknown_clang_flag(lift, source):
    run = lift(source("ok.cpp", INVERT), "--", "--no-such-flag")
    assert run.status == 2
    assert "--no-such-flag" in run.one_line


def test_one_bad_file_does_not_stop_the_others(lift, source, tmp_path):
    run = lift("missing.cpp", source("ok.cpp", INVERT))
    assert run.status == 2
    assert run.err.startswith("missing.cpp: error: no such file\n")
    assert "ok.cpp: 1 function: 1 verified" in run.err
    assert (tmp_path / "lifted" / "invert.py").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((), "error: no input file; usage: lift bench FILE_OR_DIR... [options] [-- CLANG_ARGS]"),
        (("missing.cpp",), "missing.cpp: error: no such file"),
        ((".",), "error: no C or C++ files in the folder '.' (looked for "
            ".c, .C, .cc, .cp, .cpp, .CPP, .cxx, .CXX, .c++)",
        ),
        (
            ("x.cpp", "--sizes", "64,big"),
            "error: --sizes must be numbers from 1 to 32768 with commas between them, not '64,big'",
        ),
        (("x.cpp", "--seconds", "0"), "error: --seconds must be a positive number, not 0"),
        (("x.cpp", "--fast"), "error: No such option '--fast'; see lift bench --help"),
    ],
)
def test_bench(lift, args, message):
    run = lift("bench", *args)
    assert (run.status, run.one_line) == (2, message)
