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


def _python(document):
    text = re.sub(r"(?m)^   ", "", (ROOT / "docs" / document).read_text())
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_what_shows_a_tree_runs(tmp_path, monkeypatch, capsys):
    (tmp_path / "a.c").write_text("int f(int a) { return a + 1; }\n")
    monkeypatch.chdir(tmp_path)
    exec(_python("adding.md")[0], {})
    kinds = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert kinds[:4] == ["FUNCTION_DECL", "PARM_DECL", "COMPOUND_STMT", "RETURN_STMT"]


def test_rows_that_are_shown_are_there():
    blocks = [b for b in _python("adding.md")[1:] if not b.startswith("def ")]
    rows = [line.partition("#")[0].strip() for block in blocks for line in block.splitlines()]
    tables = ("lifter/simd/meanings.py", "lifter/simd/neon/meanings.py", "tests/verifier/test_simplifier.py")
    there = "".join((ROOT / t).read_text() for t in tables)
    assert len(rows) == 4
    assert [r for r in rows if r not in there] == []
