"""Stand-ins for what a library takes from the rest of its program, so that it can be loaded by itself.

Nothing of them is ever used by a function that was lifted: what it calls is here, or it would be `unsupported`.  But an
address in a table, or a variable that another function reads, is asked for as soon as the library is loaded."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from codegen.original import run_tool

_MISSING = re.compile(r"undefined reference to [`']([^'@]+)")
_BYTES = 4096


def stubs_of(library: Path) -> Path:
    """Where the stand-ins of a library are, if it needs any."""
    return library.with_suffix(".stubs.so")


def make_stubs(library: Path, compiler: str) -> None:
    """Makes a library of zeros for what is defined nowhere; calling into it ends the process.  Raises EmitError."""
    linked = library.with_suffix(".linked")
    # Only a program, not a library, is checked for what its libraries miss.
    checked = ["-nostartfiles", "-Wl,-e,0,--no-as-needed,--no-demangle", "-o", str(linked)]
    command = [compiler, *checked, str(library), "-lm", "-lpthread"]
    said = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"}
    ).stderr
    linked.unlink(missing_ok=True)
    names = sorted(set(_MISSING.findall(said)))
    if not names:
        return
    text = library.with_suffix(".stubs.s")
    lines = [".data", *(f'.globl "{n}"\n"{n}": .zero {_BYTES}' for n in names)]
    text.write_text("\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""]))
    run_tool([compiler, "-shared", "-nostdlib", "-o", str(stubs_of(library)), str(text)])
