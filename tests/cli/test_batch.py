"""`lift batch`: files in processes of their own, outputs that mirror the tree, results kept, interruptions."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from lifter.commands.batch.outcome import kind_of
from lifter.commands.file_task import FileTask, Request
from lifter.frontend import Definition
from lifter.running.results import FunctionReport, Step
from lifter.support.limited import LimitedProcess, words

pytestmark = pytest.mark.few(8)

INVERT = """\
void invert(unsigned char *p, int n) {
    for (int i = 0; i < n; i++) p[i] = 255 - p[i];
}
"""
SLOW = "unsigned char slow(unsigned char a) { return a; }\n" + "".join(
    f"void slow{k}(int *a) {{ {'a[0] += 3; a[1] ^= a[0]; ' * 400} }}\n" for k in range(8)
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("LIFT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


@pytest.fixture
def tree(tmp_path):
    """tree({"a/b.c": text}) writes files below the folder `tree`."""

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / "tree" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path / "tree"

    return write


def report(folder: Path = Path("lifted")) -> dict:
    return json.loads((folder / "report.json").read_text())


def test_outputs_mirror_the_tree(lift, tree, tmp_path):
    tree({"a.c": INVERT, "a.cpp": INVERT, "one/util.c": INVERT, "two/util.c": INVERT, "two/none.c": "int x;\n"})
    run = lift("batch", "tree", "-j", "2")
    assert run.status == 0, run.err
    written = sorted(str(p.relative_to(tmp_path / "lifted")) for p in (tmp_path / "lifted").rglob("*.py"))
    assert written == ["a.c/invert.py", "a.cpp/invert.py", "one/util.c/invert.py", "two/util.c/invert.py"]
    assert not (tmp_path / "lifted" / "two" / "none.c").exists()
    assert report()["totals"] == {"files": 5, "functions": 4, "verified": 4}


def test_one_file_that_cannot_be_read_stops_no_other(lift, tree):
    tree({
        "good.c": INVERT, "endless.c": "#include </dev/zero>\n" + INVERT, "wrong.c": "int f( {\n",
        "deep.c": "int deep(int a) { return " + "+".join(["a"] * 20_000) + "; }\n" + INVERT,
    })
    run = lift("batch", "tree", "--timeout", "5", "--json")
    assert run.status == 2
    files = {Path(f["file"]).name: f for f in map(json.loads, run.out.splitlines())}
    assert files["good.c"]["status"] == "" and files["good.c"]["functions"][0]["status"] == "verified"
    assert files["endless.c"]["status"] in ("timeout", "unreadable"), files["endless.c"]
    assert files["wrong.c"]["status"] == "unreadable"
    assert [f["status"] for f in files["deep.c"]["functions"]] == ["unsupported", "verified"]
    assert "4 files, 3 functions" in run.err


def test_a_process_that_dies_costs_its_function_only(lift, tree, monkeypatch):
    from lifter.frontend.lowering import functions

    lower = functions.lower

    def dies(unit, c):
        if c.spelling == "bad":
            os.kill(os.getpid(), signal.SIGSEGV)
        return lower(unit, c)

    monkeypatch.setattr(functions, "lower", dies)
    tree({"a.c": INVERT + "int bad(int a) { return a; }\n" + INVERT.replace("invert", "again")})
    run = lift("batch", "tree", "--json")
    assert run.status == 1
    found = {f["name"]: f for f in json.loads(run.out)["functions"]}
    assert {name: f["status"] for name, f in found.items()} == {
        "invert": "verified", "bad": "crashed", "again": "verified"
    }
    assert found["bad"]["reason"] == "the process that read it ended by SIGSEGV (segmentation fault)"
    assert found["bad"]["line"] == 4


def test_what_was_lifted_is_not_lifted_again(lift, tree, tmp_path):
    tree({"a.c": INVERT, "b.c": INVERT})
    assert "as before" not in lift("batch", "tree", "--emit", "dsl,shared").err
    text = (tmp_path / "lifted/a.c/invert.py").read_text()
    (tmp_path / "lifted/a.c/invert.py").unlink()
    run = lift("batch", "tree", "--emit", "dsl,shared")
    assert "2 files as before" in run.err
    assert (tmp_path / "lifted/a.c/invert.py").read_text() == text
    assert report()["files"][0]["functions"][0]["outputs"] == {
        "dsl": "lifted/a.c/invert.py", "shared": "lifted/a.c/liba_lifted.so"
    }
    tree({"a.c": INVERT.replace("255", "254")})
    run = lift("batch", "tree", "--emit", "dsl,shared")
    assert "1 file as before" in run.err
    assert (tmp_path / "lifted/a.c/invert.py").read_text() != text
    assert "as before" not in lift("batch", "tree", "--emit", "dsl,shared", "--force").err
    assert "as before" not in lift("batch", "tree", "--emit", "dsl,shared", "--", "-DX").err


def test_what_preprocessed_text_does_not_show_counts_too(lift, tree):
    """GCC preprocesses without the macros that a pragma defines: the text is the same, the program is not."""
    pragma = '#pragma GCC target("avx2")\n'
    tree({"a.c": pragma + "\n\n\n" + INVERT})
    assert lift("batch", "tree").status == 0
    tree({"a.c": pragma + "#ifdef __AVX2__\n#define n 7\n#endif\n" + INVERT})
    run = lift("batch", "tree")
    assert "as before" not in run.err
    assert run.status == 1
    assert "__AVX2__" in report()["files"][0]["functions"][0]["reason"]


@pytest.mark.parametrize("way", ["dies", "is interrupted"])
def test_nothing_is_verified_whose_drop_in_was_not_run(way):
    definition = Definition("a.c", "f", "f", "f(int)", 1, 5, 1)

    def work(request, wanted, tell):
        tell(FunctionReport("f", "verified", definition=definition))
        tell(Step("writing"))
        if way == "dies":
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(60)

    task = FileTask(Request("a.c", emit=("shared",)), lift=work)
    while not task.ended:
        task.step_on()
        if way == "is interrupted" and task.step == Step("writing"):
            task.interrupt()
    assert [f.status for f in task.report.functions] == (["crashed"] if way == "dies" else [])
    assert task.report.status == ("crashed" if way == "dies" else "interrupted")


def test_a_wrong_entry_of_the_cache_is_not_used(lift, tree):
    tree({"a.c": INVERT})
    lift("batch", "tree")
    entries = list(Path(os.environ["LIFT_CACHE_DIR"]).iterdir())
    assert len(entries) == 2  # the file's and the function's
    for entry in entries:
        entry.write_text("{")
    run = lift("batch", "tree")
    assert run.status == 0
    assert "as before" not in run.err


def test_selections(lift, tree):
    tree({"src/a.c": INVERT + INVERT.replace("invert", "other"), "test/a.c": INVERT, "src/old/b.c": INVERT})
    run = lift("batch", "tree", "--include", "src", "--exclude", "old/", "--functions", "^oth")
    assert run.status == 0
    (file,) = report()["files"]
    assert file["name"] == "src/a.c"
    assert [f["name"] for f in file["functions"]] == ["other"]
    assert lift("batch", "tree", "--include", "nothing").status == 2
    assert "is no regular expression" in lift("batch", "tree", "--functions", "(").one_line


def test_a_file_compiled_in_two_ways_is_two_programs(lift, tree, tmp_path):
    text = "void f(unsigned char *p, int n) { for (int i = 0; i < n; i++) p[i] = GAIN; }\n"
    tree({"a.c": text})
    entry = {"directory": str(tmp_path / "tree"), "file": "a.c"}
    entries = [{**entry, "command": f"cc -DGAIN={g} -c a.c -o {g}.o"} for g in (1, 2, 2)]
    (tmp_path / "tree" / "compile_commands.json").write_text(json.dumps(entries))
    run = lift("batch", "tree")
    assert run.status == 0
    assert "note: 1 entries of tree/compile_commands.json are there twice" in run.err
    assert "note: 1 file is compiled in several ways" in run.err
    assert [f["name"] for f in report()["files"]] == ["a.c", "a.c-2"]
    assert {p.parent.name for p in (tmp_path / "lifted").rglob("f.py")} == {"a.c", "a.c-2"}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[1]", "entry 1 of 'compile_commands.json' is no object"),
        ('[{"file": 1}]', 'entry 1 of \'compile_commands.json\' has a "file" that is no string'),
        ('[{"directory": "/"}]', "entry 1 of 'compile_commands.json' names no \"file\""),
        ('[{"file": "a.c", "command": "cc \'-DX"}]', "has a command that no shell reads: No closing quotation"),
        ('[{"file": "a.c", "arguments": "cc"}]', 'has "arguments" that are no list of strings'),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ("{}", "is no compilation database"),
        ("[]", "holds no C or C++ file"),
    ],
)
def test_malformed_databases(lift, source, text, problem):
    run = lift("batch", source("compile_commands.json", text))
    assert run.status == 2
    assert problem in run.one_line


def test_sarif_has_a_note_for_each_function_that_is_not_lifted(lift, tree):
    tree({"a.c": INVERT + "\nint  twice(int a, ...) { return a; }\n"})
    assert lift("batch", "tree").status == 1
    (run,) = json.loads(Path("lifted/report.sarif").read_text())["runs"]
    (note,) = run["results"]
    assert (note["ruleId"], note["level"]) == ("unsupported", "note")
    assert note["message"]["text"] == "twice: variadic function"
    place = note["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "tree/a.c"
    assert place["region"] == {"startLine": 5, "startColumn": 6}


def test_times_of_drop_ins(lift, tree, tmp_path):
    tree({"a/a.c": INVERT, "b.c": INVERT})
    ratios = {1024: 1.875, 64: 0.9}
    rows = [{"file": "tree/a/a.c", "function": "invert", "size": s, "over_o3": r} for s, r in ratios.items()]
    (tmp_path / "bench.json").write_text(json.dumps({"results": rows}))
    assert lift("batch", "tree", "--timings", "bench.json").status == 0
    (one,), (other,) = (f["functions"] for f in report()["files"])
    assert (one["over_o3"], "over_o3" in other) == ({"64": 0.9, "1024": 1.875}, False)
    page = Path("lifted/report.html").read_text()
    assert page.count("Its drop-in is 0.90 times as fast as -O3 at 64x64, 1.88 times as fast as -O3 at 1024x1024.") == 1
    (tmp_path / "bench.json").write_text(json.dumps({"results": [*rows, *rows]}))  # as of two overloads
    lift("batch", "tree", "--timings", "bench.json")
    assert "over_o3" not in report()["files"][0]["functions"][0]
    for text in ("{", "[1]", '{"results": [{"file": 1}]}'):
        (tmp_path / "bench.json").write_text(text)
        run = lift("batch", "tree", "--timings", "bench.json")
        said = "error: --timings: 'bench.json' was not written by lift bench --json; see lift batch --help"
        assert (run.status, run.one_line) == (2, said)


def test_reasons_are_grouped_without_their_names():
    one = kind_of("call to 'foo' in line 12; define it with --model")
    assert one == kind_of("call to 'bar' in line 3; define it with --model") == "call to '…' in line …"


def test_standard_output_that_is_full(tree, tmp_path):
    tree({"a.c": INVERT})
    with open("/dev/full", "w") as full:
        done = _run(tmp_path, "batch", "tree", "--json", stdout=full)
    assert done.returncode == 2
    assert done.stderr.decode().splitlines()[-1] == "error: cannot write to standard output: No space left on device"


def test_json_goes_to_standard_output_on_terminals_too(tree, tmp_path):
    import pty

    tree({"a.c": INVERT})
    ours, theirs = pty.openpty()
    with open(tmp_path / "out.json", "wb") as out:
        done = subprocess.run(
            [sys.executable, "-m", "lifter", "batch", "tree", "--json"], cwd=tmp_path, stdout=out, stderr=theirs,
            env=_environment(), check=False,
        )
    os.close(theirs)
    os.close(ours)
    assert done.returncode == 0
    assert json.loads((tmp_path / "out.json").read_text())["functions"][0]["name"] == "invert"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_soon_and_keeps_what_is_finished(tree, tmp_path, number):
    tree({"a.c": INVERT, "slow.c": SLOW})
    process = subprocess.Popen(
        [sys.executable, "-m", "lifter", "batch", "tree", "-j", "2"], cwd=tmp_path, stderr=subprocess.PIPE,
        env=_environment(),
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line == b"a.c: 1 verified\n"
    below = psutil.Process(process.pid).children(recursive=True)
    assert below
    process.send_signal(number)
    start = time.perf_counter()
    assert process.wait(20) == 128 + number
    assert time.perf_counter() - start < 10  # on a busy machine; it is two seconds on an idle one
    assert not [p for p in below if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]
    found = json.loads((tmp_path / "lifted" / "report.json").read_text())
    assert found["interrupted"]
    assert [f["status"] for f in found["files"]] == ["", "interrupted"]


def test_what_is_started_dies_with_it(tmp_path):
    process = LimitedProcess(lambda _: time.sleep(60), 1 << 30)
    child = psutil.Process(process.pid)
    process.stop()
    assert not child.is_running()
    killed = LimitedProcess(lambda _: os.kill(os.getpid(), signal.SIGKILL), 1 << 30)
    assert killed.has_message(10.0)
    with pytest.raises(EOFError):
        killed.message()
    assert killed.end() == "SIGKILL (killed)"
    assert (words(3), words(-11)) == ("status 3", "SIGSEGV (segmentation fault)")


def _environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent.parent)}


def _run(folder: Path, *args: str, stdout) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-m", "lifter", *args], cwd=folder, stdout=stdout, stderr=subprocess.PIPE,
        env=_environment(), check=False,
    )


FIRST = """\
static int scaled(int x) { return 3 * x; }
int own(unsigned char *p, int n);
void first(unsigned char *p, int n) {
    for (int i = 0; i < n; i++) p[i] = scaled(p[i]);
}
"""
SECOND = """\
int own(unsigned char *p, int n) {
    for (int i = 0; i < n; i++) p[i] = p[i] ^ 1;
    return 0;
}
void second(unsigned char *p, int n) {
    for (int i = 0; i < n; i++) p[i] = p[i] + 7;
}
"""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (FIRST + SECOND.replace("7", "8"), "first own"),
        (FIRST + "\n/* longer */\n" + SECOND.replace("^ 1", "^ 3"), "first second"),
        (FIRST.replace("3 *", "5 *") + SECOND, "own second"),
        (FIRST + "static const int unused = 3;\n" + SECOND, ""),
        (FIRST + SECOND.replace("i < n; i++) p[i] = p[i] ^", "\n\ni < n; i++) p[i] = p[i] ^"), "first second"),
        (FIRST + "void third(unsigned char *p, int n) { own(p, n); }\n" + SECOND, "first own second"),
        (FIRST + "void (*const pointer)(unsigned char *, int) = first;\n" + SECOND, ""),
    ],
)
def test_functions_that_a_change_does_not_concern_are_kept(lift, tree, text, kept):
    tree({"a.c": FIRST + SECOND})
    lift("batch", "tree")
    _say_that_what_is_kept_took(1000)
    tree({"a.c": text})
    said = lift("batch", "tree").err
    changed = report()
    found = {f["name"]: f for f in changed["files"][0]["functions"]}
    number = len(kept.split())
    assert (f"({number} kept)" in said) == bool(number), said
    assert f"{number} function{'s' if number > 1 else ''} of other files as before" in said or not number
    texts = {path: Path(path).read_text() for f in found.values() for path in f["outputs"].values()}
    lift("batch", "tree", "--force")
    assert texts == {path: Path(path).read_text() for path in texts}
    again = report()
    for name, own in {f["name"]: f for f in again["files"][0]["functions"]}.items():
        assert found[name] | {"seconds": 0, "run": 0} == own | {"seconds": 0, "run": 0}
        assert (found[name]["seconds"] == 1000) == (name in kept.split())


def _say_that_what_is_kept_took(seconds: int) -> None:
    """In all reports of the cache: so it is told what comes from there."""
    for entry in Path(os.environ["LIFT_CACHE_DIR"]).iterdir():
        kept = json.loads(entry.read_text())
        for f in kept.get("report", {}).get("functions", []):
            f["seconds"] = seconds
        entry.write_text(json.dumps(kept))
