"""Random pipelines under random schedules: what a campaign found, and a few new ones (`make fuzz-schedules`)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.halide_core.fuzz.__main__ import autoscheduled_cases, cases
from tests.halide_core.fuzz.case import Case, outcome, reference

pytestmark = pytest.mark.long

FOUND = sorted((Path(__file__).parent / "fuzz" / "found").glob("*.txt"))


@pytest.mark.parametrize("path", FOUND, ids=lambda p: p.stem)
def test_what_was_found(path: Path) -> None:
    case: Case = eval(path.read_text())
    assert outcome(case) == ("equal", "")


@pytest.mark.parametrize("seed", [1, 2])
def test_random_schedules(seed: int) -> None:
    wanted = None
    for case in cases(seed):
        wanted = reference(case) if wanted is None else wanted
        kind, what = outcome(case, wanted)
        assert kind != "wrong", f"{what}\n{case.text()}"


# The last two: a member read by an update that lacks its loop, a register tile whose extent is hard to see.
@pytest.mark.parametrize("seed", [1, 160])
def test_autoschedulers(seed: int) -> None:
    for case in autoscheduled_cases(seed):
        kind, what = outcome(case)
        assert kind != "wrong", f"{what}\n{case.text()}"


def test_sums_that_read_each_other_keep_their_order() -> None:
    case = Case(
        (
            'sums = hl.Func("sums")', "sums[x, y] = hl.u16(source[x, 0]) + hl.u16(y)", "r = hl.RDom([(0, 16)])",
            "from halide_core.dsl.definitions import define",
            "value = sums[x, y] + hl.u16(source[r, 0]) * sums[x, r]",
            "define(sums._function, [x, y], value, reads_anywhere=True)", 'output = hl.Func("output")',
            "output[x, y] = sums[x, y]",
        ),
        (
            "source.set_estimates([(0, 64), (0, 1)])", "output.set_estimates([(0, 64), (0, 16)])",
            "hl.Pipeline(output).apply_autoscheduler(hl.Target('host'), hl.AutoschedulerParams('Reuse2019'))",
        ),
        (64, 1, "uint8"),
        (51, 7),
    )
    assert outcome(case) == ("equal", "")
