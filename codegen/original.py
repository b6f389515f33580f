"""The original translation unit, compiled as its program compiles it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from codegen.errors import EmitError
from lifter.toolchain.command import Command, command_for

_FLAGS_OF_HEADERS = {
    "pmm": "sse3", "tmm": "ssse3", "smm": "sse4.1", "nmm": "sse4.2", "wmm": "aes", "avx": "avx", "avx2": "avx2",
    "fma": "fma", "f16c": "f16c", "bmi": "bmi", "bmi2": "bmi2", "popcnt": "popcnt", "lzcnt": "lzcnt", "gfni": "gfni",
    "sha": "sha",
}
"""Of GCC's headers of intrinsics, without `intrin.h`; those of AVX-512 say it themselves."""
_NO_COMPILER = "no C++ compiler was found"


def compile_original(
    source: str | Path, given: Sequence[str] | Command, output: Path, flags: Sequence[str] = (), compiler: str = ""
) -> Path:
    """Compiles `source` to `output`: an object file if it ends with `.o`, its preprocessed text if with `.i`, assembly
    if with `.s`, else a shared library.

    `flags` come after those of the program, `compiler` takes the place of its own.  Raises EmitError with the first
    error."""
    command = command_for(str(source), given)
    if not (compiler or command.compiler):
        named = f"the project's compiler '{command.missing}' was not found" if command.missing else _NO_COMPILER
        raise EmitError(f"{named}; --emit shared compiles the original code as the fallback")
    kind = {".o": "-c", ".i": "-E", ".s": "-S"}.get(output.suffix, "-shared")
    # Renamed symbols are unknown to what optimises while it links; what a library hides, a drop-in and its checks show.
    own = ["-fPIC", "-fno-lto", "-fvisibility=default", "-w", *flags, "-x", command.language, kind]
    to = ["-o", os.path.abspath(output)]
    run_tool([compiler or command.compiler, *command.flags, *own, command.source, *to], command.folder)
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
    raise EmitError(f"{_NO_COMPILER}; --emit shared compiles the original code as the fallback")


def run_tool(command: Sequence[str], folder: str = "") -> None:
    """Runs a compiler or linker.  Raises EmitError with its first error."""
    environment = os.environ | {"LC_ALL": "C"}  # what it says is read
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False, cwd=folder or None, env=environment
    )
    if done.returncode != 0:
        needed = _needed_flag(done.stderr)
        if needed is not None:
            name, flag = needed
            again = f"repeat the command with `-- {flag}` at its end"
            raise EmitError(f"the intrinsic '{name}' needs the flag {flag}; {again}")
        errors = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines() or ["?"]
        raise EmitError(f"{Path(command[0]).name} failed: {errors[0]}")


def _needed_flag(said: str) -> tuple[str, str] | None:
    """The intrinsic and the flag that a compiler misses, where that is what is wrong."""
    by_clang = re.search(r"always_inline function '(\w+)' requires target feature '([\w.-]+)'", said)
    if by_clang is not None:
        return by_clang[1], f"-m{by_clang[2]}"
    failed = r": error: inlining failed in call to '?always_inline'? '[^'(]*?(\w+)\("
    by_gcc = re.search(rf"/(\w+)intrin\.h:\d+:\d+{failed}", said)
    if by_gcc is None:
        return None
    header = by_gcc[1]
    flag = _FLAGS_OF_HEADERS.get(header, header if header.startswith("avx512") else "")
    return (by_gcc[2], f"-m{flag}") if flag else None
