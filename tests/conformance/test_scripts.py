"""The command that runs Halide's own scripts, on scripts of our own."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.conformance import scripts

pytestmark = pytest.mark.few(4)

pytest.importorskip("halide")

REALIZES = """
import halide as hl
import halide.imageio
from halide import Var
f = hl.Func()
f[Var("x")] = 3
assert hl.__name__ in ("halide", "halide_core")
"""
OURS_ONLY = "import halide as hl\nassert hl.__name__ == 'halide_core', '/some/where/file.txt is missing'\n"
THEIRS_ONLY = "import halide as hl\nassert hl.__name__ == 'halide', '/some/where/file.txt is missing'\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tutorial").mkdir()
    (tmp_path / "test" / "correctness").mkdir(parents=True)
    (tmp_path / "tutorial" / "one.py").write_text(REALIZES)
    (tmp_path / "tutorial" / "two.py").write_text(THEIRS_ONLY)
    (tmp_path / "test" / "correctness" / "three.py").write_text(OURS_ONLY)
    return tmp_path


def test_a_page_keeps_the_first_run(folder: Path) -> None:
    page = folder / "page.md"
    for _ in range(2):
        run = CliRunner().invoke(scripts.main, [str(folder), "--markdown", str(page)])
        assert run.exit_code == 0, run.output
        text = page.read_text()
        assert "1 of 2 that run under the package run under halide_core; at first it was 1." in text
        assert "| two | 0 | 1 | 1 | AssertionError: file.txt is missing |" in text
        assert "| three | 1 | 0 | 0 | not counted |" in text
        assert "/some" not in text
        (folder / "tutorial" / "one.py").write_text(REALIZES + "\n")
    page.write_text(page.read_text().replace("| one | 0 | 0 | 0 |", "| one | 0 | 7 | 0 |"))
    CliRunner().invoke(scripts.main, [str(folder), "--markdown", str(page)])
    assert "| one | 0 | 7 | 0 |  |" in page.read_text() and "at first it was 0." in page.read_text()


def test_a_script_that_takes_too_long(folder: Path) -> None:
    (folder / "tutorial" / "one.py").write_text("while True: pass\n")
    run = CliRunner().invoke(scripts.main, [str(folder), "--seconds", "1", "--only", "one"])
    assert "one: package time, halide_core time more than 1 s" in run.output
