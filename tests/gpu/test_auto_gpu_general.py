"""A sample of the pipelines that AutoGPU was not tuned to (`auto_gpu_general`): equal to the host, and valid."""

from __future__ import annotations

import pytest

from tests.gpu.auto_gpu_general import EQUAL, OWN, Finding, compared
from tests.gpu.auto_gpu_table import measure
from tests.gpu.general import pipeline_named

_LIMIT = 200.0


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", ["chambolle", "otsu", "random 1003", "random 1013", "random 1020"])
def test_equal_and_valid(name: str) -> None:
    p = pipeline_named(name)
    found = Finding(name, compared(name), {OWN: measure(p, p.size, OWN, _LIMIT)})
    assert found.small == EQUAL
    assert not found.invalid()


@pytest.mark.long
@pytest.mark.parametrize("name", ["clahe"])
def test_few_points_meet_in_elements(name: str) -> None:
    """A histogram for each of 64 tiles: threads go over pixels, and the results are the host's."""
    assert compared(name) == EQUAL
