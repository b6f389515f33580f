"""The command line as users of compilers expect it."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lifter.api import LiftError, SourceError, UsageError, lift_file
from lifter.manual import manual

pytestmark = pytest.mark.few(3)

ROOT = Path(__file__).parent.parent.parent
INVERT = """\
void invert(unsigned char *p, int n) {
    for (int i = 0; i < n; i++) p[i] = 255 - p[i];
}
"""


def test_version(lift):
    run = lift("--version")
    assert run.status == 0
    assert re.fullmatch(r"lift, version \d+\.\d+\.\d+\n", run.out)


@pytest.mark.parametrize("command", ["", "batch", "bench", "compose", "explain", "replay"])
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_everywhere(lift, command, option):
    run = lift(*command.split(), option)
    assert run.status == 0
    assert run.out.startswith(f"Usage: lift {command}".rstrip())


def test_a_mistyped_command(lift, source):
    assert lift("batc", "src").one_line == (
        "error: there is no file 'batc'; did you mean the command 'lift batch'?; see lift --help"
    )
    assert lift(source("bench.c", INVERT)).status == 0  # a file is a file


def test_places_are_as_compilers_print_them(lift, source):
    text = f"{INVERT}\nstatic int own(int a) {{ return a; }}\n  int   any(int n, ...) {{ return n; }}\n"
    run = lift(source("a.c", text), "--json")
    lines = run.err.splitlines()
    assert lines[0] == "a.c:1:6: verified: invert"
    assert "a.c:6:9: unsupported: any: variadic function" in lines
    first, second = json.loads(run.out)["functions"]
    assert (first["line"], first["column"], first["defined"]["end_line"]) == (1, 6, 3)
    assert (second["line"], second["column"]) == (6, 9)


def test_overloads_have_names_of_their_own(lift, source):
    text = "namespace img { struct P { int f(int) const; };\n" + "".join(
        f"{t} twice({t} a) {{ return a + a; }}\n" for t in ("int", "float", "short")
    ) + "}\nint twice_2(int a) { return a; }\n"
    run = lift(source("a.cpp", text), "--json")
    found = json.loads(run.out)["functions"]
    assert [f["signature"] for f in found] == [
        "img::twice(int)", "img::twice(float)", "img::twice(short)", "twice_2(int)"
    ]
    outputs = [f["outputs"]["dsl"] for f in found]
    assert outputs == ["lifted/twice.py", "lifted/twice_2.py", "lifted/twice_3.py", "lifted/twice_2_2.py"]


def test_standard_input(lift, monkeypatch, tmp_path):
    (tmp_path / "gain.h").write_text("#define GAIN 3\n")
    text = '#include "gain.h"\nint scale(int a) { return a * GAIN; }\n'
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    run = lift("-", "--json", "--", "-x", "c")
    assert run.status == 0
    report = json.loads(run.out)
    assert report["file"] == "<stdin>"
    assert report["functions"][0]["outputs"] == {"dsl": "lifted/scale.py"}
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"int x = ;\n")))
    assert lift("-").one_line == "<stdin>:1:9: error: expected primary-expression before ';' token"


def test_a_pipe_with_a_name(lift, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor() as writer:
        writer.submit((tmp_path / "pipe").write_text, "void f(int *p) { *p += 3; }\n")
        run = lift("pipe", "--json", "--emit", "dsl", "--", "-x", "c")
    report = json.loads(run.out)
    assert (report["file"], report["functions"][0]["status"]) == ("pipe", "verified")


@pytest.mark.parametrize("name", ["/dev/null", "/dev/zero"])
def test_devices_are_no_files(lift, name):
    assert lift(name).one_line == f"{name}: error: is a device, a pipe or a socket, not a file"
    said = f"'{name}' is neither a folder nor a file; name a folder or a compile_commands.json"
    assert lift("batch", name).one_line == f"error: {said}; see lift batch --help"


def test_a_folder_is_a_batch(lift, source, tmp_path):
    (tmp_path / "src").mkdir()
    source("src/a.c", INVERT + INVERT.replace("invert", "other"))
    run = lift("src", "-f", "other")
    assert run.status == 0
    assert "src: " not in run.err
    assert (tmp_path / "lifted/a.c/other.py").exists()
    assert not (tmp_path / "lifted/a.c/invert.py").exists()
    assert "'lift batch', which has no --unverified" in lift("src", "--unverified").one_line


def test_dry_run(lift, source, tmp_path):
    run = lift(source("a.c", INVERT), "--dry-run", "--", "-DX=1 2")
    assert (run.status, run.one_line) == (0, "a.c: cc -O2 -ffp-contract=off '-DX=1 2'")
    assert not (tmp_path / "lifted").exists()
    assert lift("batch", ".", "--dry-run").one_line == "a.c: cc -O2 -ffp-contract=off -> lifted/a.c"


def test_configuration(lift, source, tmp_path):
    (tmp_path / "src" / "deep").mkdir(parents=True)
    file = source("src/deep/a.c", INVERT.replace("255", "GAIN"))
    source("lift.toml", '[tool.lift]\nemit = ["summary", "dsl"]\nflags = ["-DGAIN=9"]\n[tool.lift.batch]\njobs = 1\n')
    run = lift(file, "--json")
    assert run.status == 0, run.err
    assert set(json.loads(run.out)["functions"][0]["outputs"]) == {"summary", "dsl"}
    run = lift(file, "--json", "--emit", "dsl")  # the command line comes first
    assert set(json.loads(run.out)["functions"][0]["outputs"]) == {"dsl"}
    assert lift("batch", "src").status == 0


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[tool.lift]\nemti = 'dsl'\n", "lift.toml: unknown key 'emti'; did you mean 'emit'?"),
        ("[tool.lift]\nflags = '-DX'\n", "lift.toml: 'flags' must be a list of strings"),
        ("[tool.lift]\njson = 'yes'\n", "lift.toml: 'json' must be true or false"),
        ("[tool.lift]\ntimeout = 'soon'\n", "Invalid value for '--timeout': 'soon' is not a valid float"),
        ("[tool.lift\n", "lift.toml: "),
        ("x = 1\n", "lift.toml has no table [tool.lift]"),
        ("tool = 1\n", "lift.toml has no table [tool.lift]"),
    ],
)
def test_wrong_configurations(lift, source, text, problem):
    source("lift.toml", text)
    run = lift(source("a.c", INVERT))
    assert run.status == 2
    assert problem in run.one_line


def test_completion(tmp_path):
    def completed(words: str) -> list[str]:
        environment = os.environ | {
            "_LIFT_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1),
            "PYTHONPATH": str(ROOT),
        }
        done = subprocess.run(
            [sys.executable, "-m", "lifter"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        return [line.partition(",")[2] for line in done.stdout.splitlines()]

    assert completed("lift ba") == ["batch"]
    assert completed("lift batch --exc") == ["--exclude"]
    assert completed("lift a.cpp --em") == ["--emit"]


def test_no_colour_and_no_cursor(source, tmp_path):
    import pty

    source("a.c", INVERT)
    ours, theirs = pty.openpty()
    environment = os.environ | {"NO_COLOR": "1", "TERM": "xterm", "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-m", "lifter", "a.c"], cwd=tmp_path, env=environment, stderr=theirs, check=True)
    os.close(theirs)
    text = os.read(ours, 1 << 16)
    os.close(ours)
    assert b"verified" in text
    assert b"\x1b" not in text


def test_the_manual():
    page = manual()
    for text in ("LIFT BATCH", "\\-\\-exclude", "\\-\\-unverified", "LIFT REPLAY"):
        assert text in page
    tool = shutil.which("man")
    if tool is not None:
        done = subprocess.run([tool, "--warnings", "-l", "-"], input=page, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_errors_have_one_base(tmp_path):
    assert issubclass(SourceError, LiftError)
    assert issubclass(UsageError, LiftError)
    with pytest.raises(LiftError):
        lift_file(str(tmp_path / "missing.c"))


def test_reports_can_be_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a.cpp").write_text(INVERT + "bool less(int a, int b, ...) { return a < b; }\n")
    report = lift_file("a.cpp", run=False)
    assert str(report).splitlines()[0] == "a.cpp:1:6: verified: invert"
    assert str(report).endswith("a.cpp: 2 functions: 1 verified, 1 unsupported")
    assert str(report.functions[1]) == "a.cpp:4:6: unsupported: less: variadic function"
    assert "<td>p(x) = terms[0] - terms[1]</td>" in report._repr_html_()


def test_ctrl_c_from_the_first_moment_on(tmp_path):
    program = "from lifter.main import main; print('begun', flush=True); main()"
    for delay in (0.0, 0.1, 0.2, 0.4):
        process = subprocess.Popen(
            [sys.executable, "-c", program, "missing.c"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        assert process.stdout is not None and process.stdout.readline() == b"begun\n"
        time.sleep(delay)
        process.send_signal(2)
        _, said = process.communicate(timeout=30)
        assert (process.returncode, said) in (
            (130, b"interrupted\n"), (2, b"missing.c: error: no such file\n")
        )
