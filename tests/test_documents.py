"""The documents speak of files that are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PACKAGES = "lifter|synth|verifier|codegen|halide_core|corpus|tests|tools"


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_files_are_there(document):
    """By their path from the root, tests also by that from `tests`."""
    named = re.findall(rf"`((?:{PACKAGES})/[\w./-]+\.(?:py|cpp|c|txt|toml|json))`", document.read_text())
    missing = [n for n in named if not (ROOT / n).exists() and not (ROOT / "tests" / n).exists()]
    assert missing == []


def test_some_files_are_named():
    assert sum(d.read_text().count(".py`") for d in DOCUMENTS) > 100
