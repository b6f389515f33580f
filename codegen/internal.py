"""Functions that only their file sees (`static`, in unnamed namespaces), replaced for their callers in it.

The compiler is told to keep them as they are, neither inlined nor specialised, by an attribute in a copy of the file.
In the assembly text they get other names, while calls of them keep theirs, and so come to the lifted functions."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from codegen.errors import EmitError
from codegen.original import compile_original, run_tool
from lifter.ir.loop_ir import Function
from lifter.toolchain.command import Command

FALLBACK_SUFFIX = ".original"
"""What the symbols of the original's versions end with."""
OUT_OF_REACH = "only its file sees it, where nothing can name it"
"""Why a function is not replaced."""
_APART = "LIFT_APART"
_DEFINED = f"""#ifdef __clang__
#define {_APART} __attribute__((__noinline__, __used__))
#else
#define {_APART} __attribute__((__noipa__, __used__))
#endif
"""


def is_replaced(function: Function) -> bool:
    """Whether a function is one that only its file sees, and that can be replaced in it."""
    return function.internal and bool(function.qualified) and function.column > 0


def is_out_of_reach(function: Function) -> bool:
    """Whether a function is one that only its file sees, and that cannot be replaced there."""
    return function.internal and not is_replaced(function)


def kept_apart(source: str, functions: Sequence[Function], copy: Path) -> None:
    """Writes a copy of a file in which such functions have the attribute.  Raises EmitError where one is not found."""
    path = Path(source).resolve()
    lines = path.read_bytes().split(b"\n")
    for f in sorted(functions, key=lambda f: (f.line, f.column), reverse=True):
        if f.line > len(lines) or f.column > len(lines[f.line - 1]) + 1 or Path(f.file).resolve() != path:
            raise EmitError(f"the definition of '{f.name}' is not where it was read")
        line = lines[f.line - 1]
        if line[f.column - 2 : f.column - 1].strip() not in (b"", b";", b"}", b"{", b":") and f.column > 1:
            raise EmitError(f"the definition of '{f.name}' begins within a macro")
        lines[f.line - 1] = line[: f.column - 1] + _APART.encode() + b" " + line[f.column - 1 :]
    head = _DEFINED.encode() + f'#line 1 "{path}"\n'.encode()
    copy.write_bytes(head + b"\n".join(lines))


def flags_of_copy(source: str) -> list[str]:
    """Flags by which a copy elsewhere finds what its original includes beside it."""
    return ["-iquote", str(Path(source).resolve().parent)]


def compile_renamed(
    unit: str, command: Command, flags: Sequence[str], output: Path, names: dict[str, str]
) -> None:
    """Compiles a unit to an object file in which definitions have other names, and what refers to them does not.

    Raises EmitError."""
    assembly = output.with_suffix(".s")
    compile_original(unit, command, assembly, flags)
    text = assembly.read_text(errors="surrogateescape")
    for old, new in names.items():
        text = _renamed(text, old, new)
    assembly.write_text(text, errors="surrogateescape")
    made = ["-x", "assembler", "-c", os.path.abspath(assembly), "-o", os.path.abspath(output)]
    run_tool([command.compiler, *command.flags, *made], command.folder)


def _renamed(text: str, old: str, new: str) -> str:
    name = re.escape(old)
    text, count = re.subn(rf"^{name}:", f"{new}:", text, flags=re.MULTILINE)
    if count != 1:
        raise EmitError(f"'{old}' has {count} definitions in the original's assembly text")
    text = re.sub(rf"^(\s*\.type\s+){name}(\s*,)", rf"\g<1>{new}\g<2>", text, flags=re.MULTILINE)
    text = re.sub(rf"^(\s*\.size\s+){name}(\s*,\s*\.-){name}\s*$", rf"\g<1>{new}\g<2>{new}", text, flags=re.MULTILINE)
    return f"{text}\n\t.globl\t{new}\n\t.hidden\t{new}\n"


def version_script(functions: Sequence[Function], path: Path) -> list[str]:
    """Linker flags that keep the replacements to the library."""
    path.write_text("{ local: " + "".join(f'"{f.symbol}"; ' for f in functions) + "};\n")
    return [f"-Wl,--version-script={path}"]
