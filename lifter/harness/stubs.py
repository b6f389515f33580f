"""Stand-ins for what a library takes from the rest of its program, so that it can be loaded by itself.

An address in a table, or a variable that another function reads, is asked for as soon as the library is loaded.  A
function that was lifted may call one of them where the user gave a model of it: that ends the process, with MISSING."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from pathlib import Path

from codegen.original import run_tool

_MISSING = re.compile(r"undefined reference to [`']([^'@]+)")
_LEAST, _MOST, _IN_ALL = 1 << 12, 1 << 20, 1 << 22
"""Bytes of each: nothing tells how large a table is that stands elsewhere."""
MISSING = 127
"""The exit status of a process that calls what is not there, as the dynamic linker has it."""
_EXIT = {
    "x86_64": f"mov ${MISSING}, %edi; mov $231, %eax; syscall",
    "aarch64": f"mov w0, #{MISSING}; mov x8, #94; svc #0",
}


def stubs_of(library: Path) -> Path:
    """Where the stand-ins of a library are, if it needs any."""
    return library.with_suffix(".stubs.so")


def missing_in(library: Path, compiler: str) -> list[str]:
    """What a library takes from elsewhere that no library of the system defines."""
    linked = library.with_suffix(".linked")
    # Only a program, not a library, is checked for what its libraries miss.
    checked = ["-nostartfiles", "-Wl,-e,0,--no-as-needed,--no-demangle", "-o", str(linked)]
    command = [compiler, *checked, str(library), "-lm", "-lpthread"]
    said = subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"LC_ALL": "C"}
    ).stderr
    linked.unlink(missing_ok=True)
    return sorted(set(_MISSING.findall(said)))


def make_stubs(library: Path, compiler: str) -> None:
    """Makes a library of what is defined nowhere, each a variable and a function alike.  Raises EmitError."""
    names = missing_in(library, compiler)
    if not names:
        return
    text = library.with_suffix(".stubs.s")
    leave = _EXIT[platform.machine()]
    lines = ['.section .stubs,"awx",@progbits']
    size = max(_LEAST, min(_MOST, _IN_ALL // len(names)))
    lines += [f'.globl "{n}"\n"{n}": {leave}\n.zero {size}' for n in names]
    text.write_text("\n".join([*lines, '.section .note.GNU-stack,"",@progbits', ""]))
    run_tool([compiler, "-shared", "-nostdlib", "-o", str(stubs_of(library)), str(text)])
