"""Statements before and after each pass, as texts; `pytest --update-golden` writes them anew."""

from __future__ import annotations

import pytest

from tests.golden_texts import GOLDEN, ROOT, is_golden, texts_of
from tests.halide_core.golden_cases import CASES


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return texts_of("tests.halide_core.golden_cases")


@pytest.mark.parametrize("case", CASES)
def test_text(case: str, texts: dict[str, str], request: pytest.FixtureRequest) -> None:
    is_golden(GOLDEN / f"{case}.txt", texts[case], request)


def test_no_orphans(request: pytest.FixtureRequest) -> None:
    own = (p for p in GOLDEN.rglob("*.txt") if p.relative_to(GOLDEN).parts[0] != "lifter")
    found = {str(p.relative_to(GOLDEN).with_suffix("")): p for p in own}
    orphans = [p for case, p in found.items() if case not in CASES]
    if request.config.getoption("--update-golden"):
        for p in orphans:
            p.unlink()
        return
    assert not orphans, "no case writes these; delete them or run pytest --update-golden"


def test_two_cases_for_each_pass() -> None:
    source = (ROOT / "halide_core" / "lower.py").read_text()
    passes = {
        line.partition('log.after("')[2].partition('"')[0] for line in source.splitlines() if "log.after(" in line
    }
    assert len(passes) == 24
    count = {p: sum(case.startswith(p + "/") for case in CASES) for p in passes}
    assert min(count.values()) >= 2, count
