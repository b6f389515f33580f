"""Fields of the caller's objects that a function assigns: what is lifted leaves in them what the original does, and
touches them where the original does."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from lifter.api import lift_file
from lifter.frontend import parse_file
from lifter.ir.loop_ir import Assign, Function, Loop

SOURCE = Path(__file__).with_name("changed_fields.c")
REFUSED = {"shared_memory": "either.number", "bits": "flag"}
NOWHERE = 0x10  # never mapped


class Inner(ctypes.Structure):
    _fields_ = (("count", ctypes.c_int), ("mean", ctypes.c_float))


class Info(ctypes.Structure):
    _fields_ = (
        ("src", ctypes.c_void_p), ("dst", ctypes.c_void_p), ("w", ctypes.c_int), ("h", ctypes.c_int),
        ("pitch", ctypes.c_int), ("total", ctypes.c_int), ("least", ctypes.c_uint16), ("level", ctypes.c_double),
        ("own", Inner), ("other", ctypes.POINTER(Inner)), ("either", ctypes.c_int), ("flag", ctypes.c_uint),
    )  # fmt: skip


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> tuple[ctypes.CDLL, ctypes.CDLL]:
    """The original and the drop-in."""
    folder = tmp_path_factory.mktemp("fields")
    report = lift_file(str(SOURCE), out=str(folder), emit=("shared",))
    statuses = {f.name: (f.status, f.reason) for f in report.functions}
    assert {n for n, (status, _) in statuses.items() if status != "verified"} == REFUSED.keys(), statuses
    assert all("assignment to the field" in statuses[n][1] for n in REFUSED)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", str(SOURCE), "-o", str(folder / "own.so")], check=True)
    return ctypes.CDLL(str(folder / "own.so")), ctypes.CDLL(str(folder / "libchanged_fields_lifted.so"))


def _pointer(a: np.ndarray) -> ctypes.c_void_p:
    return a.ctypes.data_as(ctypes.c_void_p)


def _both(
    libraries: tuple[ctypes.CDLL, ctypes.CDLL], name: str,
    call: Callable[[Info, np.ndarray, np.ndarray], tuple[object, ...]],
) -> tuple[list[object], list[object]]:
    """What the original and the drop-in leave and return, of equal objects and arrays."""
    out = []
    for library in libraries:
        rng = np.random.default_rng(5)
        p, d, inner = rng.integers(0, 256, 600, np.uint8), np.zeros(600, np.uint8), Inner(7, 0.5)
        info = Info(p.ctypes.data, d.ctypes.data, 9, 5, 11, 40, 90, 1.5, Inner(3, 0.25), ctypes.pointer(inner), 1, 1)
        result = getattr(library, name)(*call(info, p, d))
        held = [getattr(info, field) for field, _ in Info._fields_ if field not in ("src", "dst", "own", "other")]
        out.append([result, *held, info.own.count, info.own.mean, inner.count, p.tobytes(), d.tobytes()])
    return out[0], out[1]


@pytest.mark.parametrize("n", [0, 1, 5, 7, 9, 10, 60])
@pytest.mark.parametrize(
    "name", ["summed", "found_least", "early", "first_of_many", "through_pointers", "behind_a_pointer", "added"]
)
def test_fields_are_left_as_by_the_original(libraries: tuple[ctypes.CDLL, ctypes.CDLL], name: str, n: int) -> None:
    def call(info: Info, p: np.ndarray, d: np.ndarray) -> tuple[object, ...]:
        into = d if name == "behind_a_pointer" else p
        return (ctypes.byref(info), _pointer(into), n, *([3] if name == "added" else []))

    own, lifted = _both(libraries, name, call)
    if name in ("found_least", "first_of_many", "behind_a_pointer", "added"):  # which return nothing
        own[0] = lifted[0] = None
    assert own == lifted


@pytest.mark.parametrize("h", [0, 1, 5])
def test_a_field_that_counts_rows(libraries: tuple[ctypes.CDLL, ctypes.CDLL], h: int) -> None:
    def call(info: Info, p: np.ndarray, d: np.ndarray) -> tuple[object, ...]:
        info.h = h
        return (ctypes.byref(info),)

    own, lifted = _both(libraries, "rows_counted_down", call)
    assert own[1:] == lifted[1:]


def test_an_object_that_is_not_there_is_not_touched(libraries: tuple[ctypes.CDLL, ctypes.CDLL]) -> None:
    _, lifted = libraries
    assert lifted.summed(None, None, 3) == -1
    info = Info(other=ctypes.cast(NOWHERE, ctypes.POINTER(Inner)))
    lifted.behind_a_pointer(ctypes.byref(info), None, 0)


@pytest.mark.parametrize("loop", ["for (; i < n; i++, o->v++) { %s }", "do { %s } while (o->v++ < n);"])
def test_what_is_behind_continue_counts_as_assigned_by_itself(tmp_path: Path, loop: str) -> None:
    source = tmp_path / "f.c"
    body = loop % "if (p) continue; o->v = 3;"
    head = "struct s { int v; float *q; };\nvoid f(struct s *o, const int *p, int n) "
    source.write_text(f"{head}{{ int i = 0; {body} }}\n")
    (f,) = parse_file(str(source)).functions
    assert isinstance(f, Function)
    (whole,) = (s for s in f.body if isinstance(s, Loop))
    names = [s.name for s in (*whole.step, *whole.prelude) if isinstance(s, Assign)]
    assert names[names.index("o_v") + 1] == "o_v_set"


def test_an_object_that_is_another_one_too(libraries: tuple[ctypes.CDLL, ctypes.CDLL]) -> None:
    def call(info: Info, p: np.ndarray, d: np.ndarray) -> tuple[object, ...]:
        return ctypes.byref(info), ctypes.byref(info), _pointer(d), 20

    own, lifted = _both(libraries, "of_two", call)
    assert own[1:] == lifted[1:]
