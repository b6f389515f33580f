"""Every script under the package `halide` and under `halide_core`: the same results, the same refusals."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import halide_core
import tests.conformance
from halide_core.errors import HalideError
from tests.conformance.cases import CASES, Case, difference, results

pytestmark = pytest.mark.few(40)

halide = pytest.importorskip("halide")

for found in pkgutil.iter_modules(tests.conformance.__path__):
    if found.name.endswith("_cases"):
        importlib.import_module(f"tests.conformance.{found.name}")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_agrees(case: Case) -> None:
    if case.refused:
        with pytest.raises(Exception):  # noqa: B017  the package raises several kinds
            case.script(halide)
        with pytest.raises(HalideError) as refused:
            case.script(halide_core)
        assert case.message in str(refused.value)
        return
    theirs, ours = results(case.script(halide)), results(case.script(halide_core))
    assert len(ours) == len(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert not difference(a, b, case.ulp)
