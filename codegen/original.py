"""The original translation unit, compiled: the one place that knows which compiler and which flags."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from codegen.errors import EmitError

FLAGS = ("-O2", "-ffp-contract=off", "-fPIC")


def compile_original(
    source: str | Path, clang_args: Sequence[str], output: Path, flags: Sequence[str] = (), compiler: str = ""
) -> Path:
    """Compiles `source` to `output`: an object file if it ends with `.o`, its preprocessed text if with `.i`, else a
    shared library.

    `flags` come after those of every original.  Raises EmitError with the compiler's first error."""
    kind = {".o": "-c", ".i": "-E"}.get(output.suffix, "-shared")
    own = [*FLAGS, *language(source), *flags, *compiler_args(clang_args)]
    run_tool([compiler or system_compiler(), *own, kind, str(source), "-o", str(output)])
    return output


def is_c(source: str | Path) -> bool:
    """Whether a file is C and not C++."""
    return Path(source).suffix == ".c"


def language(source: str | Path) -> list[str]:
    """Flags by which a C++ compiler takes C for C, as the front end does."""
    return ["-x", "c"] if is_c(source) else []


def system_compiler() -> str:
    """The C++ compiler of the system."""
    for name in ("c++", "g++", "clang++"):
        found = shutil.which(name)
        if found is not None:
            return found
    raise EmitError("no C++ compiler was found; --emit shared compiles the original code as the fallback")


def compiler_args(clang_args: Sequence[str]) -> list[str]:
    """The flags for clang that any compiler understands."""
    return [a for a in clang_args if not a.startswith(("-Xclang", "-ferror-limit", "--target", "-resource-dir"))]


def run_tool(command: Sequence[str]) -> None:
    """Runs a compiler or linker.  Raises EmitError with its first error."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or ["?"]
        raise EmitError(f"{Path(command[0]).name} failed: {errors[0]}")
