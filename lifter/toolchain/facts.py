"""All that reading a file asks of its compiler, gathered: with it the file can be read where neither is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from lifter.toolchain import changed_macros
from lifter.toolchain.command import Command
from lifter.toolchain.compiler import FloatRules
from lifter.toolchain.preprocess import SourceText, preprocessed


@dataclass(frozen=True, slots=True)
class Facts:
    """What a compiler says of one file under its command's flags."""

    source: bytes
    """The file itself."""
    text: SourceText
    """Preprocessed."""
    macros: dict[str, str]
    float_rules: FloatRules
    changed: tuple[tuple[int, str], ...]
    """Macros that pragmas change, and the offsets of these (`changed_macros.asked`)."""
    here: bool = True
    """Whether the compiler and the file are on this machine."""


def with_facts(command: Command) -> Command:
    """The command with what its compiler says; it must have one.  Raises CannotPreprocess and OSError."""
    text = preprocessed(command)
    changed = tuple(changed_macros.asked(command, text))
    source = Path(command.path).read_bytes()
    return replace(command, facts=Facts(source, text, command.macros(), command.float_rules(), changed))


def elsewhere(command: Command) -> Command:
    """A command with facts, as another machine takes it."""
    assert command.facts is not None
    return replace(command, facts=replace(command.facts, here=False))
