"""The corners of C++ that old code turns: references, copies, initialisers, captures, orders, macros.  What is verified
must do what the original does under g++."""

from __future__ import annotations

import ctypes
import itertools
from pathlib import Path

import pytest

from codegen.original import compile_original
from lifter.api import lift_file
from lifter.harness.side_by_side import bind
from tests.soundness.test_edges import problems

pytestmark = pytest.mark.long

SOURCE = Path(__file__).parent / "language_edges.cpp"
SIZES = (0, 1, 7, 40)
PLACES = (64, 1064), (64, 64)


def test_language_edges(tmp_path: Path) -> None:
    reports = lift_file(str(SOURCE), out=str(tmp_path), emit=("shared",), run=False).functions
    library = ctypes.CDLL(str(compile_original(SOURCE, (), tmp_path / "original.so")))
    wrong, verified = [], 0
    for report in reports:
        if report.status != "verified":
            assert report.status in ("unsupported", "not_found"), (report.name, report.reason)
            continue
        verified += 1
        function = report.lifted.function
        original, changed = bind(library, function), bind(ctypes.CDLL(report.outputs["shared"]), function)
        calls = []
        for n, places in itertools.product(SIZES, PLACES):
            at = iter(places)
            calls.append(tuple(next(at) if p.pointer else n if p.name == "n" else 20 for p in function.params))
        wrong += [f"{report.name}{said}" for said in problems(original, changed, function, calls)]
    assert not wrong
    assert verified >= 34
