"""Writing what was asked for: one function per call site of a code generator, and where each file went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from codegen.errors import EmitError
from codegen.halide_cpp import generator_source
from codegen.halide_python import dsl_module
from codegen.schedule_text import scheduled_text
from codegen.summary_json import summary_json
from lifter.support.files import write_whole
from lifter.toolchain.command import Command
from synth.lift import Lifted

EMIT_KINDS = ("dsl", "halide-cpp", "summary", "object", "header", "shared")


def emit_file(
    source: str,
    lifted: Sequence[Lifted],
    names: Sequence[str],
    directory: Path,
    kinds: Sequence[str],
    target: str,
    clang_args: Sequence[str] | Command,
    outputs: Sequence[dict[str, str]],
    notes: Sequence[list[str]],
    autoscheduler: str = "",
) -> None:
    """Writes every kind for every function into `directory`, in files of its name; fills `outputs` and `notes`, one of
    each a function."""
    try:
        for item, name, out, said in zip(lifted, names, outputs, notes, strict=True):
            _emit_texts(item, name, source, directory, kinds, target, out, said, autoscheduler)
        if {"object", "header", "shared"} & set(kinds) and lifted:
            from codegen.native import emit_native  # the compiler is loaded only where it is needed

            emit_native(
                source, lifted, names, directory, kinds, target, clang_args, outputs, notes, autoscheduler
            )
    except OSError as problem:
        raise EmitError(f"cannot write {problem.filename or directory}: {problem.strerror}") from None


def _emit_texts(
    item: Lifted, name: str, source: str, directory: Path, kinds: Sequence[str], target: str, out: dict[str, str],
    notes: list[str], autoscheduler: str,
) -> None:
    summary, unverified = item.summary, item.status != "verified"
    assert summary is not None
    device = None
    if "cuda" in target.split("-") and {"dsl", "halide-cpp"} & set(kinds):
        device = scheduled_text(summary, source, target, autoscheduler)
        notes += device.notes()
    texts: dict[str, tuple[str, Callable[[], str]]] = {
        "dsl": (f"{name}.py", lambda: dsl_module(summary, source, unverified, device)),
        "halide-cpp": (f"{name}_generator.cpp", lambda: generator_source(summary, source, unverified, device)),
        "summary": (f"{name}.summary.json", lambda: summary_json(summary, item.verdicts, item.status)),
    }
    written = {kind: (directory / texts[kind][0], texts[kind][1]()) for kind in kinds if kind in texts}
    for kind, (path, content) in written.items():  # once all of them are made: one that cannot be stops the others
        write_whole(path, content)
        out[kind] = str(path)

