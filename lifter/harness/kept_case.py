"""A call on which a lifted function and its original differ, as a folder that can be sent and replayed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from codegen.errors import EmitError
from codegen.original import compile_original
from lifter.harness.side_process import Kept
from lifter.ir.loop_ir import Function
from lifter.toolchain.command import Command

_README = """# {name} of {file} is lifted wrongly

The function was proved, and then run beside its original, compiled by the system's compiler. On the call of this
folder the two differ: {words}.

This replays it, and shows both results beside those kept here:

    lift replay {folder}

Please send this folder to those who make `lift`: the source is in it.

- `{file}` is the source file as it was, `preprocessed.txt` what the compiler makes of its text (where it can).
- `case.json` has the flags, the function, its scalars, and what both returned.
- `memory.npz` has the memory behind each pointer, in elements: `before` the call, after the `original`, after the
  `lifted` function (missing where it did not come back).
"""


@dataclass(frozen=True, slots=True)
class Case:
    """What `case.json` holds.  `folder`: where the source file was, for what it includes."""

    function: str
    line: int
    source: str
    folder: str
    clang_args: list[str]
    models: list[str]
    met: bool
    scalars: dict[str, int | float]
    pointers: list[str]
    types: list[str]
    offsets: list[int]
    """Of the address given, in bytes from the memory's first."""
    null: list[str]
    returned_by_original: Any
    returned_by_lifted: Any
    words: str


def keep(
    kept: Kept, function: Function, source: str, clang_args: Sequence[str] | Command, models: Sequence[str], out: Path
) -> Path:
    """Writes the folder `out`/disagreed/<function>; where it is."""
    folder = out / "disagreed" / function.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    path = Path(source)
    shutil.copy(path, folder / path.name)
    try:
        compile_original(source, clang_args, folder / "preprocessed.i")
        (folder / "preprocessed.i").rename(folder / "preprocessed.txt")
    except EmitError:  # the file itself is there
        (folder / "preprocessed.i").unlink(missing_ok=True)
    own, lifted = kept.returned
    flags = clang_args.flags if isinstance(clang_args, Command) else clang_args
    case = Case(
        function.name, function.line, path.name, str(path.resolve().parent), list(flags), list(models), kept.met,
        kept.scalars, kept.names, kept.types, kept.offsets, kept.null, own, lifted, kept.words,
    )
    (folder / "case.json").write_text(json.dumps(asdict(case), indent=2) + "\n")
    arrays = {}
    for when, memory in (("before", kept.before), ("original", kept.original), ("lifted", kept.lifted)):
        for name, type_, contents in zip(kept.names, kept.types, memory, strict=bool(memory)):
            arrays[f"{name}.{when}"] = _elements(contents, type_)
    np.savez_compressed(folder / "memory.npz", allow_pickle=False, **arrays)
    text = _README.format(name=function.name, file=path.name, words=kept.words, folder=folder)
    (folder / "README.md").write_text(text)
    return folder


def _elements(contents: bytes, type_: str) -> np.ndarray[Any, Any]:
    kind = np.dtype("bool" if type_ == "bool" else type_)
    return np.frombuffer(contents, kind if len(contents) % kind.itemsize == 0 else np.uint8)


def read(folder: Path) -> tuple[Case, dict[str, bytes]]:
    """A kept case and the memory before its call, by pointer.  Raises OSError, ValueError and KeyError."""
    case = Case(**json.loads((folder / "case.json").read_text()))
    with np.load(folder / "memory.npz") as arrays:
        return case, {n: arrays[f"{n}.before"].tobytes() for n in case.pointers}
