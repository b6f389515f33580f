"""A sample of the adversarial functions; `make fuzz-adversarial` tries all of them on more calls."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest

from tests.adversarial.trial import TESTS, Trial, label, names_of, sources, tried

pytestmark = pytest.mark.few(12)

STATUSES: dict[str, str] = json.loads((Path(__file__).parent / "statuses.json").read_text())
EVERY = 20
SAMPLE = sorted(STATUSES)[::EVERY]


@pytest.fixture(scope="session")
def trials(tmp_path_factory):
    @functools.cache
    def of(file: str) -> dict[str, Trial]:
        names = [n.partition(":")[2] for n in SAMPLE if n.startswith(f"{file}:")]
        return tried(TESTS / file, tmp_path_factory.mktemp(Path(file).stem), names, 20)

    return of


@pytest.mark.sampled(4)
@pytest.mark.parametrize("function", SAMPLE)
def test_nothing_differs(function, trials):
    file, _, name = function.partition(":")
    trial = trials(file)[name]
    assert not trial.problems
    assert trial.status == STATUSES[function], trial.reason
    assert trial.status != "verified" or trial.calls >= 100


def test_every_function_has_a_status():
    assert {label(s, n) for s in sources() for n in names_of(s)} == set(STATUSES)
