"""A few planted faults; `make plant-faults` plants as many as one likes."""

from __future__ import annotations

import random

import pytest

from tests.planted import campaign
from tests.planted.by_hand import by_hand
from tests.planted.campaign import CAUGHT, NO_EFFECT, lifted_without, tried
from tests.planted.mutate import faults, files, sound

pytestmark = pytest.mark.long

# Functions that each fault changes, by what the fault becomes.
WITH = {
    '">": ir.GE,': "corpus/filter/pointwise.cpp:Threshold",
    'cmpgt_epi64", compared(GE)': "corpus/sse_blend/layers.cpp:SseThreshold",
}


@pytest.fixture(autouse=True)
def time_enough(monkeypatch):
    """What is found does not depend on how busy the machine is."""
    monkeypatch.setattr(campaign, "TIMEOUT", 300.0)
    monkeypatch.setattr(campaign, "LEAST", 120.0)


@pytest.mark.parametrize("new", WITH)
def test_caught(new, tmp_path):
    (fault,) = (f for f in by_hand() if f.new == new)
    functions = [WITH[new]]
    outcome = tried(fault, functions, lifted_without(functions, tmp_path / "without.pickle"))
    assert outcome.verdict == CAUGHT, outcome.how


def test_without_effect(tmp_path):
    """What does not change anything is not counted as caught."""
    (fault,) = (f for f in by_hand() if f.new == '("packus_epi16", U16, U8)')
    functions = ["corpus/filter/pointwise.cpp:Threshold"]
    outcome = tried(fault, functions, lifted_without(functions, tmp_path / "without.pickle"))
    assert outcome.verdict == NO_EFFECT, outcome.how


def test_faults_are_python():
    """Of every module something can be changed, in its place."""
    rng = random.Random(0)
    every = [faults(area, file) for area, file in rng.sample(list(files()), 12)]
    found = [f for own in every for f in rng.sample(own, min(3, len(own)))]
    assert sum(sound(f) for f in found) > len(found) * 0.8
