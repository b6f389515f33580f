"""Files of the corpus as the tests lift them: once, for all tests and workers, and kept until something is changed that
they depend on.

`build/lifts/<digest>/<file>/` has the outputs, the compiled original, and the report.  The digest is of the tool's own
text and versions, the compiler and the processor; the name of a file's folder has one of its text, of the functions
asked for, and of which checks were made.  No part of the product reads these folders, and
they may be deleted at any time."""

from __future__ import annotations

import ctypes
import fcntl
import functools
import hashlib
import os
import pickle
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from codegen.original import compile_original, system_compiler
from corpus.cases import CASES, ROOT
from corpus.manifest import entries
from halide_core.target import get_host_target
from lifter.api import FileReport, FunctionReport, lift_file
from lifter.commands.batch.kept import tool
from lifter.toolchain.compiler import identity

FOLDER = Path(__file__).parents[1] / "build" / "lifts"
KINDS = ("dsl", "halide-cpp", "shared")
_REPORT = "report.pickle"
_FILE = {e.name: e.file for e in entries()} | {n: c.file for n, c in CASES.items()}
_MOST = 3
"""Of this many versions of the project the lifts are kept."""


@dataclass(frozen=True)
class LiftedFile:
    """One file of the corpus: its report, the original's library and the lifted one."""

    report: FileReport
    original: ctypes.CDLL
    folder: Path
    source: Path

    @property
    def library(self) -> Path:
        """The drop-in; it is not there where no function is verified."""
        return self.folder / f"lib{self.source.stem}_lifted.so"

    @property
    def lifted(self) -> ctypes.CDLL:
        return ctypes.CDLL(str(self.library))

    def function(self, name: str) -> FunctionReport:
        return next(f for f in self.report.functions if f.name == name)


def label(name: str) -> str:
    """The id of a test about a function of the corpus: its file comes first."""
    return f"{_FILE[name]}:{name}"


def file_of(name: str) -> str:
    """The file of a function of the corpus, or the empty string."""
    return _FILE.get(name, "")


def lifted(file: str, names: Sequence[str], run: bool) -> LiftedFile:
    """Some functions of a file of the corpus, with a second opinion if they are `run`.  Another process that lifts the
    same is waited for."""
    source = ROOT / file
    checks = [os.environ.get(v) for v in ("HL_CHECK_IR", "LIFT_CHECK_PATHS")]
    asked = hashlib.sha256(repr((file, sorted(names), run, checks)).encode() + _text(source)).hexdigest()[:16]
    folder = _version() / f"{source.stem}-{asked}"
    with open(folder.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        report = _kept(folder) or _made(source, sorted(names), run, folder)
    return LiftedFile(report, ctypes.CDLL(str(folder / "original.so")), folder, source)


def _kept(folder: Path) -> FileReport | None:
    try:
        found: FileReport = pickle.loads((folder / _REPORT).read_bytes())
    except FileNotFoundError:  # nobody has lifted it to the end
        return None
    return found


def _made(source: Path, names: Sequence[str], run: bool, folder: Path) -> FileReport:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    report = lift_file(str(source), functions=names, out=str(folder), emit=KINDS, run=run)
    compile_original(source, (), folder / "original.so")
    unfinished = folder / "unfinished"
    unfinished.write_bytes(pickle.dumps(report))
    unfinished.replace(folder / _REPORT)
    return report


def _text(source: Path) -> bytes:
    """The text of a file and of what lies beside it, which it may include."""
    return b"".join(p.read_bytes() for p in (source, *sorted(source.parent.glob("*.h"))))


@functools.cache
def _version() -> Path:
    """The folder for lifts by the project as it is now; those of old versions are deleted."""
    about = repr((tool(), identity(system_compiler()), str(get_host_target())))
    own = FOLDER / hashlib.sha256(about.encode()).hexdigest()[:16]
    own.mkdir(parents=True, exist_ok=True)
    os.utime(own)
    versions = sorted((p for p in FOLDER.iterdir() if p.is_dir()), key=lambda p: p.stat().st_mtime)
    for old in versions[:-_MOST]:
        shutil.rmtree(old, ignore_errors=True)
    return own
