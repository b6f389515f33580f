"""A sample of wrong inputs; `make fuzz-inputs` tries 2,000."""

from __future__ import annotations

import pytest

from tests.inputs.trial import trial

pytestmark = pytest.mark.few(4)


FOUND = (7861, 7943)
"""Choices in choices, which Python's parser did not read."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", [*range(12), *FOUND])
def test_wrong_input_gets_one_clear_answer(seed):
    assert not trial(seed)
