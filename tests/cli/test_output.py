"""What a run prints and writes."""

from __future__ import annotations

import json
import subprocess
import sys

SOURCE = """\
#include <cstdint>
void add(uint8_t* p, int n) {
    for (int i = 0; i < n; i++) p[i] += X;
}
int twice(int a) { return a * 2; }
"""
KEYS = {
    *("name", "status", "reason", "line", "seconds", "stages", "contract", "outputs", "run", "halide_differs"),
    *("signature", "column", "defined", "notes", "rewritings"),
}
KINDS = {
    "dsl": "out/add.py", "halide-cpp": "out/add_generator.cpp", "summary": "out/add.summary.json",
    "object": "out/add.o", "header": "out/add.h", "shared": "out/liblegacy_lifted.so",
}


def test_json(lift, source):
    run = lift(source("one.cpp", SOURCE), source("two.cpp", SOURCE), "--json", "-f", "add", "--", "-DX=1")
    assert run.status == 0
    assert "warning: lifted/add.py of one.cpp was overwritten by that of two.cpp; give them " in run.err
    lines = run.out.splitlines()
    assert len(lines) == 2
    for line, file in zip(lines, ("one.cpp", "two.cpp"), strict=True):
        report = json.loads(line)
        assert set(report) == {"file", "text", "status", "reason", "functions"}
        assert report["file"] == file
        (f,) = report["functions"]
        assert set(f) == KEYS
        assert (f["name"], f["status"], f["line"]) == ("add", "verified", 2)
        assert f["rewritings"]["made"] == f["rewritings"]["checked"] == 0
        assert f["contract"] == ["n >= 0"]
        assert [s["expression"] for s in f["stages"]] == ["terms[0] + terms[1]"]
        assert f["outputs"] == {"dsl": "lifted/add.py"}


def test_json_of_a_file_that_does_not_parse(lift, source):
    run = lift(source("one.cpp", SOURCE), "--json")
    assert run.status == 2
    assert run.out == ""
    assert run.err.startswith("one.cpp:3:41: error: 'X' was not declared")


def test_every_kind(lift, source, tmp_path):
    file = source("legacy.cpp", SOURCE)
    run = lift(file, "-f", "add", "--emit", ",".join(KINDS), "-o", "out", "--json", "--", "-DX=3")
    assert run.status == 0
    (f,) = json.loads(run.out)["functions"]
    assert f["outputs"] == KINDS
    for path in KINDS.values():
        assert (tmp_path / path).stat().st_size > 0


def test_flags_reach_the_fallback_too(lift, source, tmp_path):
    run = lift(source("legacy.cpp", SOURCE), "--emit", "shared", "--", "-DX=3")
    assert run.status == 0
    program = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1])._Z5twicei(21))"
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "lifted" / "liblegacy_lifted.so")],
        capture_output=True, text=True, check=True,
    )
    assert done.stdout == "42\n"


def test_quiet(lift, source):
    run = lift(source("legacy.cpp", SOURCE), "-q", "--", "-DX=3")
    assert (run.status, run.err) == (0, "legacy.cpp: 2 functions: 2 verified\n")


def test_compilation_database(lift, source, tmp_path):
    file = source("legacy.cpp", SOURCE.replace("X;", "X + Y;").replace("#include", '#include "y.h"\n#include', 1))
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "y.h").write_text("#define Y 2\n")
    (tmp_path / "build").mkdir()
    command = "g++ -O2 -Wall -DX=1 -I ../include -fno-tree-vectorize -o legacy.o -c ../legacy.cpp"
    entry = {"directory": str(tmp_path / "build"), "file": "../legacy.cpp", "command": command}
    (tmp_path / "build" / "compile_commands.json").write_text(json.dumps([entry]))
    assert lift(file, "-p", "build").status == 0
    other = lift(source("other.cpp", SOURCE), "-p", "build")
    assert other.status == 2
    assert other.one_line == (
        "error: 'build/compile_commands.json' has no entry for 'other.cpp'; leave -p out and give its flags after `--`"
    )
    assert lift(file, "-p", "nowhere").one_line == (
        "error: cannot read 'nowhere': No such file or directory; name the build folder with -p"
    )


def test_bench(lift, source, tmp_path):
    text = SOURCE + "int depth(int n) { return n ? depth(n - 1) : 0; }\n"
    args = ["--sizes", "8,33", "--seconds", "0.001", "--json", "figures.json", "-f", "add", "-f", "depth"]
    run = lift("bench", source("legacy.cpp", text), *args, "--", "-DX=3")
    assert run.status == 0
    figures = json.loads((tmp_path / "figures.json").read_text())
    assert [(r["function"], r["size"], r["remark"]) for r in figures["results"]] == [("add", 8, ""), ("add", 33, "")]
    assert all(r["lifted_s"] > 0 and r["over_o3"] > 0 and r["over_o2"] > 0 for r in figures["results"])
    assert [f["function"] for f in figures["not_timed"]] == ["depth"]
    assert set(figures["machine"]) == {"machine", "compiler", "versions", "threads"}
    assert "not timed: depth (legacy.cpp): unsupported: recursion (call to 'depth')" in run.out
    assert "over -O3: median" in run.out
