"""Random pipelines under random schedules: what a campaign found, and a few new ones (`make fuzz-schedules`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.halide_core.fuzz.__main__ import cases
from tests.halide_core.fuzz.case import Case, outcome, reference

FOUND = sorted((Path(__file__).parent / "fuzz" / "found").glob("*.txt"))


@pytest.mark.parametrize("path", FOUND, ids=lambda p: p.stem)
def test_what_was_found(path: Path) -> None:
    case: Case = eval(path.read_text())
    assert outcome(case) == ("equal", "")


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_random_schedules(seed: int) -> None:
    wanted = None
    for case in cases(seed):
        wanted = reference(case) if wanted is None else wanted
        kind, what = outcome(case, wanted)
        assert kind != "wrong", f"{what}\n{case.text()}"
