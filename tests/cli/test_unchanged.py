"""A file of which nothing has changed is known without its compiler; any change of what its text is made of is seen."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lifter.commands.batch import kept
from lifter.commands.file_task import Request
from lifter.running.results import FileReport
from lifter.toolchain import compiler, made_of
from lifter.toolchain.command import Command

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="no compiler")
FLAGS = ("-I", "first", "-I./second", "-iquote", "third", "-include", "forced.h", "-imacros", "macros.h", "-O2")
TREE = {
    "m.c": '#include "a.h"\n#include <emmintrin.h>\n#include <deep/c.h>\n#include "a b$#/d.h"\nint m;\n',
    "forced.h": "",
    "macros.h": "#define GAIN 3\n",
    "second/a.h": """\
#include "beside.h"
#if __has_include("maybe.h") || __has_include(<deep/unread.h>)
int maybe;
#endif
""",
    "second/beside.h": "",
    "second/deep/c.h": "#define NAME <computed.h>\n#include NAME\n",
    "second/deep/unread.h": "",
    "second/computed.h": "",
    "a b$#/d.h": "",
    "first/other.h": "",
    "third/other.h": "",
}


@pytest.fixture
def tree(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("LIFT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(made_of, "SETTLED", -60.0)
    top = tmp_path / "tree"
    for name, text in TREE.items():
        write(top / name, text)
    return top


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def asked(top: Path, flags: tuple[str, ...] = FLAGS, name: str = "m.c") -> Request:
    return Request(str(top / name), Command(name, "c", "gcc", flags, str(top)), out=str(top / "lifted"))


def keep(request: Request) -> str:
    """Reads a file as a batch does, and keeps a result; its digest."""
    digest = kept.digests(request)[0].file
    kept.store(digest, FileReport(request.path), request.out)
    return digest


def unchanged(request: Request) -> bool:
    return kept.load_unchanged(request, os.path.exists) is not None


def same_size_and_time(path: Path, text: str) -> None:
    before = path.stat()
    assert len(text) == before.st_size
    path.write_text(text)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], None]] = {
    "the file": lambda t: write(t / "m.c", TREE["m.c"] + "int n;\n"),
    "a header": lambda t: write(t / "second/a.h", "int n;\n"),
    "a header by a macro": lambda t: write(t / "second/computed.h", "int n;\n"),
    "a name with signs": lambda t: write(t / "a b$#/d.h", "int n;\n"),
    "of the same size, its time set back": lambda t: same_size_and_time(t / "macros.h", "#define GAIN 4\n"),
    "another file moved to it": lambda t: (t / "first/other.h").rename(t / "second/beside.h") and None,
    "forced": lambda t: write(t / "forced.h", "int n;\n"),
    "earlier in the order": lambda t: write(t / "first/a.h", ""),
    "earlier for quotes": lambda t: write(t / "third/a.h", ""),
    "beside the file that includes it": lambda t: write(t / "a.h", ""),
    "in a new folder": lambda t: write(t / "first/deep/c.h", ""),
    "by a macro, earlier": lambda t: write(t / "first/computed.h", ""),
    "one of the lifter's own": lambda t: write(t / "second/emmintrin.h", ""),
    "asked for, now there": lambda t: write(t / "second/maybe.h", ""),
    "asked for, never read, gone": lambda t: (t / "second/deep/unread.h").unlink(),
    "a header gone": lambda t: (t / "second/beside.h").unlink(),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_is_seen(tree, what):
    request = asked(tree)
    keep(request)
    assert unchanged(request)
    CHANGES[what](tree)
    assert not unchanged(request)


def test_what_does_not_matter(tree):
    request = asked(tree)
    digest = keep(request)
    write(tree / "first/more.h", "")
    (tree / "third/other.h").unlink()
    write(tree / "m.o", "")
    assert unchanged(request)
    assert kept.digests(request)[0].file == digest


@pytest.mark.parametrize("text", [
    "#define HAS __has_include\n#if HAS(<x.h>)\n#endif\n",
    "#define NAME <x.h>\n#if __has_include(NAME)\n#endif\n",
    "const char *when = __DATE__;\n",
    "#if __has_\\\ninclude(NAME)\n#endif\n#define NAME <x.h>\n",
])
def test_what_is_not_known_is_read_again(tree, text):
    write(tree / "second/a.h", text)
    request = asked(tree)
    keep(request)
    assert not unchanged(request)


def test_whether_it_can_be_asked_does_not_matter(tree):
    text = "#ifdef __has_include\n#if defined(__has_include) && 1\n#endif\n#endif // __has_include\n"
    write(tree / "second/a.h", text)
    request = asked(tree)
    keep(request)
    assert unchanged(request)


def test_flags_environment_and_compiler_are_part_of_the_question(tree, monkeypatch, tmp_path):
    request = asked(tree)
    keep(request)
    assert not unchanged(asked(tree, (*FLAGS, "-DX")))
    assert not unchanged(Request(**{k: getattr(request, k) for k in ("path", "given", "out")}, functions=("f",)))
    (tmp_path / "more").mkdir()
    monkeypatch.setenv("CPATH", str(tmp_path / "more"))
    compiler._asked.cache_clear()
    assert not unchanged(request)
    monkeypatch.delenv("CPATH")
    compiler._asked.cache_clear()
    assert unchanged(request)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "gcc").symlink_to(shutil.which("gcc"))
    (tmp_path / "bin" / "gcc2").write_text(f'#!/bin/sh\nexec {shutil.which("gcc")} "$@"\n')
    (tmp_path / "bin" / "gcc2").chmod(0o755)
    (tmp_path / "bin" / "gcc2").replace(tmp_path / "bin" / "gcc")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    assert not unchanged(request)


@pytest.mark.parametrize("flag", ["-specs=/dev/null", "-B.", "-remap", "-DHAS=__has_include", "-Wp,-MD,x.d"])
def test_flags_that_look_elsewhere(tree, flag):
    request = asked(tree, (*FLAGS, flag))
    keep(request)
    assert not unchanged(request)


def test_what_has_just_changed_is_read_again(tree, monkeypatch):
    monkeypatch.setattr(made_of, "SETTLED", 2.0)
    request = asked(tree)
    keep(request)
    assert not unchanged(request)


@pytest.mark.parametrize("seed", range(4))
def test_random_changes(tree, seed):
    """Whatever is called unchanged has the text that it had."""
    choose = random.Random(seed)
    names = ["a.h", "beside.h", "deep/c.h", "computed.h", "maybe.h", "deep/unread.h", "emmintrin.h", "other.h"]
    folders = ["", "first", "second", "third", "second/deep", "first/deep"]
    same = 0
    for step in range(30):
        request = asked(tree)
        digest = keep(request)
        for _ in range(choose.randint(0, 2)):
            path = tree / choose.choice(folders) / choose.choice(names)
            if path.exists() and choose.random() < 0.5:
                path.unlink()
            else:
                write(path, choose.choice(["", '#include "beside.h"\n', "#include <computed.h>\n", f"int n{step};\n"]))
        if digest and unchanged(request):
            same += 1
            assert kept.digests(request)[0].file == digest, step
    assert same


def test_a_batch_asks_no_compiler(lift, tmp_path, monkeypatch):
    monkeypatch.setenv("LIFT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(made_of, "SETTLED", -60.0)
    for k in range(3):
        write(tmp_path / "tree" / f"f{k}.c", f"int f{k}(int a) {{ return a * {k + 2}; }}\n")
    write(tmp_path / "tree" / "wrong.c", "int f( {\n")
    first = lift("batch", "tree", "-o", "out")
    (tmp_path / "out" / "f1.c" / "f1.py").unlink()

    def never(command: Command) -> Command:
        raise AssertionError(command)

    monkeypatch.setattr(kept, "with_facts", never)
    second = lift("batch", "tree", "-o", "out")
    assert first.status == second.status == 2
    assert "4 files as before" in second.out + second.err
    assert (tmp_path / "out" / "f1.c" / "f1.py").exists()
