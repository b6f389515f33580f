"""Loops that are written out for their pointers: what they leave in their counter, and what they are refused for."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from lifter.api import lift_file
from lifter.frontend import parse_file
from lifter.ir.loop_ir import Function, Unsupported

SOURCE = Path(__file__).parent / "programs" / "written_out_loops.c"


def test_a_counter_that_changes_inside_is_refused() -> None:
    found = {f.name: f for f in parse_file(str(SOURCE)).functions}
    refused = {n: f for n, f in found.items() if not isinstance(f, Function)}
    assert refused.keys() == {"counter_changed_through_a_pointer"}
    (reason,) = (f.reason for f in refused.values())
    assert isinstance(reason, Unsupported) and "changed inside of it through a pointer" in reason.construct


@pytest.fixture(scope="module")
def lifted(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("loops")
    report = lift_file(str(SOURCE), out=str(folder), emit=("shared",))
    statuses = {f.name: f.status for f in report.functions}
    assert [n for n, s in statuses.items() if s != "verified"] == ["counter_changed_through_a_pointer"], statuses
    return ctypes.CDLL(str(folder / "libwritten_out_loops_lifted.so"))


def _pointer(a: np.ndarray) -> ctypes.c_void_p:
    return a.ctypes.data_as(ctypes.c_void_p)


def test_counters(lifted: ctypes.CDLL) -> None:
    planes = np.random.default_rng(1).integers(0, 200, (3, 9), np.uint8)
    table = (ctypes.c_void_p * 3)(*(p.ctypes.data for p in planes))
    d = np.zeros(27, np.uint8)
    assert lifted.counter_behind(table, _pointer(d), 9) == 3
    assert (d.reshape(9, 3) == planes.T).all()
    lifted.counter_through_a_pointer(table, _pointer(d), 9)
    assert (d.reshape(9, 3) == planes.T + np.arange(3)).all()


def test_passes(lifted: ctypes.CDLL) -> None:
    s, d = np.random.default_rng(2).integers(0, 256, 32, np.uint8), np.zeros(32, np.uint8)
    assert lifted.no_pass(_pointer(s), _pointer(d), 32) == 3
    assert (d == s + 3).all()
    lifted.three_passes(_pointer(s), _pointer(d))
    expected = s
    for k in range(3):
        expected = expected + expected[::-1] + np.uint8(k)
    assert (d == expected).all()
