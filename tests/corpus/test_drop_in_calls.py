"""The calls of a library's drop-ins beside their originals: what they see, and what counts for nothing."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from corpus.first_contact import drop_ins
from corpus.first_contact.drop_ins import Campaign, Drawn
from corpus.first_contact.library import Library, count

pytestmark = pytest.mark.long

SOURCE = Path(__file__).with_name("campaign.c")


def campaign(
    folder: Path, *names: str, calls: int = 400, seed: int = 3, text: str = "", models: tuple[str, ...] = ()
) -> Campaign:
    source = folder / "library.c"
    source.write_text(text or SOURCE.read_text())
    library = Library()
    count(source, [], library)
    functions = [f for f in library.functions.values() if f.name in names]
    assert {f.name for f in functions} == set(names)
    drawn = Drawn((), models, 30.0, calls, seed, folder / "kept")
    return drop_ins.run(functions, len(names), drawn, Console(file=io.StringIO()))


def test_drop_ins_that_are_right(tmp_path: Path) -> None:
    done = campaign(tmp_path, "invert", "fill", "shares", "limited")
    assert (done.different, done.not_called, dict(done.statuses)) == ([], [], {"verified": 4})
    found = {f.name: opinion for f, opinion in done.called}
    for name in ("invert", "fill", "limited"):  # the fourth asks nothing of its callers
        assert found[name].calls > 330, found[name]
        assert found[name].handed > 20 and found[name].calls - found[name].handed > 200, found[name]
    assert found["shares"].left_out["not survived"] > 0  # a division by zero
    assert drop_ins.row("Some library", done).startswith("| Some library | 4 | 4 | 4 |")


@pytest.mark.parametrize(
    ("wronged", "right", "wrong"),
    [
        ("invert", "255 - s[i]", "254 - s[i]"),
        ("invert", "i < n; i++) d[i] = 255", "i < n - (n == 65); i++) d[i] = 255"),
        ("fill", "x < m->w", "x < m->w + (m->w == 33)"),
        ("limited", "s[i] > 1.0f ? 1.0f : s[i]", "s[i] <= 1.0f ? s[i] : 1.0f"),
    ],
)
def test_a_wrong_function_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wronged: str, right: str, wrong: str
) -> None:
    """A constant, one element too few or too many at one size, what is no number."""
    honest = drop_ins.lift_file

    def lift_another(path: str, **rest: object) -> object:
        text = Path(path).read_text()
        assert text.count(right) == 1
        Path(path).write_text(text.replace(right, wrong))
        report = honest(path, **rest)  # type: ignore[arg-type]
        Path(path).write_text(text)
        return report

    monkeypatch.setattr(drop_ins, "lift_file", lift_another)
    done = campaign(tmp_path, wronged)
    (said,) = done.different
    assert said.startswith(f"{wronged} ({tmp_path}/library.c:") and " of seed 3: " in said and "with " in said
    case = json.loads((tmp_path / "kept" / "disagreed" / wronged / "case.json").read_text())
    assert case["function"] == wronged


def _without(kind: str) -> Callable[..., object]:
    honest = drop_ins.lift_file

    def lift(path: str, **rest: object) -> object:
        report = honest(path, **rest)  # type: ignore[arg-type]
        for f in report.functions:
            assert f.lifted is not None and f.lifted.summary is not None
            summary = f.lifted.summary
            paths = tuple(replace(p, contract=tuple(i for i in p.contract if i.kind != kind)) for p in summary.paths)
            assert paths != summary.paths
            f.lifted = replace(f.lifted, summary=replace(summary, paths=paths))
        return report

    return lift


def test_a_contract_that_asks_for_too_little_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory that overlaps is none of what the lifted function is for."""
    monkeypatch.setattr(drop_ins, "lift_file", _without("disjoint"))
    (said,) = campaign(tmp_path, "invert").different
    assert "differs" in said


def test_what_other_files_define_is_run(tmp_path: Path) -> None:
    others = tmp_path / "others"
    others.mkdir()
    (others / "no.c").write_text("#include <nothing.h>\nint weight(int x) { return x; }\n")
    assert campaign(tmp_path, "sum", text=CALLER, models=(str(others),)).statuses["unsupported"] == 1
    (others / "no.c").unlink()
    (others / "weights.c").write_text("int more(int);\nint weight(int x) { return more(x) * 3; }\n")
    (others / "more.c").write_text("int more(int x) { return x + 1; }\n")
    done = campaign(tmp_path, "sum", text=CALLER, models=(str(others),))
    assert (done.different, done.not_called) == ([], [])
    assert done.called[0][1].calls > 330 and not done.called[0][1].left_out


CALLER = """
int weight(int x);
void sum(int *d, const unsigned char *s, int n) { for (int i = 0; i < n; i++) d[i] = weight(s[i]); }
"""
