"""Statements before and after each pass, as texts; `pytest --update-golden` writes them anew."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.halide_core.golden_cases import CASES

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "tests" / "golden"


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Every case's text, from a process that saw nothing else."""
    command = [sys.executable, "-m", "tests.halide_core.golden_cases"]
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("case", CASES)
def test_text(case: str, texts: dict[str, str], request: pytest.FixtureRequest) -> None:
    path = GOLDEN / f"{case}.txt"
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(texts[case])
    assert path.exists(), f"{path} is missing; pytest --update-golden writes it"
    assert texts[case] == path.read_text()


def test_no_orphans(request: pytest.FixtureRequest) -> None:
    own = (p for p in GOLDEN.rglob("*.txt") if p.relative_to(GOLDEN).parts[0] != "lifter")
    found = {str(p.relative_to(GOLDEN).with_suffix("")): p for p in own}
    orphans = [p for case, p in found.items() if case not in CASES]
    if request.config.getoption("--update-golden"):
        for p in orphans:
            p.unlink()
        return
    assert not orphans, "no case writes these; delete them or run pytest --update-golden"


def test_two_cases_for_each_pass() -> None:
    source = (ROOT / "halide_core" / "lower.py").read_text()
    passes = {
        line.partition('log.after("')[2].partition('"')[0] for line in source.splitlines() if "log.after(" in line
    }
    assert len(passes) == 23
    count = {p: sum(case.startswith(p + "/") for case in CASES) for p in passes}
    assert min(count.values()) >= 2, count
