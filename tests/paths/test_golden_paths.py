"""Paths before and after each transform, as texts; `pytest --update-golden` writes them anew."""

from __future__ import annotations

import pytest

from lifter.ir.effect_printer import path_text
from lifter.ir.effect_reader import parse_path
from tests.golden_texts import is_golden, texts_of
from tests.paths.golden_cases import CASES, FOLDER, transforms


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return texts_of("tests.paths.golden_cases")


@pytest.mark.parametrize("case", CASES)
def test_text(case: str, texts: dict[str, str], request: pytest.FixtureRequest) -> None:
    assert texts[case], f"{case.partition('/')[0]} changes nothing of {case}.cpp"
    is_golden(FOLDER / f"{case}.txt", texts[case], request)


@pytest.mark.parametrize("case", CASES)
def test_the_text_reads_back(case: str, texts: dict[str, str]) -> None:
    before, *after = texts[case].removeprefix("Before:\n").split("\nAfter:\n")
    assert after
    for text in (before, *after):
        text = text.rstrip("\n") + "\n"
        assert path_text(parse_path(text)) == text


def test_no_orphans() -> None:
    orphans = [p for p in FOLDER.rglob("*.txt") if not p.with_suffix(".cpp").exists()]
    assert not orphans, "no source beside them: delete them"


def test_two_cases_for_each_transform() -> None:
    count = {t: sum(case.startswith(t + "/") for case in CASES) for t in transforms()}
    assert len(count) >= 16
    assert min(count.values()) >= 2, count
    unknown = {case.partition("/")[0] for case in CASES} - set(count)
    assert not unknown, "the pipeline has no transforms of these names"
