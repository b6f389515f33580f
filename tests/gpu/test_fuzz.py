"""A few random pipelines under random schedules for a device; `python -m tests.gpu.fuzz` takes more."""

from __future__ import annotations

import pytest

from tests.gpu.fuzz import by_default, cases, default_result, outcome
from tests.gpu.fuzz_lanes import lanes_case, lanes_outcome
from tests.halide_core.fuzz.case import reference

pytestmark = pytest.mark.few(4)

# Seeds of what was found wrong once come first.
SEEDS = (12, 136, 148, 5006, 3001, 3002)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", SEEDS)
def test_random_schedules(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HL_JIT_CACHE_DIR", "")
    monkeypatch.setenv("HL_CHECK_IR", "1")
    wanted = None
    for case in cases(seed):
        wanted = reference(case) if wanted is None else wanted
        verdict, why = outcome(case, wanted)
        assert verdict != "wrong", f"{why}\n{case.text()}"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", [3, 7, 16, 31])
def test_the_default_schedule(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HL_JIT_CACHE_DIR", "")
    monkeypatch.setenv("HL_CHECK_IR", "1")
    case = by_default(seed)
    assert outcome(case, reference(case), default_result) == ("equal", ""), case.text()


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", [120, 122, 255, 25, 288])
def test_lanes(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HL_JIT_CACHE_DIR", "")
    monkeypatch.setenv("HL_CHECK_IR", "1")
    case = lanes_case(seed)
    verdict, why = lanes_outcome(case)
    assert verdict == "equal", f"{why}\n{case.text()}"
