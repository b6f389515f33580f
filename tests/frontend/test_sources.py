"""Files that cannot be read or parsed, models, compiler arguments, and what a file's functions say of themselves."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
from compiled_reference import CASES

from lifter.frontend import FunctionError, SourceError, parse_file
from lifter.frontend.clang import parsing
from lifter.ir.loop_interpreter import Memory, StepLimit, UndefinedBehaviour, run
from lifter.ir.loop_ir import Assert, Function
from lifter.ir.loop_printer import function_text
from lifter.simd.declarations import headers
from lifter.toolchain import compiler


def _write(folder: Path, name: str, text: str) -> str:
    file = folder / name
    file.write_text(text)
    return str(file)


def _function(folder: Path, text: str, name: str = "f", **more: object) -> Function:
    parsed = parse_file(_write(folder, "source.cpp", text), **more)  # type: ignore[arg-type]
    (f,) = [f for f in parsed.functions if f.name == name]
    assert isinstance(f, Function), str(f.reason)
    return f


def test_missing_file() -> None:
    with pytest.raises(SourceError, match=r"^nowhere\.cpp: error: no such file$"):
        parse_file("nowhere.cpp")


def test_directory(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is a directory, not a C or C"):
        parse_file(str(tmp_path))


def test_empty_file(tmp_path: Path) -> None:
    assert parse_file(_write(tmp_path, "empty.cpp", "")).functions == ()


def test_binary_file(tmp_path: Path) -> None:
    file = tmp_path / "junk.cpp"
    file.write_bytes(b"int x;\n\x7fELF\0\1\2")
    with pytest.raises(SourceError, match=r"junk\.cpp:2:1: error: not a text file"):
        parse_file(str(file))


def test_syntax_errors_are_all_reported(tmp_path: Path) -> None:
    file = _write(tmp_path, "bad.cpp", "int f() { return 1 }\nint g() { return x; }\n")
    with pytest.raises(SourceError) as caught:
        parse_file(file)
    assert (caught.value.line, caught.value.column) == (1, 19)
    assert f"{file}:2:18: error: 'x' was not declared in this scope" in str(caught.value)


def test_missing_include(tmp_path: Path) -> None:
    file = _write(tmp_path, "bad.cpp", '#include "nope.h"\n')
    with pytest.raises(SourceError, match=r"bad\.cpp:1:10: error: nope\.h: No such file"):
        parse_file(file)


def test_wrong_arguments(tmp_path: Path) -> None:
    file = _write(tmp_path, "ok.cpp", "int f() { return 1; }")
    with pytest.raises(SourceError):
        parse_file(file, ["-std=nonsense"])


def test_arguments(tmp_path: Path) -> None:
    f = _function(tmp_path, "int f() { return K; }", clang_args=["-DK=7"])
    assert run(f, {}) == 7


def test_own_header(tmp_path: Path) -> None:
    _write(tmp_path, "own.h", "static inline int half(int x) { int s = 0; while (x > 1) { s++; x -= 2; } return s; }\n")
    f = _function(tmp_path, '#include "own.h"\nint f(int x) {\n  return half(x);\n}')
    assert run(f, {"x": 9}) == 4
    assert {s.line for s in f.body} == {3}


def test_one_bad_function_does_not_stop_others(tmp_path: Path) -> None:
    file = _write(tmp_path, "two.cpp", "int g;\nint bad() { return g++; }\nint good() { return 1; }\n")
    bad, good = parse_file(file).functions
    assert isinstance(bad, FunctionError)
    assert (bad.name, bad.line, bad.symbol) == ("bad", 2, "_Z3badv")
    assert isinstance(good, Function)


def test_models(tmp_path: Path) -> None:
    text = """
extern unsigned udiv(unsigned x);
static int assembly(int x) { asm("" : "+r"(x)); return x; }
int f(int x) { return udiv(x) + assembly(x); }
"""
    models = "uint_t udiv(uint_t x) { return x / 255; }\nint assembly(int x) { while (x > 9) x -= 9; return x; }\n"
    f = _function(tmp_path, text, models=[_write(tmp_path, "models.cpp", models)])
    assert f.functions["udiv"].from_model
    assert run(f, {"x": 1000}) == 1000 // 255 + 1
    assert {s.line for s in f.body} == {4}


def test_folder_of_sources(tmp_path: Path) -> None:
    """What is called is looked for by its whole signature; not the file itself, and not what only looks like it."""
    folder = tmp_path / "sources"
    folder.mkdir()
    _write(folder, "a.cpp", "namespace N { static int k(int x) { return x + 1; } int twice(int x) { return 2*k(x); }}")
    _write(folder, "b.cpp", "int twice(int x) { return x; }\nint g() { return twice(3); }\n")
    # What cannot be parsed does not matter where it only calls the function.
    calls = "int other(int x) { if (twice(x) == 1 && twice(x + 1) > (2)) { return } }\n"
    _write(folder, "broken.cpp", f"namespace N {{ int twice(int x); {calls} }}")
    _write(folder, "late.cpp", "int thrice(int x) noexcept(sizeof(x) > 2) { return 3 * x; }")
    found = _function(folder, "int thrice(int x);\nint f(int x) { return thrice(x); }", models=[str(folder)])
    assert run(found, {"x": 5}) == 15
    text = "namespace N { int twice(int x); }\nint f(int x) {\n  return N::twice(x);\n}\n"
    f = _function(folder, text, models=[str(folder)])
    assert run(f, {"x": 20}) == 42
    assert f.notes == (f"'twice' is what {folder / 'a.cpp'} defines",)


def test_unclear_sources(tmp_path: Path) -> None:
    def reason(text: str) -> str:
        parsed = parse_file(_write(tmp_path, "source.cpp", text), models=[str(tmp_path)])
        (f,) = [f for f in parsed.functions if f.name == "f"]
        assert isinstance(f, FunctionError)
        return str(f.reason)

    assert "no body here" in reason("int g(int x);\nint f(int x) { return g(x); }")
    _write(tmp_path, "a.cpp", "int g(int x) { return x; }\nint h(int x) { return }\n")
    assert "which cannot be parsed, may have the definition" in reason("int g(int x);\nint f(int x) { return g(x); }")
    _write(tmp_path, "a.cpp", "int g(int x) { return x; }\n")
    _write(tmp_path, "b.cpp", "int g(int x) { return x + 1; }\n")
    assert "both define" in reason("int g(int x);\nint f(int x) { return g(x); }")


def test_model_without_functions(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="must define at least one function"):
        _function(tmp_path, "int f() { return 1; }", models=[_write(tmp_path, "m.cpp", "int x;")])


def test_description_of_functions(tmp_path: Path) -> None:
    text = """#include <cstdint>
namespace { int hidden(int x) { return x; } }
static int local(int x) { return x; }
inline int in(int x) { return x; }
extern "C" int named(const uint8_t *__restrict p, int (&t)[4], double d) {
  return hidden(1);
}
"""
    functions = {f.name: f for f in parse_file(_write(tmp_path, "d.cpp", text)).functions}
    assert [n for n, f in functions.items() if f.internal] == ["hidden", "local", "in"]
    f = functions["named"]
    assert isinstance(f, Function)
    assert (f.symbol, f.extern_c, f.line, f.end_line, f.c_return_type) == ("named", True, 5, 7, "int")
    p, t, d = f.params
    assert (p.pointer, p.const, p.restrict, str(p.type)) == (True, True, True, "uint8")
    assert (t.pointer, t.const, t.restrict, str(t.type), t.c_type) == (True, False, False, "int32", "int (&)[4]")
    assert (d.pointer, str(d.type), d.c_type) == (False, "float64", "double")


def test_assert_is_kept_without_debugging(tmp_path: Path) -> None:
    f = _function(
        tmp_path, "#include <cassert>\nint f(int n) { assert(n > 0 && n); return n; }", clang_args=["-DNDEBUG"]
    )
    assert isinstance(f.body[0], Assert)
    with pytest.raises(UndefinedBehaviour, match="line 2: an assert"):
        run(f, {"n": 0})


def test_interpreter_bounds(tmp_path: Path) -> None:
    f = _function(tmp_path, "int f(const int *p, int i) { int t[4]; t[1] = 2;\n return p[i] + t[i & 3]; }")
    data = np.arange(10, dtype=np.int32)
    assert run(f, {"p": Memory(data, 5), "i": -3}) == 2 + 2
    with pytest.raises(UndefinedBehaviour, match=r"line 2: read of p\[5\], which is out of bounds"):
        run(f, {"p": Memory(data, 5), "i": 5})
    with pytest.raises(UndefinedBehaviour, match=r"read of t\[2\], which was never written"):
        run(f, {"p": Memory(data, 5), "i": 2})
    assert run(f, {"p": Memory(data, 5), "i": 5}, guard=False) == 2
    assert run(f, {"p": Memory(data, 5), "i": 6}, guard=False) == 0


def test_interpreter_uninitialised_local(tmp_path: Path) -> None:
    f = _function(tmp_path, "int f(int n) { int x; if (n) x = 1;\n return x; }")
    assert run(f, {"n": 1}) == 1
    with pytest.raises(UndefinedBehaviour, match="line 2: read of a variable that was never assigned"):
        run(f, {"n": 0})


def test_interpreter_step_limit(tmp_path: Path) -> None:
    f = _function(tmp_path, "int f(int n) { while (n != 1) n = 2; return n; }")
    with pytest.raises(StepLimit, match="more than 100 loop iterations"):
        run(f, {"n": 0}, limit=100)


def test_interpreter_null_pointer(tmp_path: Path) -> None:
    f = _function(tmp_path, "int f(const int *p) { return p ? p[0] : -1; }")
    assert run(f, {"p": None}) == -1
    assert run(f, {"p": np.array([5], np.int32)}) == 5


def test_long_expressions(tmp_path: Path) -> None:
    terms = " + ".join(f"p[{i}]" for i in range(300))
    f = _function(tmp_path, f"int f(const int *p) {{ return {terms}; }}")
    assert run(f, {"p": np.arange(300, dtype=np.int32)}) == sum(range(300))


def test_deep_nesting_is_an_error_not_a_crash(tmp_path: Path) -> None:
    text = "int f(int x) { return " + "(1 + " * 200 + "x" + ")" * 200 + "; }"
    assert run(_function(tmp_path, text), {"x": 1}) == 201
    text = "int f(int x) { return " + "-(1 + " * 3000 + "x" + ")" * 3000 + "; }"
    file = _write(tmp_path, "deep.cpp", text)
    try:
        parse_file(file)
    except SourceError as e:
        assert "bracket nesting level exceeded" in str(e)


@pytest.mark.parametrize("name", ["features.cpp", "c_features.c"])
def test_without_system_headers(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def texts() -> dict[str, str]:
        functions = parse_file(str(CASES / name)).functions
        return {f.name: function_text(f) if isinstance(f, Function) else str(f.reason) for f in functions}

    expected = texts()
    monkeypatch.setattr(compiler, "default", lambda *_: "")
    monkeypatch.setattr(parsing, "system_includes", lambda *_: ((), ()))
    assert texts() == expected


def test_intrinsics_are_declared_as_the_compiler_declares_them(tmp_path: Path) -> None:
    """Every declaration of ours has the type of g++'s own; what are macros there has none."""
    declared = re.findall(r"^(.*?)\b(_mm\w*)\((.*)\);$", headers()["immintrin.h"], re.MULTILINE)
    # g++ takes an enum, and no const.
    other = {"_mm_prefetch", "_mm_stream_load_si128"}
    lines = ["#include <immintrin.h>", "#include <type_traits>"]
    for result, name, operands in declared:
        if name not in other:
            own = f"static_assert(std::is_same_v<decltype({name}), {result}({operands})>);"
            lines += [f"#ifndef {name}", own, "#endif"]
    source = _write(tmp_path, "all.cpp", "\n".join(lines) + "\n")
    flags = ["-std=c++17", "-O2", "-mavx2", "-mfma", "-msse4.2", "-w", "-fsyntax-only"]
    run = subprocess.run(["g++", *flags, source], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[:2000]
    assert len(declared) > 650


def test_a_file_that_includes_intrinsics_is_parsed(tmp_path: Path) -> None:
    text = "#include <immintrin.h>\n#include <smmintrin.h>\nvoid f(int* p, int n) { for (; n > 0; n--) p[n] = n; }"
    assert _function(tmp_path, text).name == "f"


def test_models_by_parameters(tmp_path: Path) -> None:
    """Overloads are told apart; a helper of the other file does not replace one that has a body here."""
    other = _write(
        tmp_path,
        "other.cpp",
        "int twice(int x) { return 2 * x; }\nfloat twice(float x) { return x + x; }\n"
        "static int helper(int x) { return x + 100; }\nint shown(int x) { return helper(x); }\n",
    )
    text = (
        "int twice(int x); float twice(float x); int shown(int x);\nstatic int helper(int x) { return x - 1; }\n"
        "void f(int* d, int n) { for (int i = 0; i < n; i++) d[i] = twice(d[i]) + helper(i) + shown(i); }\n"
    )
    f = _function(tmp_path, text, models=[other])
    out = np.array([5, 6, 7], np.int32)
    run(f, {"d": out, "n": 3})
    assert list(out) == [10 - 1 + 100, 12 + 0 + 101, 14 + 1 + 102]
