"""`lift batch --dask`: the same report as without, whatever happens to workers."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from lifter.commands.batch import kept
from lifter.commands.batch.plan import plan
from lifter.commands.batch.remote import RemoteError, lift_remotely
from lifter.commands.file_task import Request
from lifter.running.results import FileReport
from lifter.toolchain.command import Command
from lifter.toolchain.facts import elsewhere, with_facts
from synth.options import Options
from tests.cli.cluster_campaign import kill_a_worker, reported

pytest.importorskip("distributed")

ROOT = Path(__file__).parent.parent.parent
FOLDER = Path(__file__).with_name("program")
PROGRAM = {f.name: f.read_text() for f in sorted(FOLDER.iterdir())} | {"wrong.c": "int f( {\n"}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.setenv("LIFT_CACHE_DIR", "")
    for name, text in PROGRAM.items():
        (tmp_path / "tree").mkdir(exist_ok=True)
        (tmp_path / "tree" / name).write_text(text)
    return tmp_path / "tree"


def report_of(request: Request) -> FileReport:
    status, report = pickle.loads(lift_remotely(pickle.dumps((kept.tool(), request))))
    assert not status
    found: FileReport = pickle.loads(report)
    return found


def test_a_file_is_lifted_where_it_is_not(tree):
    jobs = {j.name: j for j in plan(str(tree), "lifted", (), (), ()).jobs}
    for name, status in (("scale.c", "verified"), ("image.c", "verified"), ("lanes.c", "verified")):
        command = with_facts(jobs[name].command)
        request = Request(jobs[name].path, elsewhere(command), options=Options(timeout=60.0))
        shutil.move(tree / name, tree / f"{name}.away")
        report = report_of(request)
        assert report.functions[0].status == status, report.functions[0].reason
        assert report.functions[0].lifted.summary is not None


def test_a_worker_of_another_version_lifts_nothing():
    with pytest.raises(RemoteError, match="another version of lift"):
        lift_remotely(pickle.dumps(("another", Request("a.c"))))


def test_a_command_made_again_forgets_the_facts(tree):
    command = with_facts(Command(str(tree / "scale.c"), "c", "cc", ("-O2",)))
    assert command.macros() == command.facts.macros
    assert command.and_flags(["-DX"]).facts is None


@pytest.mark.long
@pytest.mark.sampled(1000)  # the next test is the same and more, but for drop-ins
def test_the_same_report_as_without(tree, tmp_path):
    """Each in a new process: the order of terms goes by what a process has seen before."""
    command = [sys.executable, "-m", "lifter", "batch", "tree", "--emit", "dsl,summary,shared", "-o"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    for more in (["here"], ["there", "--dask", "local:2"]):
        done = subprocess.run([*command, *more], cwd=tmp_path, env=environment, check=False)
        assert done.returncode == 2
    assert reported(tmp_path / "here") == reported(tmp_path / "there")


@pytest.mark.long
def test_a_worker_that_dies_costs_its_task_one_retry(lift, tree, tmp_path):
    for k in range(8):
        (tree / f"more{k}.c").write_text(PROGRAM["scale.c"].replace("scale", f"scale{k}"))
    lift("batch", "tree", "-o", "here")
    killed: list[int] = []

    def kill() -> None:
        end = time.monotonic() + 120
        while not killed and time.monotonic() < end:
            pid = kill_a_worker(psutil.Process())
            if pid:
                killed.append(pid)
            time.sleep(0.01)

    watcher = threading.Thread(target=kill)
    watcher.start()
    run = lift("batch", "tree", "-o", "there", "--dask", "local:3")
    watcher.join()
    assert killed
    assert run.status == 2
    assert reported(tmp_path / "here") == reported(tmp_path / "there")


def test_no_cluster(lift, tree):
    run = lift("batch", "tree", "--dask", "local:x")
    assert run.status == 2
    assert run.one_line == "error: --dask local:x: write local:N, with N the number of workers"


def test_models_stay_here(lift, tree, source):
    run = lift("batch", "tree", "--dask", "local:1", "--model", source("model.c", "int g(int a) { return a; }\n"))
    assert run.status == 2
    assert "leave it out with --dask" in run.err
    assert not [p for p in psutil.Process(os.getpid()).children() if "distributed" in " ".join(p.cmdline())]
