"""Functions written to break the printer: their emitted modules under both packages, against the originals.

A sample by default, all of them, on more sets of inputs, with ALL_ADVERSARIAL=1 (docs/figures/emitted-text.md)."""

from __future__ import annotations

import functools
import os
from pathlib import Path

import pytest

from tests.c_files import names_of
from tests.codegen.running import PACKAGES, SETS, outcome, prepare

pytestmark = pytest.mark.few(3)

ALL = bool(os.environ.get("ALL_ADVERSARIAL"))
FOLDER = Path(__file__).parent
FILES = {n: f for f in sorted(FOLDER.glob("*/*.cpp")) for n in names_of(f)}
SLOW = {"third", "fourth"}
"""Folders of which the sample has nothing: their functions take the lifter a second each."""
SAMPLE = [n for i, n in enumerate(n for n, f in FILES.items() if f.parent.name not in SLOW) if i % 4 == 0]
CHOSEN = list(FILES) if ALL else SAMPLE
NOT_FOUND = {
    "scalar_modes", "table_float_index", "edge_five", "edge_unsigned", "place_magnitude", "place_both_mirrors",
    "place_pair", "place_unsigned", "choose_scale",
}
UNSUPPORTED = {"choose_neighbours"}
ANNOUNCED = {"math_remainder", "math_cube_root", "math_fused_double", "scalar_double", "mix_power"}
"""Functions whose modules say that the package computes something else."""


@pytest.fixture(scope="session")
def lifted(tmp_path_factory):
    @functools.cache
    def lift(source: Path):
        return prepare(source, tmp_path_factory.mktemp(source.stem), [n for n in CHOSEN if FILES[n] == source])

    return lift


def test_there_are_enough() -> None:
    assert len(FILES.keys() - NOT_FOUND - UNSUPPORTED) >= 130


@pytest.mark.sampled(2)
@pytest.mark.parametrize("function", CHOSEN, ids=lambda n: f"{FILES[n].relative_to(FOLDER)}:{n}")
def test_both_packages(function, lifted):
    done = lifted(FILES[function])
    report = done.reports[function]
    others = dict.fromkeys(NOT_FOUND, "not_found") | dict.fromkeys(UNSUPPORTED, "unsupported")
    assert report.status == others.get(function, "verified"), report.reason
    assert bool(report.halide_differs) == (function in ANNOUNCED)
    if report.status != "verified":
        return
    head = (done.folder / f"{function}.py").read_text().partition("from __future__")[0]
    assert all(d in head for d in report.as_json()["halide_differs"])
    sets = SETS if ALL else SETS // 3
    for package in PACKAGES:
        if package == "halide" and report.halide_differs:
            continue
        found = outcome(done, function, package, sets)
        assert not found.problems, (package, found.problems)
        assert found.compared == sets
