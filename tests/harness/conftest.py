"""Running `lift` as the tests of the command line do, with a second opinion that does not depend on the machine."""

from __future__ import annotations

import pytest

from lifter.harness import second_opinion, side_process
from lifter.harness.side_process import Phase
from tests.cli.conftest import lift, source

__all__ = ["lift", "source"]


@pytest.fixture(autouse=True)
def time_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    """However little time lifting took, and however busy the machine is, every call is made."""
    monkeypatch.setattr(second_opinion, "LEAST", 120.0)
    monkeypatch.setattr(side_process, "PATIENCE", {Phase.DRAWING: 120.0, Phase.ORIGINAL: 120.0, Phase.LIFTED: 120.0})
