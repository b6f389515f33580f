"""The corpus lifted once a session: a drop-in library and the original of each file."""

from __future__ import annotations

import ctypes
import functools
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from codegen.original import compile_original
from corpus.cases import CASES, ROOT
from corpus.manifest import sample
from lifter.api import FileReport, FunctionReport, lift_file


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
def lifted_file(tmp_path_factory):  # type: ignore[no-untyped-def]
    """lifted_file("blend/classic.cpp") -> LiftedFile, with those of its functions that the tests take."""
    os.environ.setdefault("HL_NUM_THREADS", "2")

    @functools.cache
    def lift(file: str) -> LiftedFile:
        folder = tmp_path_factory.mktemp(Path(file).stem)
        source = ROOT / file
        names = sorted({n for n, c in CASES.items() if c.file == file} | {e.name for e in sample() if e.file == file})
        report = lift_file(str(source), functions=names, out=str(folder), emit=("dsl", "halide-cpp", "shared"))
        original = compile_original(source, (), folder / "original.so")
        lifted = ctypes.CDLL(str(folder / f"lib{source.stem}_lifted.so"))
        return LiftedFile(report, ctypes.CDLL(str(original)), lifted, folder, source)

    return lift


def pytest_generate_tests(metafunc):  # type: ignore[no-untyped-def]
    if "name" in metafunc.fixturenames:
        metafunc.parametrize("name", sorted(CASES))
    if "entry" in metafunc.fixturenames:
        metafunc.parametrize("entry", [e for e in sample() if e.name not in CASES], ids=lambda e: e.name)
