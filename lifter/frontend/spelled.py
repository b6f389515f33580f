"""What the text of a program's own files says that its tree does not: questions to the compiler, and leave to compute
floats in other ways."""

from __future__ import annotations

import functools
import os
import re
import subprocess
from collections.abc import Iterator

from clang import cindex

_ASKED = re.compile(r"\b(__has_(?:builtin|attribute|cpp_attribute|declspec_attribute))\s*\(\s*([\w:]+)\s*\)")
_LOOSE = re.compile(
    r"(?:pragma\s+GCC\s+optimize|\boptimize(?:__)?\s*\()[^\n]*(?:fast|unsafe|associative|reciprocal|signed|finite|contract)"
    r"|pragma\s+(?:STDC\s+FP_CONTRACT\s+ON|clang\s+fp)",
    re.IGNORECASE,
)


def _own_files(unit: cindex.TranslationUnit) -> Iterator[str]:
    """The file, and the headers that it includes which are not the system's."""
    from lifter.frontend.clang import in_own_header, in_system_header

    yield unit.spelling
    seen = {unit.spelling}
    for included in unit.get_includes():
        name = included.include.name
        start = cindex.SourceLocation.from_offset(unit, included.include, 0)
        if name not in seen and not in_system_header(start) and not in_own_header(start):
            seen.add(name)
            yield name


def _text(name: str) -> str:
    if not os.path.isfile(name):
        return ""
    with open(name, encoding="utf-8", errors="replace") as f:
        return f.read()


def is_loose(unit: cindex.TranslationUnit) -> bool:
    """Whether some functions may be compiled with other rules for floats."""
    return any(_LOOSE.search(_text(name)) for name in _own_files(unit))


def answered_otherwise(unit: cindex.TranslationUnit) -> tuple[str, int, str] | None:
    """(File, line, question) that GCC answers in another way than libclang, for it knows other things."""
    for name in _own_files(unit):
        text = _text(name)
        for found in _ASKED.finditer(text):
            question = f"{found[1]}({found[2]})"
            gcc = _gcc_says(question)
            if gcc is not None and gcc != _clang_says(question):
                return name, text.count("\n", 0, found.start()) + 1, question
    return None


_PROBE = "#if defined({0}) && {1}\nint yes;\n#endif\n"


def _probe(question: str) -> str:
    return _PROBE.format(question.partition("(")[0], question)


@functools.lru_cache
def _gcc_says(question: str) -> bool | None:
    command = ["g++", "-E", "-x", "c++", "-"]
    try:
        run = subprocess.run(
            command, input=_probe(question), capture_output=True, text=True, timeout=20, check=False
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return "int yes" in run.stdout if run.returncode == 0 else None


@functools.lru_cache
def _clang_says(question: str) -> bool:
    probe = "probe.cpp"
    unit = cindex.Index.create().parse(probe, ["-w"], unsaved_files=[(probe, _probe(question))])
    return any(c.spelling == "yes" for c in unit.cursor.get_children())
