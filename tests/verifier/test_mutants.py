"""At least 500 wrong summaries: none is verified unless it computes the same after all.

One that the verifier proves is compiled and compared with the original on many images."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from corpus.cases import CASES
from corpus.harness import arguments
from lifter.harness.side_by_side import bind, difference
from lifter.ir.summary import Summary
from tests.lifts import label
from tests.verifier.campaign import SIZES, compiled
from tests.verifier.mutate import mutants
from verifier.decide import verify_path

pytestmark = pytest.mark.long

PER_FUNCTION = 6
KINDS: Counter[str] = Counter()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", sorted(CASES), ids=label)
def test_wrong_summaries_are_refuted(name, lifted_file):
    file = lifted_file(CASES[name].file)
    lifted = file.function(name).lifted
    assert lifted.status == "verified", lifted.reason
    function = lifted.function
    number = max(range(len(lifted.summary.paths)), key=lambda i: len(lifted.summary.paths[i].funcs))
    path, right = lifted.paths[number], lifted.summary.paths[number]
    found = mutants(right, PER_FUNCTION, seed=len(name))
    assert len(found) >= 4
    for text, wrong in found:
        KINDS[text.split(":")[0]] += 1
        verdict = verify_path(function, path, wrong, timeout=0.7, stop_early=True)
        if verdict.proved:
            paths = (*lifted.summary.paths[:number], wrong, *lifted.summary.paths[number + 1 :])
            assert_same(name, function, replace(lifted.summary, paths=paths), file.original, text)


def assert_same(name, function, summary: Summary, library, text):
    """A summary that was proved although it was changed computes what the original computes."""
    case = CASES[name]
    original = bind(library, function)
    changed = compiled(summary, original)
    for seed, (width, height) in enumerate(SIZES * 3):
        args = arguments(function, case, width, height, 3, seed)
        assert difference(function, original, changed, args) is None, f"proved although wrong: {text}"
