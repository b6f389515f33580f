"""The command by which a program compiles a source file."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from lifter.toolchain import compiler as compilers
from lifter.toolchain import flags as known
from lifter.toolchain.compiler import FloatRules

OWN_FLAGS = ("-O2", "-ffp-contract=off")
"""Of a file that no build is known of."""
if TYPE_CHECKING:
    from lifter.toolchain.facts import Facts

SUFFIXES = (".c", ".C", ".cc", ".cp", ".cpp", ".CPP", ".cxx", ".CXX", ".c++")
"""Of files in C (the first) and in C++."""
_LAUNCHERS = {"ccache", "sccache", "distcc", "icecc", "gomacc", "buildcache"}


@dataclass(frozen=True, slots=True)
class Command:
    """How a file is compiled: `compiler` runs in `folder` with `flags` on `source`, as the command spells it."""

    source: str
    language: str
    """"c" or "c++"."""
    compiler: str
    """"" where there is none."""
    flags: tuple[str, ...]
    """Without what is written where."""
    folder: str = ""
    target: str = compilers.HOST
    missing: str = ""
    """The compiler that the project names and that is not here."""
    facts: Facts | None = field(default=None, repr=False, compare=False)
    """What the compiler says of the file, where it was asked before; it need not be here then."""

    @property
    def is_c(self) -> bool:
        return self.language == "c"

    @property
    def path(self) -> str:
        """The file's path from here."""
        return os.path.join(self.folder, self.source) if self.folder else self.source

    def and_flags(self, more: Sequence[str]) -> Command:
        """The command with further flags, as they stand after `--`."""
        return replace(self, facts=None, flags=(*self.flags, *known.kept(tuple(known.expanded(more, "")))))

    def words(self) -> str:
        """For people: the file, its compiler, folder and flags."""
        what = self.compiler or f"{self.missing or 'no compiler'} (not here)"
        where = f" in {self.folder}" if self.folder else ""
        return f"{self.path}: {what}{where} {shlex.join(self.flags)}"

    def macros(self) -> dict[str, str]:
        """What the compiler predefines under these flags; empty without a compiler."""
        if self.facts is not None:
            return self.facts.macros
        if not self.compiler:
            return {}
        return compilers.macros(self.compiler, self.flags, self.language, self.folder) or {}

    def float_rules(self) -> FloatRules:
        """How the compiler may compute floats."""
        if self.facts is not None:
            return self.facts.float_rules
        if not self.compiler:
            return compilers.float_rules_by_name(self.flags)
        return compilers.float_rules(self.compiler, self.flags, self.language, self.folder)


def command_for(path: str, given: Sequence[str] | Command = (), *, force_cxx: bool = False) -> Command:
    """The command for a file: `given`, or made from flags as they stand after `--`."""
    if isinstance(given, Command):
        if os.path.realpath(given.path) == os.path.realpath(path):
            return given
        # Another file of the same program, such as a model.
        language = "c++" if force_cxx or _is_cxx(path, "") else "c"
        found = given.compiler if language == given.language else compilers.default(language == "c")
        return replace(given, source=os.path.abspath(path), language=language, compiler=found, facts=None)
    flags = known.kept(tuple(known.expanded(given, "")), (path,))
    language = known.language(flags) or ("c++" if force_cxx or _is_cxx(path, "") else "c")
    flags = _without_language(flags)
    target = target_of(flags)
    found = _usable(compilers.default(language == "c", target), language)
    flags = known.without_target(flags)  # which the compiler found is for anyway
    return Command(path, language, found, (*OWN_FLAGS, *flags), target=target)


def of_database(entry_arguments: Sequence[str], folder: str, file: str) -> Command:
    """The command that an entry of a compilation database states."""
    arguments = list(known.expanded(entry_arguments, folder))
    while arguments and os.path.basename(arguments[0]) in _LAUNCHERS:
        arguments = arguments[1:]
    driver, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    flags = known.kept(rest, (file, os.path.join(folder, file), str(Path(folder, file).resolve())))
    language = known.language(flags) or ("c++" if _is_cxx(file, driver) else "c")
    flags = _without_language(flags)
    here = os.path.join(folder, driver) if os.sep in driver else driver
    if driver and shutil.which(here) is not None:
        return Command(file, language, here, flags, folder, target_of(flags))
    return Command(file, language, "", flags, folder, target_of(flags), driver or "no compiler")


def target_of(flags: Sequence[str]) -> str:
    """The triple that flags name, without a vendor; the host's where they name none."""
    found = compilers.HOST
    for flag in known.for_clang(flags):
        if flag.startswith("--target="):
            found = flag.partition("=")[2]
    parts = found.split("-")
    return "-".join([parts[0], *parts[-2:]]) if len(parts) > 3 else found


def _is_cxx(file: str, driver: str) -> bool:
    return Path(file).suffix not in (".c", ".i") or (driver != "" and compilers.is_for_cxx(driver))


def _without_language(flags: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        f for group in known.grouped(flags) if not group[0].startswith(("-x", "--language")) for f in group
    )


def _usable(compiler: str, language: str) -> str:
    return compiler if compiler and compilers.macros(compiler, (), language) is not None else ""
