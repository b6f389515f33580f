"""Loops as functions of their own: what a function does with calls in their places is what it did before."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from clang.cindex import LinkageKind

from lifter.frontend import parse_file
from lifter.outline import Fragment, Outline, outline

pytestmark = pytest.mark.few(3)

SOURCE = Path(__file__).with_name("loops.c")
REFUSED = {
    "sizes_of_arrays": "the size of the array 'held'",
    "aliased": "the address of 'v' is kept",
    "size_that_changes": "'unit' is declared inside",
    "with_labels": "the function has labels",
    "macro_before": "mean another thing",
}


def _outline(source: Path, folder: Path) -> Outline:
    names = {(d.name, d.line) for d in parse_file(str(source)).definitions}
    return outline(str(source), [], names, folder / f"copy{source.suffix}")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Outline:
    return _outline(SOURCE, tmp_path_factory.mktemp("outline"))


def _outermost(tops: list[Fragment]) -> list[Fragment]:
    out = []
    for f in tops:
        out += [f] if not f.refused else _outermost(f.inner)
    return out


def _innermost(tops: list[Fragment]) -> list[Fragment]:
    out = []
    for f in tops:
        inside = _innermost(f.inner)
        out += inside or ([f] if not f.refused else [])
    return out


def _library(text: bytes, path: Path, suffix: str) -> ctypes.CDLL:
    source = path.with_suffix(suffix)
    source.write_bytes(text)
    compiler = "c++" if suffix == ".cpp" else "cc"
    subprocess.run([compiler, "-w", "-O1", "-shared", "-fPIC", str(source), "-o", str(path)], check=True)
    return ctypes.CDLL(str(path))


def _visible(found: Outline) -> set[str]:
    return {f.function.spelling for f in found.tops if f.function.linkage is LinkageKind.EXTERNAL}


@pytest.mark.parametrize(("source", "least"), [
    (SOURCE, 20), (SOURCE.with_name("registers.c"), 3), (SOURCE.with_name("objects.cpp"), 6),
])
@pytest.mark.parametrize("chosen", [_outermost, _innermost])
def test_functions_do_what_they_did(source: Path, least: int, chosen, tmp_path: Path) -> None:
    found = _outline(source, tmp_path)
    taken = chosen(found.tops)
    assert len(taken) >= least
    own = _library(source.read_bytes(), tmp_path / "own.so", source.suffix)
    changed = _library(found.with_calls(taken), tmp_path / "changed.so", source.suffix)
    rng = np.random.default_rng(11)
    for name in sorted({f.function.spelling for f in found.tops} & _visible(found)):
        for n in (0, 1, 2, 3, 5, 9, 20):
            for _ in range(6):
                p = rng.integers(0, 10, 24).astype(np.int32)
                results = []
                for library in (own, changed):
                    f = getattr(library, name)
                    f.restype = ctypes.c_long
                    results.append(f(p.ctypes.data_as(ctypes.c_void_p), n))
                assert results[0] == results[1], (name, n, p)


def test_what_is_refused_says_why(found: Outline) -> None:
    by_function: dict[str, list[str]] = {}
    for top in found.tops:
        by_function.setdefault(top.function.spelling, []).append(top.refused)
    for name, reason in REFUSED.items():
        assert all(reason in r for r in by_function[name]), by_function[name]
    assert by_function["pointers_moved"] == ["", "the pointer 'o' is set to another array"]
    assert any("another function" in r for r in by_function["returns_inside"])
    assert by_function["lent"] == ["the address of 'v' is kept", ""]
    told = {*REFUSED, "lent", "returns_inside", "objects", "pointers_moved"}
    assert not {n: r for n, r in by_function.items() if n not in told and any(r)}
    assert [bool(r) for r in by_function["objects"]] == [False, True, False]  # one changes an object of the function's


def test_what_loops_are_given_and_leave(found: Outline) -> None:
    fragments = {f.name.partition("__loop_")[0]: [] for t in found.tops for f in t.all()}
    for t in found.tops:
        fragments[t.function.spelling].append(t)
    first, second = fragments["counters_left"]
    assert {v.name: (v.given, v.left) for v in first.variables} == {
        "p": (True, False), "n": (True, False), "i": (False, True), "sum": (True, True),
    }
    assert {v.name: (v.given, v.left) for v in second.variables} == {
        "i": (True, False), "j": (True, True), "sum": (True, True),
    }
    moved = fragments["pointers_moved"][0]
    assert {v.name: v.moves for v in moved.variables} == {"p": False, "o": True, "s": False}


def test_variables_with_other_names_stay(tmp_path: Path) -> None:
    found = _outline(SOURCE.with_name("objects.cpp"), tmp_path)
    (only,) = (f for f in found.tops if f.function.spelling == "with_other_names")
    assert only.refused == "the address of 'v' is kept"


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no gcc")
def test_headers_that_only_the_compiler_has(tmp_path: Path) -> None:
    source = tmp_path / "atomic.c"
    source.write_text(
        "#include <stdatomic.h>\n#include <cpuid.h>\nint open_image(const char *); atomic_int users;\n"
        "int more(void) { return atomic_fetch_add(&users, 1) + atomic_load(&users); }\n"
        "void f(unsigned char *p, int n) { if (open_image(\"x\")) for (int i = 0; i < n; i++) p[i] = i; }\n"
    )
    (only,) = _outline(source, tmp_path).tops
    assert not only.refused


def test_registers_are_made_again_where_that_is_the_same(tmp_path: Path) -> None:
    found = _outline(SOURCE.with_name("registers.c"), tmp_path)
    made = {f.function.spelling: {v.name for v in f.variables if v.made_of is not None} for f in found.tops}
    assert made == {"of_constants": {"ahead", "twice", "zero"}, "of_a_sum": set()}  # `n` is another one later


def test_lines_are_the_originals(found: Outline) -> None:
    copy = parse_file(found.path, found.command)
    lines = {d.name: d.line for d in copy.definitions}
    for d in parse_file(str(SOURCE)).definitions:
        assert lines[d.name] == d.line
    for f in _outermost(found.tops):
        assert lines[f.name] == f.line
