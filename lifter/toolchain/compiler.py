"""Questions to a compiler: whether it is there, what it predefines, how it computes floats."""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

_SECONDS = 60.0
HOST = "x86_64-linux-gnu"
_LOOSE = (
    "-ffast-math", "-funsafe-math-optimizations", "-fassociative-math", "-freciprocal-math", "-ffinite-math-only",
    "-fsingle-precision-constant", "-fno-honor-nans", "-fno-honor-infinities", "-fapprox-func", "-fno-signed-zeros",
)
_OF_C = ((202000, "23"), (201710, "17"), (201112, "11"), (199901, "99"), (0, "89"))
_OF_CXX = ((202400, "26"), (202100, "23"), (202002, "20"), (201703, "17"), (201402, "14"), (201103, "11"), (0, "98"))
_FUSED = ("__FMA__", "__FMA4__", "__AVX512F__", "__ARM_FEATURE_FMA", "__FP_FAST_FMAF")


@dataclass(frozen=True, slots=True)
class FloatRules:
    """How a compiler may compute floating point under some flags."""

    loose: str = ""
    """The flag that lets it compute something else than the operations in their order; "" for none."""
    contracts: bool = False
    """Whether it may make one rounding of a product and a sum (`-ffp-contract=fast`, GCC's default)."""
    fuses: bool = False
    """Whether the processor that it compiles for has such an instruction."""


def run(command: Sequence[str], folder: str = "", text: str = "") -> subprocess.CompletedProcess[bytes]:
    """Runs a compiler.  Raises OSError where it is not there, and subprocess.TimeoutExpired."""
    environment = os.environ | {"LC_ALL": "C"}
    return subprocess.run(
        command, cwd=folder or None, input=text.encode(), capture_output=True, timeout=_SECONDS, check=False,
        env=environment,
    )


def default(is_c: bool, target: str = HOST) -> str:
    """The system's compiler for a language and a target; "" for none."""
    names = ["cc", "gcc", "clang"] if is_c else ["c++", "g++", "clang++"]
    if target != HOST:
        names = [f"{target}-gcc" if is_c else f"{target}-g++"]
    return next((n for n in names if shutil.which(n) is not None), "")


def identity(compiler: str, folder: str = "") -> tuple[object, ...]:
    """Which program a compiler's name stands for, and when it was put there; () where it is not known."""
    path = shutil.which(os.path.join(folder, compiler) if os.sep in compiler else compiler)
    if path is None:
        return ()
    found = os.stat(path)
    return os.path.realpath(path), found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def is_for_cxx(compiler: str) -> bool:
    """Whether a driver takes every file for C++, as `g++` does."""
    return re.search(r"(^|-)(c|g|clang)\+\+(-[\d.]+)?$", os.path.basename(compiler)) is not None


def macros(compiler: str, flags: tuple[str, ...], language: str, folder: str = "") -> dict[str, str] | None:
    """What a compiler predefines under some flags; None where it cannot be run."""
    return _asked(compiler, flags, language, folder)[0]


def search_folders(
    compiler: str, flags: tuple[str, ...], language: str, folder: str = ""
) -> tuple[str, ...] | None:
    """Where a compiler looks for headers under some flags, in its order and words, after the folder of the file that
    includes them; None where it does not say."""
    return _asked(compiler, flags, language, folder)[1]


@functools.lru_cache
def _asked(
    compiler: str, flags: tuple[str, ...], language: str, folder: str
) -> tuple[dict[str, str] | None, tuple[str, ...] | None]:
    try:
        done = run([compiler, *flags, "-w", "-v", "-dM", "-E", "-x", language, os.devnull], folder)
    except (OSError, subprocess.SubprocessError):
        return None, None
    if done.returncode != 0:
        return None, None
    found = {}
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        _, _, definition = line.partition("#define ")
        name, _, value = definition.partition(" ")
        found[name] = value
    return found, _searched(os.fsdecode(done.stderr))


def _searched(said: str) -> tuple[str, ...] | None:
    _, begun, rest = said.partition("\n#include \"...\" search starts here:\n")
    listed, ended, _ = rest.partition("\nEnd of search list.")
    folders = [line[1:] for line in listed.split("\n") if line.startswith(" ")]
    return tuple(folders) if begun and ended and not any(f.endswith("(framework directory)") for f in folders) else None


def is_clang(known: dict[str, str]) -> bool:
    """Whether the compiler that predefines these macros is clang."""
    return "__clang__" in known


def version(known: dict[str, str]) -> str:
    """The compiler's name and version for people."""
    if is_clang(known):
        return "Clang " + ".".join(known.get(f"__clang_{k}__", "?") for k in ("major", "minor", "patchlevel"))
    numbers = (known.get(f"__GNUC{k}__", "?") for k in ("", "_MINOR", "_PATCHLEVEL"))
    return "GCC " + ".".join(numbers)


def standard(known: dict[str, str], is_c: bool) -> str:
    """The language's standard as a flag, with GNU's extensions where the compiler has them on."""
    number = int(re.sub(r"\D", "", known.get("__STDC_VERSION__" if is_c else "__cplusplus", "")) or 0)
    name = next(n for least, n in (_OF_C if is_c else _OF_CXX) if number >= least)
    prefix = "c" if "__STRICT_ANSI__" in known else "gnu"
    return f"-std={prefix}{'' if is_c else '++'}{name}"


def float_rules(compiler: str, flags: tuple[str, ...], language: str, folder: str = "") -> FloatRules:
    """How floats are computed under some flags, by the compiler's own account of them where it gives one."""
    known = macros(compiler, flags, language, folder) or {}
    fuses = any(name in known for name in _FUSED)
    if known.get("__FLT_EVAL_METHOD__", "0") not in ("0", "16"):  # 16: half floats too are of their own precision
        return FloatRules("floats of more precision than their types have", True, fuses)
    if is_clang(known):
        return FloatRules(_named(flags), "-ffp-contract=off" not in flags, fuses)
    states = _optimizers(compiler, flags, language, folder)
    loose = next((flag for flag in _LOOSE if _is_on(states, flag)), "")
    return FloatRules(loose, states.get("-ffp-contract=", "fast") != "off", fuses)


def float_rules_by_name(flags: tuple[str, ...]) -> FloatRules:
    """How floats may be computed as far as the flags' names say, where no compiler can be asked."""
    fuses = any(f.startswith(("-march=", "-mfma", "-mavx512")) for f in flags)
    return FloatRules(_named(flags), "-ffp-contract=off" not in flags, fuses)


def _named(flags: tuple[str, ...]) -> str:
    return next((f for f in flags if f in (*_LOOSE, "-Ofast") or f.startswith("-ffp-model=fast")), "")


def _is_on(states: dict[str, str], flag: str) -> bool:
    if flag.startswith("-fno-"):
        return states.get(f"-f{flag.removeprefix('-fno-')}") == "[disabled]"
    return states.get(flag) == "[enabled]"


@functools.lru_cache
def _optimizers(compiler: str, flags: tuple[str, ...], language: str, folder: str) -> dict[str, str]:
    """GCC's own list of which optimisations are on.  Raises RuntimeError where it gives none."""
    done = run([compiler, *flags, "-w", "-Q", "--help=optimizers", "-x", language, os.devnull], folder)
    states = {}
    for line in done.stdout.decode("utf-8", "replace").splitlines():
        found = re.match(r"\s+(-f[\w-]+=?)\S*\s+(\S+)", line)
        if found is not None:
            states[found[1]] = found[2]
    if "-ffp-contract=" not in states:
        said = done.stderr.decode("utf-8", "replace")[:200]
        raise RuntimeError(f"{compiler} does not say how it computes floats: {said}")
    return states
