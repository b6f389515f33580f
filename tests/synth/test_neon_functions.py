"""Functions in NEON intrinsics and in GNU's vectors come out as what their authors' scalar versions come out as."""

from __future__ import annotations

from pathlib import Path

import pytest

from lifter.api import lift_file
from tests.c_files import names_of

pytestmark = pytest.mark.few(3)

SOURCE = Path(__file__).with_name("neon_functions.cpp")
NAMES = [n for n in names_of(SOURCE) if not n.endswith("_scalar")]


@pytest.mark.parametrize("name", NAMES)
def test_same_summary_as_scalar_code(name: str, tmp_path: Path) -> None:
    report = lift_file(str(SOURCE), functions=[name, f"{name}_scalar"], out=str(tmp_path), run=False)
    for f in report.functions:
        assert f.status == "verified", f.reason
    registers, scalar = ([(s.roi, *s.terms, s.left, s.expression) for s in f.stages] for f in report.functions)
    assert registers == scalar
