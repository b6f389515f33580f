"""`--loops`: of functions that are not lifted whole, the loops."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.few(3)

MADE, MAIN = (Path(__file__).with_name(n).read_text() for n in ("loops_made.c", "loops_main.c"))


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIFT_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))


def test_loops_of_what_is_not_lifted(lift, tmp_path: Path) -> None:
    Path("made.c").write_text(MADE)
    run = lift("made.c", "--loops", "--json")
    assert run.status == 1
    found = json.loads(run.out)
    assert {f["name"]: f["status"] for f in found["functions"]} == {"inverted": "unsupported", "whole": "verified"}
    loops = {f["name"]: (f["part_of"], f["status"], f["defined"]["line"]) for f in found["loops"]}
    assert loops == {
        "inverted__loop_9": ("inverted", "verified", 9),
        "inverted__loop_11": ("inverted", "unsupported", 11),
        "inverted__loop_13": ("inverted", "verified", 13),
    }
    assert "made.c:9:1: verified: inverted__loop_9, a loop of inverted" in run.err
    assert "made.c: 3 loops: 2 verified, 1 unsupported, of functions that are not" in run.err
    for f in found["loops"]:
        assert bool(f["outputs"]) == (f["status"] == "verified")
        assert all(Path(p).is_file() for p in f["outputs"].values())


def test_the_source_with_the_loops_as_functions(lift, tmp_path: Path) -> None:
    Path("made.c").write_text(MADE)
    Path("main.c").write_text(MAIN)
    lift("made.c", "--loops", "--no-run")
    written = Path("lifted/made.outlined.c")
    assert written.read_text().count("inverted__loop_9(") == written.read_text().count("inverted__loop_13(") == 2
    assert "inverted__loop_11" not in written.read_text()
    # It can be lifted in its turn: the drop-in then has the loops behind the function that calls them.
    names = "-f", "inverted__loop_9", "-f", "inverted__loop_13"
    run = lift("lifted/made.outlined.c", *names, "--no-run", "--emit", "object")
    assert run.status == 0, run.err
    subprocess.run(["cc", "-w", "main.c", str(written), "-o", "own"], check=True)
    assert subprocess.run(["./own"], check=False, stdout=subprocess.DEVNULL).returncode == 0


def test_no_loop_leaves_no_source(lift, tmp_path: Path) -> None:
    Path("a.c").write_text('#include <stdio.h>\nint f(int n) { while (n--) puts("x"); return n; }\n')
    run = lift("a.c", "--loops")
    assert "outlined" not in run.err and not list(Path("lifted").glob("*.outlined.c"))


def test_a_batch_keeps_loops(lift, tmp_path: Path) -> None:
    Path("tree").mkdir()
    Path("tree/made.c").write_text(MADE)
    lift("batch", "tree", "--loops")
    first = json.loads(Path("lifted/report.json").read_text())["files"][0]
    assert [f["status"] for f in first["loops"]] == ["verified", "unsupported", "verified"]
    Path(first["outlined"]).unlink()
    run = lift("batch", "tree", "--loops")
    assert "made.c: 1 verified, 1 unsupported; 2 of 3 loops of the others (kept)" in run.err
    assert "1 verified, 1 unsupported; 2 of 3 loops of the others; 1 file as before" in run.err
    again = json.loads(Path("lifted/report.json").read_text())["files"][0]
    assert again == first and Path(first["outlined"]).is_file()
    lift("batch", "tree")
    assert "loops" not in json.loads(Path("lifted/report.json").read_text())["files"][0]


def test_loops_are_not_for_a_cluster(lift, tmp_path: Path) -> None:
    Path("tree").mkdir()
    run = lift("batch", "tree", "--loops", "--dask", "local:1")
    assert run.status == 2 and "--loops is not for a cluster" in run.err
