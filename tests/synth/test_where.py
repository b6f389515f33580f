"""Updates under RDom.where: what a condition on coordinates guards is read and written only where it holds."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from lifter.api import FunctionReport, lift_file
from synth.lift import lift_function
from tests.c_files import function_of
from tests.verifier.mutate import mutants
from verifier.decide import verify_path

pytestmark = pytest.mark.few(3)

SOURCE = Path(__file__).with_name("where.cpp")


def report(folder: Path, name: str) -> FunctionReport:
    (found,) = lift_file(str(SOURCE), functions=[name], out=str(folder), run=False).functions
    return found


def lifted(folder: Path, name: str) -> FunctionReport:
    found = report(folder, name)
    assert found.status == "verified", found.reason
    return found


def test_a_sprite_asks_nothing_of_where_it_is_put(tmp_path: Path) -> None:
    found = lifted(tmp_path, "sprite")
    (stage,) = found.stages
    assert stage.where and re.fullmatch(r"d\(max\(min\(.*, dw - 1\), 0\), max\(min\(.*, dh - 1\), 0\)\)", stage.left)
    assert not any("ox" in text or "oy" in text for text in found.contract), found.contract


def test_a_background_is_written_first(tmp_path: Path) -> None:
    background, turned = lifted(tmp_path, "turned").stages
    assert (background.expression, background.where) == ("terms[0]", "") and background.terms == ["(uint8)0"]
    assert "int32(" in turned.where and turned.terms[0].startswith("s(max(min(")


def test_bins_are_as_many_as_the_caller_says(tmp_path: Path) -> None:
    (stage,) = lifted(tmp_path, "limited").stages
    assert stage.where == "int32(s(r.x)) < count" and stage.left == "bins(min(int32(s(r.x)), count - 1))"


def test_floats_lie_between_their_ends(tmp_path: Path) -> None:
    found = lifted(tmp_path, "scaled")
    text = (tmp_path / "scaled.py").read_text()
    last = "_whole((np.float32(_wrapped((n - 1), 32, True)) * (np.float32(w) / np.float32(n))), 32)"
    assert f"max(0, {last})" in text and f"min(0, {last})" in text, found.contract


@pytest.mark.parametrize(
    "name",
    ["a_product_that_is_an_int_in_some_iterations", "twice_the_same_variable", "a_quotient_by_a_counter"],
)
def test_floats_that_may_lie_elsewhere(tmp_path: Path, name: str) -> None:
    found = report(tmp_path, name)
    assert found.status == "not_found" and ("is not known" in found.reason or "in the box" in found.reason)


@pytest.mark.parametrize("name", ["sprite", "turned", "limited"])
def test_wrong_conditions_are_refuted(name: str) -> None:
    function = function_of(SOURCE, name)
    found = lift_function(function)
    path, right = found.paths[0], found.summary.paths[0]
    wrong = [(what, p) for what, p in mutants(right, 400, seed=1) if "where" in what or "<" in what]
    assert len(wrong) >= 4
    for what, p in wrong:
        assert not verify_path(function, path, p, timeout=2.0, stop_early=True).proved, what


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_what_nth_element_leaves_elsewhere_is_not_known(tmp_path: Path) -> None:
    lifted(tmp_path, "nth_element")
    first = report(tmp_path, "before_the_nth_element")
    assert first.status == "unsupported" and "before it is given a value" in first.reason
