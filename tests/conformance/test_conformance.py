"""Every script under the package `halide` and under `halide_core`: the same results, the same refusals.

What the package gives is recorded (`recorded.py`); it is run where our result is another one."""

from __future__ import annotations

import numpy as np
import pytest

import halide_core
from halide_core.errors import HalideError
from tests.conformance import recorded
from tests.conformance.cases import Case, difference, results
from tests.conformance.recorded import digest_of, is_current, is_recorded, load_cases

pytestmark = pytest.mark.few(40)

halide = pytest.importorskip("halide")

CASES = load_cases()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_agrees(case: Case) -> None:
    if case.refused:
        with pytest.raises(Exception):  # noqa: B017  the package raises several kinds
            case.script(halide)
        with pytest.raises(HalideError) as refused:
            case.script(halide_core)
        assert case.message in str(refused.value)
        return
    ours = results(case.script(halide_core))
    if not case.ulp and is_recorded(case, ours):
        return
    theirs = results(case.script(halide))
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert not difference(a, b, case.ulp)


def test_most_of_what_the_package_gives_is_recorded() -> None:
    """What is not is run under the package each time."""
    old = [c.name for c in CASES if not is_current(c)]
    assert len(old) <= len(CASES) // 5, "run: python -m tests.conformance.recorded"


@pytest.mark.parametrize("dtype", ["u1", "i4", "f4", "f8", "?"])
def test_digests_are_equal_where_results_are(dtype: str) -> None:
    a = np.arange(12).astype(dtype).reshape(3, 4)
    assert digest_of([a]) == digest_of([np.asfortranarray(a)])
    others = [a.ravel(), a.astype("f2"), a.T, np.roll(a, 1, axis=1), a[:2]]
    assert len({digest_of([o]) for o in [a, *others]}) == 6
    assert digest_of([a, a]) != digest_of([a])
    if a.dtype.kind == "f":
        nan, other = a.copy(), a.copy()
        nan[1, 1] = np.nan
        other.view(f"i{a.itemsize}")[1, 1] = np.array([-np.nan], dtype).view(f"i{a.itemsize}")[0]
        assert np.isnan(other[1, 1]) and digest_of([nan]) == digest_of([other])
        zeros = np.zeros(3, dtype)
        assert digest_of([zeros]) != digest_of([-zeros])


def test_a_record_of_another_text_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    case = next(c for c in CASES if is_current(c) and not c.refused and not c.ulp)
    ours = results(case.script(halide_core))
    assert is_recorded(case, ours)
    assert not is_recorded(case, [*ours, ours[0]])
    monkeypatch.setattr(recorded, "_text", lambda module: "another")
    assert not is_recorded(case, ours) and not is_current(case)
