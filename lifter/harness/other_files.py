"""Other files of a program that a library is of, for what its functions call there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from codegen.errors import EmitError
from codegen.original import compile_original, run_tool
from lifter.harness.stubs import make_stubs, missing_in
from lifter.toolchain.command import SUFFIXES, Command, command_for

_ROUNDS = 3
"""What is found calls other files in turn: so often that is followed."""
_MOST = 12
"""Files in one library."""


def others_of(library: Path) -> Path:
    """Where the code of other files is, if a library has any."""
    return library.with_suffix(".others.so")


def make_others(library: Path, source: str, command: Command, folders: Sequence[str]) -> None:
    """Makes a library of the files in `folders` that define what a library takes from elsewhere; a file that does not
    compile as `source` does is none of them.  What they miss in turn has stand-ins.  Raises EmitError."""
    files = [file for folder in folders if os.path.isdir(folder) for file in _sources(Path(folder), source)]
    texts: dict[Path, str] = {}
    taken: dict[Path, Path] = {}
    wanted = missing_in(library, command.compiler) if files else []
    with tempfile.TemporaryDirectory() as name:
        for _ in range(_ROUNDS):
            for file in files:
                if len(taken) < _MOST and file not in taken and _defines(file, wanted, texts):
                    made = Path(name) / f"{len(taken)}.o"
                    try:
                        compile_original(file, command_for(str(file), command), made, ("-O1", "-w"))
                    except EmitError:
                        continue
                    if set(wanted) & _symbols(made):
                        taken[file] = made
            if not taken:
                return
            link = ["-shared", "-o", str(others_of(library)), *map(str, taken.values()), "-lm", "-lpthread"]
            run_tool([command.compiler, *link])
            missing = missing_in(others_of(library), command.compiler)
            if set(missing) <= set(wanted):
                break
            wanted = missing
    make_stubs(others_of(library), command.compiler)


def _sources(folder: Path, own: str) -> Iterator[Path]:
    for file in sorted(folder.rglob("*")):
        if file.suffix in SUFFIXES and file.is_file() and not os.path.samefile(file, own):
            yield file


def _defines(file: Path, names: Sequence[str], texts: dict[Path, str]) -> bool:
    """Whether the text of a file may have the definition of one of some functions or variables."""
    if file not in texts:
        texts[file] = file.read_text("latin-1")
    text = texts[file]
    return any(n in text and re.search(rf"\b{re.escape(n)}\s*(\([^;{{}}]*\)[^;{{}}()]*\{{|\[|=)", text) for n in names)


def _symbols(file: Path) -> set[str]:
    """What an object file defines for others."""
    tool = shutil.which("nm") or "nm"
    said = subprocess.run([tool, "-g", "--defined-only", str(file)], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in said.splitlines() if line.strip()}
