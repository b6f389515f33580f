"""Writing what was asked for: one function per call site of a code generator, and where each file went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from codegen.dsl import dsl_module
from codegen.errors import EmitError
from codegen.generator import generator_source
from codegen.summary_json import summary_json
from lifter.toolchain.command import Command
from synth.lift import Lifted

EMIT_KINDS = ("dsl", "halide-cpp", "summary", "object", "header", "shared")


def emit_file(
    source: str,
    lifted: Sequence[Lifted],
    directory: Path,
    kinds: Sequence[str],
    target: str,
    clang_args: Sequence[str] | Command,
    outputs: Sequence[dict[str, str]],
    autoscheduler: str = "",
) -> None:
    """Writes every kind for every function into `directory`; fills `outputs` (one dictionary a function)."""
    try:
        names = _unique_names(lifted)
        for item, name, out in zip(lifted, names, outputs, strict=True):
            _emit_texts(item, name, source, directory, kinds, out)
        if {"object", "header", "shared"} & set(kinds) and lifted:
            from codegen.native import emit_native  # the compiler is loaded only where it is needed

            emit_native(source, lifted, names, directory, kinds, target, clang_args, outputs, autoscheduler)
    except OSError as problem:
        raise EmitError(f"cannot write {problem.filename or directory}: {problem.strerror}") from None


def _emit_texts(
    item: Lifted, name: str, source: str, directory: Path, kinds: Sequence[str], out: dict[str, str]
) -> None:
    summary, unverified = item.summary, item.status != "verified"
    assert summary is not None
    texts: dict[str, tuple[str, Callable[[], str]]] = {
        "dsl": (f"{name}.py", lambda: dsl_module(summary, source, unverified)),
        "halide-cpp": (f"{name}_generator.cpp", lambda: generator_source(summary, source, unverified)),
        "summary": (f"{name}.summary.json", lambda: summary_json(summary, item.verdicts, item.status)),
    }
    written = {kind: (directory / texts[kind][0], texts[kind][1]()) for kind in kinds if kind in texts}
    for kind, (path, content) in written.items():  # once all of them are made: one that cannot be stops the others
        path.write_text(content)
        out[kind] = str(path)


def _unique_names(lifted: Sequence[Lifted]) -> list[str]:
    """File names: the function's own, numbered where overloads share one."""
    counts: dict[str, int] = {}
    names = []
    for item in lifted:
        n = counts[item.function.name] = counts.get(item.function.name, 0) + 1
        names.append(item.function.name if n == 1 else f"{item.function.name}_{n}")
    return names
