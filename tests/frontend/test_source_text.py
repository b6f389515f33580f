"""What is parsed is the text of the program's own compiler, under the program's own flags."""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import pytest

from lifter.api import lift_file
from lifter.frontend import FunctionError, SourceError, parse_file
from lifter.ir.loop_interpreter import run
from lifter.ir.loop_ir import Function
from lifter.toolchain import compiler, flags
from lifter.toolchain.command import Command, command_for
from lifter.toolchain.database import command_in
from lifter.toolchain.preprocess import own_headers

PROGRAMS = Path(__file__).parent / "programs"
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no GCC")


def functions(path: Path, given: Sequence[str] | Command = ()) -> dict[str, Function | FunctionError]:
    return {f.name: f for f in parse_file(str(path), given).functions}


def returned(path: Path, given: Sequence[str] | Command = ()) -> dict[str, object]:
    found = functions(path, given)
    return {name: run(f, {}) for name, f in found.items() if isinstance(f, Function)}


def database(folder: Path, source: Path, arguments: Sequence[str]) -> Command:
    entry = {"directory": str(folder), "file": str(source), "arguments": [*arguments, "-c", str(source), "-o", "x.o"]}
    (folder / "compile_commands.json").write_text(json.dumps([entry]))
    return command_in(str(folder), str(source))


@pytest.mark.parametrize(
    ("arguments", "gain"),
    [
        ([], 2),
        (["-DGAIN=3"], 3),
        (["-D", "GAIN=4"], 4),
        (["-imacros", str(PROGRAMS / "gain.h")], 5),
        (["-include", str(PROGRAMS / "gain.h")], 5),
        (["-Wp,-DGAIN=7"], 7),
        (["--define-macro=GAIN=8"], 8),
        (["--define-macro", "GAIN=9"], 9),
        (["-Xpreprocessor", "-DGAIN=10"], 10),
        (["@more.txt"], 11),
        (["-DGAIN=3", "-UGAIN"], 2),
        (["-O3", "-Wall", "-Werror", "-g", "-fPIC", "-MMD", "-MF", "x.d", "-march=x86-64-v2", "-DGAIN=12"], 12),
    ],
)
def test_flags_of_the_preprocessor(arguments: list[str], gain: int, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("@again.txt '-DNAME=\"a b\"'")
    (tmp_path / "again.txt").write_text("-DGAIN=11\n")
    command = database(tmp_path, PROGRAMS / "gain.c", ["gcc", *arguments])
    found = functions(PROGRAMS / "gain.c", command)["scale"]
    assert isinstance(found, Function)
    assert f"{gain}" in str(found.body)


@pytest.mark.parametrize(
    "arguments",
    [[], ["-funsigned-char"], ["-O0"], ["-O2"], ["-mavx2"], ["-std=c99"], ["-std=gnu89"], ["-march=haswell", "-Os"]],
)
def test_predefined_names_are_the_compilers(arguments: list[str], tmp_path: Path) -> None:
    source = PROGRAMS / "predefined.c"
    command = database(tmp_path, source, ["gcc", *arguments])
    library = tmp_path / "lib.so"
    subprocess.run(["gcc", *arguments, "-shared", "-fPIC", "-w", str(source), "-o", str(library)], check=True)
    found = returned(source, command)
    compiled = ctypes.CDLL(str(library))
    assert len(found) == 7
    assert found == {name: compiled[name]() for name in found}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["-fmystery"], "-fmystery"),
        (["-m32"], "-m32"),
        (["-mms-bitfields"], "-mms-bitfields"),
        (["-malign-double"], "-malign-double"),
        (["-fexec-charset=IBM1047"], "-fexec-charset=IBM1047"),
        (["-freg-struct-return"], "-freg-struct-return"),
        (["-funsigned-bitfields"], "-funsigned-bitfields"),
        (["-ftrapv"], "-ftrapv"),  # which ends the program where data wraps
        (["-finstrument-functions"], "-finstrument-functions"),
    ],
)
def test_flags_that_are_not_modelled_are_named(arguments: list[str], named: str) -> None:
    with pytest.raises(SourceError, match=f"the flag '{named}' may change what the source means"):
        parse_file(str(PROGRAMS / "gain.c"), arguments)


def test_a_flag_that_the_compiler_does_not_know_is_its_error(tmp_path: Path) -> None:
    command = database(tmp_path, PROGRAMS / "gain.c", ["gcc", "--target=mips-elf"])
    with pytest.raises(SourceError, match="--target=mips-elf"):
        parse_file(str(PROGRAMS / "gain.c"), command)


@pytest.mark.parametrize(
    ("arguments", "refused"),
    [
        ([], set()),
        (["-ffast-math"], {"product", "line"}),
        (["-Ofast"], {"product", "line"}),
        (["-fsingle-precision-constant"], {"product", "line"}),
        (["-fno-signed-zeros"], {"product", "line"}),
        (["-mfma"], {"line"}),
        (["-mfma", "-ffp-contract=off"], set()),
        (["-march=haswell"], {"line"}),
        (["-march=sapphirerapids", "-ffp-contract=off"], set()),
        (["-mfpmath=387"], {"product", "line"}),
        (["-fno-math-errno", "-fno-trapping-math"], set()),
    ],
)
def test_floats_under_flags(arguments: list[str], refused: set[str], tmp_path: Path) -> None:
    command = database(tmp_path, PROGRAMS / "floats.c", ["gcc", "-O2", *arguments])
    found = functions(PROGRAMS / "floats.c", command)
    assert {name for name, f in found.items() if isinstance(f, FunctionError)} == refused


@pytest.mark.parametrize("flag", ["-ffast-math", "-Ofast", "-fno-signed-zeros"])
def test_floats_under_flags_where_no_compiler_can_be_asked(flag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "default", lambda *_: "")
    found = functions(PROGRAMS / "floats.c", [flag])
    assert {name for name, f in found.items() if isinstance(f, FunctionError)} == {"product", "line"}


def test_headers_where_no_compiler_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "default", lambda *_: "")
    (tmp_path / "fast.h").write_text('#pragma GCC optimize("fast-math")\n')
    source = tmp_path / "a.c"
    source.write_text('#include <stdint.h>\n#include "fast.h"\nvoid f(float *d) { d[0] = d[0] / 3; }\n')
    found = functions(source)["f"]
    assert isinstance(found, FunctionError) and "fast.h" in found.reason.construct


def test_without_a_build_floats_are_not_contracted() -> None:
    assert all(isinstance(f, Function) for f in functions(PROGRAMS / "floats.c", ["-mfma"]).values())


@pytest.mark.parametrize(
    "program",
    ["effects.cpp", "library_calls.cpp", "attributes.c", "pragmas.c", "storage_order.c", "headers.c", "target.c"],
)
def test_what_is_refused_and_what_is_not(program: str) -> None:
    """Every function `refused_...` is left alone, and every function `fine_...` verified."""
    report = lift_file(str(PROGRAMS / program), emit=(), out="/tmp", run=False)
    for f in report.functions:
        if f.name.startswith("fine_"):
            assert f.status == "verified", (f.name, f.status, f.reason)
        elif f.name.startswith("refused_"):
            assert f.status == "unsupported" and f.line > 0 and f.reason, (f.name, f.status, f.reason)
    assert sum(f.name.startswith(("fine_", "refused_")) for f in report.functions) > 0


def test_lines_are_the_users(tmp_path: Path) -> None:
    loop = "#define LOOP for (int i = 0; i < n; i++)\n"
    (tmp_path / "inner.h").write_text("\n" * 40 + loop + "int printf(const char *, ...);\n")
    source = tmp_path / "a.c"
    source.write_text('#include "inner.h"\n\nvoid f(int *d, int n) {\n    LOOP\n        d[i] = printf("x");\n}\n')
    (found,) = parse_file(str(source)).functions
    assert isinstance(found, FunctionError)
    assert (found.line, found.reason.line) == (3, 5)


def test_functions_of_included_files_are_not_the_files_own(tmp_path: Path) -> None:
    (tmp_path / "other.h").write_text("static int other(int x) { return x + 1; }\n")
    source = tmp_path / "a.c"
    text = '#include "other.h"\nint f(int x) { return other(x); }\n#line 9 "else.c"\nint g(int x) { return x; }\n'
    source.write_text(text)
    assert [f.name for f in parse_file(str(source)).functions] == ["f", "g"]


def test_a_file_that_includes_itself_as_a_template_has_the_functions_of_each_type(tmp_path: Path) -> None:
    source = tmp_path / "twice.c"
    source.write_text(
        "#ifndef T\n#define T float\n#define NAME(f) f##_f\n#include \"twice.c\"\n#undef T\n#undef NAME\n"
        "#define T double\n#define NAME(f) f##_d\n#include \"twice.c\"\n#else\n"
        "void NAME(scale)(T *p, T by, int n) {\n    for (int i = 0; i < n; i++) p[i] *= by;\n}\n#endif\n"
    )
    assert [(f.name, f.line) for f in parse_file(str(source)).functions] == [("scale_f", 11), ("scale_d", 11)]


def test_an_error_names_the_users_file_and_line(tmp_path: Path) -> None:
    source = tmp_path / "a.c"
    source.write_text("#include <stdio.h>\n\nint f(void) { return y; }\n")
    with pytest.raises(SourceError, match=r"a\.c:3:\d+: error: 'y' undeclared"):
        parse_file(str(source))


def test_commands_of_databases(tmp_path: Path) -> None:
    source = tmp_path / "src" / "a.c"
    source.parent.mkdir()
    source.write_text("int f(int x) { return x; }\n")
    build = tmp_path / "build"
    build.mkdir()
    entry = {"directory": ".", "file": "../src/a.c", "command": "ccache gcc -DX='a b' -I ../src -c ../src/a.c -o a.o"}
    (build / "compile_commands.json").write_text(json.dumps([entry]))
    command = command_in(str(build), str(source))
    assert (command.compiler, command.language, command.folder) == ("gcc", "c", str(build))
    assert command.flags == ("-DX=a b", "-I", "../src")
    entry["command"] = "g++ -c ../src/a.c"  # for which a file's ending says nothing
    (build / "compile_commands.json").write_text(json.dumps([entry]))
    assert command_in(str(build), str(source)).language == "c++"
    entry["command"] = "no-such-compiler -c ../src/a.c"
    (build / "compile_commands.json").write_text(json.dumps([entry]))
    command = command_in(str(build), str(source))
    assert (command.compiler, command.missing) == ("", "no-such-compiler")
    assert [f.name for f in parse_file(str(source), command).functions] == ["f"]


def test_what_builds_pass_is_known() -> None:
    """Flags that CMake, Meson and distributions pass."""
    usual = (PROGRAMS / "usual_flags.txt").read_text().split()
    assert flags.refused(flags.kept(usual)) is None


def test_every_compiler_of_the_system_is_asked_for_its_version() -> None:
    command = command_for("x.c")
    assert compiler.version(command.macros()).startswith(("GCC", "Clang"))


def test_headers_of_ours_go_with_the_process_of_a_pool() -> None:
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        folder = pool.submit(own_headers).result()
        assert (folder / "assert.h").exists()
    assert not folder.exists()
