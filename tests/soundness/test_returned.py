"""Pointers, objects and structures that are returned: a wrong place is refuted, and drop-ins return the original's."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from codegen.original import system_compiler
from halide_core.ir.expr import I64, Expr, Variable, const
from lifter.api import FileReport, FunctionReport, lift_file
from lifter.frontend.state import operators as op
from lifter.ir.loop_ir import NULL_RESULT
from verifier.decide import verify_path

pytestmark = pytest.mark.few(3)

SOURCE = Path(__file__).parent / "returned.c"


class Row(ctypes.Structure):
    _fields_ = (("pixels", ctypes.c_void_p), ("count", ctypes.c_int))


class Source(ctypes.Structure):
    _fields_ = (("kind", ctypes.c_int), ("row", ctypes.c_void_p))


class Feed(ctypes.Structure):
    _fields_ = (("bits", ctypes.c_void_p), ("stride", ctypes.c_long))


class About(ctypes.Structure):
    _fields_ = (("sum", ctypes.c_int32), ("mean", ctypes.c_double), ("ends", ctypes.c_int16 * 2))


@pytest.fixture(scope="module")
def lifted(tmp_path_factory: pytest.TempPathFactory) -> FileReport:
    return lift_file(str(SOURCE), out=str(tmp_path_factory.mktemp("returned")), emit=("shared",))


def function(report: FileReport, name: str) -> FunctionReport:
    found = next(f for f in report.functions if f.name == name)
    assert found.verified, found.reason
    return found


def called(report: FileReport, name: str, kinds: Sequence[object], result: object = ctypes.c_void_p):  # type: ignore[no-untyped-def]
    f = getattr(ctypes.CDLL(function(report, name).outputs["shared"]), name)
    f.argtypes, f.restype = list(kinds), result
    return f


@pytest.mark.parametrize(
    "name", ["moved", "cleared", "pixels_of", "pixels_if_any", "bytes_if_any", "sought", "last_below"]
)
def test_another_place_is_refuted(lifted: FileReport, name: str) -> None:
    """One byte further, another element, the start, null."""
    found = function(lifted, name).lifted
    assert found is not None and found.summary is not None
    refuted = 0
    for path, right in zip(found.paths, found.summary.paths, strict=True):
        assert right.result is not None
        assert verify_path(found.function, path, right, timeout=10.0).proved
        n = next((p for p in found.function.params if not p.pointer), None)
        others: list[Expr] = [op.binary("+", right.result, const(k, I64)) for k in (1, -1, 2, 4)]
        others += [const(NULL_RESULT, I64), const(0, I64)]
        others += [op.cast(Variable(n.type, n.name), I64)] if n is not None else []
        for other in others:
            if str(other) != str(right.result):
                verdict = verify_path(found.function, path, replace(right, result=other), timeout=10.0)
                assert not verdict.proved, other
                refuted += 1
    assert refuted >= 5


def test_pointers_that_moved(lifted: FileReport) -> None:
    moved = called(lifted, "moved", (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int))
    memory = np.arange(64, dtype=np.uint16)
    at = memory.ctypes.data
    assert moved(at, at + 64, 7) == at + 14
    assert memory[:8].tolist() == [33, 34, 35, 36, 37, 38, 39, 7]
    assert moved(at, at + 64, -1) is None
    assert moved(at, at + 64, 0) == at
    assert moved(0, 0, 0) is None
    assert moved(at + 2, at, 5) == at + 12  # the original's code: they overlap
    assert memory[:6].tolist() == [33, 34, 35, 36, 37, 38]


def test_the_callers_object(lifted: FileReport) -> None:
    cleared = called(lifted, "cleared", (ctypes.c_void_p,))
    pixels_of = called(lifted, "pixels_of", (ctypes.c_void_p, ctypes.c_int))
    memory = np.arange(10, dtype=np.uint8)
    row = Row(memory.ctypes.data, 6)
    assert cleared(None) is None
    assert pixels_of(ctypes.addressof(row), 3) == memory.ctypes.data + 3
    assert memory.tolist() == [255, 254, 253, 252, 251, 250, 6, 7, 8, 9]
    assert cleared(ctypes.addressof(row)) == ctypes.addressof(row)
    assert memory.tolist() == [0, 0, 0, 0, 0, 0, 6, 7, 8, 9]


def test_what_a_flag_says_is_not_there_is_not_read(lifted: FileReport) -> None:
    row = Row(4096, 6)
    at = ctypes.addressof(row)
    for name, wanted in (("pixels_if_any", 4096), ("row_if_any", at), ("bytes_if_any", at + 9)):
        f = called(lifted, name, (ctypes.c_void_p,))
        assert f(ctypes.addressof(Source(1, at))) == wanted
        assert f(ctypes.addressof(Source(0, 8))) is None  # where nobody may read


def test_a_pointer_that_moves(lifted: FileReport) -> None:
    taken = called(lifted, "taken", (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int), ctypes.c_int)
    memory, out = np.arange(40, dtype=np.uint8), np.zeros(40, dtype=np.uint8)
    feed = Feed(memory.ctypes.data, 16)
    at = ctypes.addressof(feed)
    assert taken(at, out.ctypes.data, 5) == 5
    assert (feed.bits, out[:6].tolist()) == (memory.ctypes.data + 16, [0, 1, 2, 3, 4, 0])
    assert taken(at, out.ctypes.data, 2) == 2
    assert (feed.bits, out[:3].tolist()) == (memory.ctypes.data + 16, [16, 17, 2])
    assert taken(at, out.ctypes.data, 0) == 0
    whole = np.array([0, 16, 77, 78], dtype=np.uint64)
    at = whole.ctypes.data
    whole[0] = at  # which is read after it has moved
    assert taken(at, out.ctypes.data, 8) == 8
    assert out[:8].view(np.uint64)[0] == whole[0] == at + 16
    assert taken(at, at, 8) == 8  # and what is written lies there
    assert whole.tolist() == [77, 16, 77, 78]


def test_what_was_sought(lifted: FileReport) -> None:
    sought = called(lifted, "sought", (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int))
    memory = np.arange(50, dtype=np.uint8)
    at = memory.ctypes.data
    assert [sought(at, at + 50, v) for v in (0, 31, 49, 50)] == [at, at + 31, at + 49, None]


def test_a_pointer_that_a_loop_sets(lifted: FileReport) -> None:
    last = called(lifted, "last_below", (ctypes.c_void_p, ctypes.c_int, ctypes.c_int))
    memory = np.arange(30, 0, -1, dtype=np.int16)
    memory[29] = 50
    at = memory.ctypes.data
    assert [last(at, 30, v) for v in (100, 50, 3, 2)] == [at + 58, at + 56, at + 56, None]
    assert last(at, 0, 100) is None


def test_structures(lifted: FileReport) -> None:
    about = called(lifted, "about", (ctypes.c_void_p, ctypes.c_int), About)
    memory = np.arange(1, 11, dtype=np.uint8)
    found = about(memory.ctypes.data, 10)
    assert (found.sum, found.mean, list(found.ends)) == (55, 5.5, [1, 10])
    found = about(memory.ctypes.data, 0)
    assert (found.sum, found.mean, list(found.ends)) == (0, 0.0, [0, 0])
    text = str(function(lifted, "about"))
    assert "result_ends_1() = " in text


@pytest.mark.parametrize("emit", [("dsl",), ("object", "header")], ids=" ".join)
def test_without_adapters(tmp_path: Path, emit: tuple[str, ...]) -> None:
    """What is emitted without adapters is run beside the original by its flat function."""
    report = lift_file(str(SOURCE), out=str(tmp_path), emit=emit)
    if "header" in emit:
        header = Path(function(report, "moved").outputs["header"])
        declared = 'int64_t moved_flat(uint16_t *d, const uint16_t *s, int32_t n) __asm__("moved.flat");'
        assert declared in header.read_text()
        for language in ("c", "c++"):
            subprocess.run([system_compiler(), "-x", language, "-fsyntax-only", str(header)], check=True)
    assert [(f.name, f.status) for f in report.functions if not f.verified] == []
    ran = [f for f in report.functions if f.run is not None and f.run.calls > 0]
    assert 2 * len(ran) > len(report.functions)  # a busy machine leaves some no time


def test_words(lifted: FileReport) -> None:
    assert "returns null where n < 0\n  returns d + n*2 bytes where n >= 0\n" in str(function(lifted, "moved"))
    assert "returns row_pixels + from bytes\n" in str(function(lifted, "pixels_of"))
    assert function(lifted, "pixels_of").as_json()["returned"] == ["row_pixels + from bytes"]
    assert "returned" not in function(lifted, "about").as_json()
