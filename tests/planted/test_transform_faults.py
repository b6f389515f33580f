"""One fault of each kind, planted in a transform of paths, is stopped by the checks."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.planted.mutate import ROOT, sound
from tests.planted.transform_faults import DEPENDENCE, ORDER, STEP, TRIP, transform_faults


def test_the_faults_can_be_planted() -> None:
    found = transform_faults()
    assert len(found) >= 60
    assert all(map(sound, found))
    assert len({(f.file, f.old, f.new) for f in found}) == len(found)


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "module", "function"),
    [
        (DEPENDENCE, "fuse_complementary_stores", "arms_with_a_reader_between"),
        (ORDER, "fuse_complementary_stores", "rows_above_the_image"),
        (STEP, "delinearize", "grey_plane"),
        (TRIP, "expand_scalars", "widen_starts/recurrence"),
    ],
)
def test_a_fault_is_stopped(kind: str, module: str, function: str) -> None:
    own = [n for n, f in enumerate(transform_faults()) if f.kind == kind and module in f.file]
    command = [sys.executable, "-m", "tests.planted.transforms", "-f", function]
    command += [x for n in own for x in ("--fault", str(n))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [x for x in done.stdout.splitlines() if f"{kind}: " in x]
    assert len(lines) == len(own)
    assert any(": stopped: " in x for x in lines), done.stdout
