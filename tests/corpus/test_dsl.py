"""The emitted Halide of every function with a case, run by the package `halide`, against the original."""

from __future__ import annotations

import pytest

from corpus.cases import CASES
from corpus.harness import arguments
from lifter.harness.side_by_side import bind
from tests.corpus.emitted import halide_equals

pytestmark = pytest.mark.sampled(2)

SIZES = [(1, 1), (3, 3), (17, 5), (64, 33)]


def test_runs_under_the_real_halide(name, lifted_file):
    case = CASES[name]
    file = lifted_file(case.file)
    function = file.function(name).lifted.function
    original = bind(file.original, function)
    for seed, (width, height) in enumerate(SIZES):
        args = arguments(function, case, width, height, 3, seed)
        assert halide_equals(file.folder / f"{name}.py", function, original, args), (width, height)
