"""Every compilation of the tests is checked between its passes; a file of the corpus is lifted by one worker only."""

from __future__ import annotations

import os
import re
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from corpus.cases import CASES
from corpus.manifest import sample

os.environ.setdefault("HL_CHECK_IR", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the texts of tests/golden anew")


class ByLiftedFile(LoadScopeScheduling):
    """Tests on functions of one file of the corpus go to one worker, all others one by one."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        self.file = {e.name: e.file for e in sample()} | {n: c.file for n, c in CASES.items()}

    def _split_scope(self, nodeid: str) -> str:
        found = re.search(r"corpus/test_(?:suites|dsl|drop_in|generators)\.py::.*\[(\w+)", nodeid)
        return self.file.get(found[1], nodeid) if found else nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByLiftedFile | None:
    return ByLiftedFile(config, log) if config.getoption("dist") == "loadgroup" else None
