"""Running `lift` as the tests of the command line do."""

from __future__ import annotations

from tests.cli.conftest import lift, source

__all__ = ["lift", "source"]
