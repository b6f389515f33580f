"""Every compilation of the tests is checked between its passes, every path between its rewritings; a file of the corpus
is lifted by one worker only.

`make quick` leaves out tests that are marked `long`.  Of those marked `few(n)` it takes one in n, by a hash of the
test's name, and of the corpus a dozen functions of each suite."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from codegen.original import compile_original
from corpus.cases import CASES, ROOT
from corpus.manifest import sample
from lifter.api import FileReport, FunctionReport, lift_file

os.environ.setdefault("HL_CHECK_IR", "1")
os.environ.setdefault("LIFT_CHECK_PATHS", "1")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the texts of tests/golden anew")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What `few` leaves out is long."""
    for item in items:
        few = item.get_closest_marker("few")
        if few is not None and zlib.crc32(item.name.encode()) % few.args[0]:
            item.add_marker("long")


def function_of(item: pytest.Item) -> str:
    """The function of the corpus that a test is about, or the empty string."""
    params = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
    return next((getattr(params[p], "name", params[p]) for p in ("name", "entry", "generated") if p in params), "")


class ByLiftedFile(LoadScopeScheduling):
    """Tests on functions of one file of the corpus go to one worker, all others one by one."""

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        self.file = {e.name: e.file for e in sample()} | {n: c.file for n, c in CASES.items()}

    def _split_scope(self, nodeid: str) -> str:
        files = r"(?:corpus/test_(?:suites|dsl|drop_in|generators)|verifier/test_mutants)\.py"
        found = re.search(files + r"::.*\[(\w+)", nodeid)
        return self.file.get(found[1], nodeid) if found else nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByLiftedFile | None:
    return ByLiftedFile(config, log) if config.getoption("dist") == "loadgroup" else None


@dataclass(frozen=True)
class LiftedFile:
    """One file of the corpus: its report, the original's library and the lifted one."""

    report: FileReport
    original: ctypes.CDLL
    lifted: ctypes.CDLL
    folder: Path
    source: Path

    def function(self, name: str) -> FunctionReport:
        return next(f for f in self.report.functions if f.name == name)


@pytest.fixture(scope="session")
def lifted_file(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], LiftedFile]:
    """lifted_file("blend/classic.cpp") -> LiftedFile, with those of its functions that the tests to be run are about.

    The tests compare on more calls than a second opinion makes: one file in five, by its name, has that too."""
    os.environ.setdefault("HL_NUM_THREADS", "2")
    file_of = {e.name: e.file for e in sample()} | {n: c.file for n, c in CASES.items()}
    wanted = {function_of(i) for i in request.session.items if "lifted_file" in getattr(i, "fixturenames", ())}

    @functools.cache
    def lift(file: str) -> LiftedFile:
        folder = tmp_path_factory.mktemp(Path(file).stem)
        source = ROOT / file
        names = sorted(n for n in wanted if file_of.get(n) == file)
        kinds = ("dsl", "halide-cpp", "shared")
        run = zlib.crc32(file.encode()) % 5 == 0
        report = lift_file(str(source), functions=names, out=str(folder), emit=kinds, run=run)
        original = compile_original(source, (), folder / "original.so")
        lifted = ctypes.CDLL(str(folder / f"lib{source.stem}_lifted.so"))
        return LiftedFile(report, ctypes.CDLL(str(original)), lifted, folder, source)

    return lift
