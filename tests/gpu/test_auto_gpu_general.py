"""A sample of the pipelines that AutoGPU was not tuned to (`auto_gpu_general`): equal to the host, and valid."""

from __future__ import annotations

import pytest

from tests.gpu.auto_gpu_general import EQUAL, OWN, Finding, compared
from tests.gpu.auto_gpu_table import MADE_FOR, measure
from tests.gpu.general import pipeline_named
from tests.gpu.unlike import unlike_pipelines

pytestmark = pytest.mark.few(6)

_LIMIT = 200.0


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "name", ["bicubic_resize", "chambolle", "guided_filter", "otsu", "random 1003", "random 1013", "random 1020"]
)
def test_equal_and_valid(name: str) -> None:
    p = pipeline_named(name)
    found = Finding(name, compared(name), {OWN: measure(p, p.size, OWN, _LIMIT)})
    assert found.small == EQUAL
    assert not found.invalid()


@pytest.mark.long
@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", [p.name for p in unlike_pipelines()])
def test_unlike_the_others(name: str) -> None:
    """Reductions of whole images, scans, several outputs, tuples, volumes and signals, at an odd size."""
    assert compared(name) == EQUAL


@pytest.mark.parametrize("name", ["spotlight", "stretched", "standardised"])
def test_reductions_of_images_are_the_devices(name: str) -> None:
    """None of them waits for the host, or has a thread that goes over the image."""
    p = pipeline_named(name)
    row = measure(p, p.size, OWN, _LIMIT)
    assert not row.problem
    assert row.host_s == 0 and row.copied == 0
    assert row.seconds(MADE_FOR) < 60e-6


def test_threads_keep_what_updates_add_to() -> None:
    """A filter of a signal whose taps are a reduction: no kernel goes through memory in each of its steps."""
    p = pipeline_named("signal")
    row = measure(p, p.size, OWN, _LIMIT)
    assert not row.problem
    assert "filtered_global_wrapper = filtered.in_()" in row.text
    assert row.seconds(MADE_FOR) < 30e-6
    assert compared("signal") == EQUAL


@pytest.mark.long
@pytest.mark.parametrize("name", ["clahe"])
def test_few_points_meet_in_elements(name: str) -> None:
    """A histogram for each of 64 tiles: threads go over pixels, and the results are the host's."""
    assert compared(name) == EQUAL
