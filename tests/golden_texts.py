"""Golden texts: made in a process of their own, held to files, and written anew by `pytest --update-golden`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
GOLDEN = ROOT / "tests" / "golden"


def texts_of(module: str) -> dict[str, str]:
    """The text of every case, as a module of tests prints them: from a process that saw nothing else."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", module]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


def is_golden(path: Path, text: str, request: pytest.FixtureRequest) -> None:
    """Fails where the file at `path` has another text."""
    if request.config.getoption("--update-golden"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    assert path.exists(), f"{path} is missing; pytest --update-golden writes it"
    assert text == path.read_text()
