"""What tests share: which worker runs which, and lifts that are kept."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from tests import lifts
from tests.conftest import BySharedWork
from tests.pairs import in_pairs


def test_what_shares_work_is_run_by_one_worker(pytestconfig: pytest.Config) -> None:
    scheduling = BySharedWork.__new__(BySharedWork)
    scheduling.config = pytestconfig
    scope = scheduling._split_scope
    corpus = [f"tests/{m}.py::test[blend/classic.cpp:{n}]" for m in ("corpus/a", "verifier/b") for n in ("f", "f-x")]
    assert {scope(n) for n in corpus} == {"blend/classic.cpp"}
    assert scope("tests/frontend/test_neon.py::test_a[x]") == scope("tests/frontend/test_neon.py::test_b")
    alone = "tests/halide_core/test_borders.py::test[a:b-x.cpp]"
    assert scope(alone) == alone


def test_pairs() -> None:
    axes = (["a", "b", "c"], [1, 2, 3, 4], [True, False])
    rows = in_pairs(*axes)
    for (i, first), (k, second) in itertools.combinations(enumerate(axes), 2):
        assert {(r[i], r[k]) for r in rows} == set(itertools.product(first, second))
    assert len(rows) <= 14 or len(rows) == 24


@pytest.mark.few(2)
def test_a_lift_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lifts, "_version", lambda: tmp_path)
    first = lifts.lifted("filter/pointwise.cpp", ["Invert"], False)
    made = []
    honest = lifts.lift_file
    monkeypatch.setattr(lifts, "lift_file", lambda *args, **rest: made.append(rest) or honest(*args, **rest))
    again = lifts.lifted("filter/pointwise.cpp", ["Invert"], False)
    assert not made and again.folder == first.folder and again.library.exists()
    assert again.function("Invert").stages == first.function("Invert").stages != []
    # Other checks, another lift; and what was not made to the end is made anew.
    monkeypatch.setenv("LIFT_CHECK_PATHS", "0")
    assert lifts.lifted("filter/pointwise.cpp", ["Invert"], False).folder != first.folder
    (again.folder / "report.pickle").unlink()
    monkeypatch.setenv("LIFT_CHECK_PATHS", "1")
    lifts.lifted("filter/pointwise.cpp", ["Invert"], False)
    assert len(made) == 2
