"""Every compilation of the tests is checked between its passes."""

from __future__ import annotations

import os

import pytest

os.environ.setdefault("HL_CHECK_IR", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the texts of tests/golden anew")
