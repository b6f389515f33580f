"""Where lifted code cannot have its temporaries, the original runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from codegen.original import compile_original
from lifter.api import lift_file

pytestmark = pytest.mark.few(4)

HERE = Path(__file__).parent
SOURCE = HERE.parent / "frontend" / "programs" / "temporaries.cpp"


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    lift_file(str(SOURCE), functions=["blur2", "columns"], out=str(folder), emit=["shared"], run=False)
    failing = folder / "failing.so"
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", str(failing), str(HERE / "failing_malloc.c")], check=True)
    return compile_original(SOURCE, (), folder / "original.so"), folder / "libtemporaries_lifted.so", failing


@pytest.mark.parametrize("blocks", [-1, 0, 1, 2, 3, 5])
def test_the_original_runs(libraries, blocks):
    original, lifted, failing = libraries
    settings = {**os.environ, "LD_PRELOAD": str(failing), "FAIL": str(blocks)}
    command = [sys.executable, str(HERE / "without_memory.py"), str(original), str(lifted)]
    done = subprocess.run(command, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
