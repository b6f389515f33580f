"""The commands of `lift`: which there are, what each is loaded from, and which one is meant."""

from __future__ import annotations

import difflib
import importlib
import os
import sys
from collections.abc import Sequence

import click
from click.shell_completion import shell_complete

COMMANDS = {
    "batch": "lifter.commands.batch:batch_command",
    "bench": "lifter.commands.bench:bench_command",
    "compose": "lifter.compose:compose_command",
    "explain": "lifter.commands.explain:explain_command",
    "replay": "lifter.commands.replay:replay_command",
}
"""Each is loaded when it is called."""
_SUFFIXES = (".", os.sep)


def load(name: str) -> click.Command:
    """A command by its name, `lift` itself by ""."""
    module, _, attribute = COMMANDS.get(name, "lifter.cli:lift_command").partition(":")
    command: click.Command = getattr(importlib.import_module(module), attribute)
    return command


def flags_apart(args: Sequence[str]) -> tuple[list[str], list[str]]:
    """Arguments of a command, and the flags for clang after `--`."""
    place = list(args).index("--") if "--" in args else len(args)
    return list(args[:place]), list(args[place + 1 :])


def meant(argument: str) -> str | None:
    """The command that somebody has mistyped; None for what may be a file."""
    if os.path.exists(argument) or any(s in argument for s in _SUFFIXES) or argument.startswith("-"):
        return None
    close = difflib.get_close_matches(argument, COMMANDS, 1, 0.7)
    return close[0] if close else None


class _All(click.Group):
    """`lift` with its commands, for what completes command lines."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        return load(name) if name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] in COMMANDS:
            return args[0], load(args[0]), args[1:]
        return "", load(""), args


def complete(arguments: Sequence[str]) -> None:
    """Answers a shell that asks how a command line goes on, and ends; returns where none asks."""
    instruction = os.environ.get("_LIFT_COMPLETE")
    if instruction:
        group = _All("lift", params=[p for p in load("").params if isinstance(p, click.Option)])
        sys.exit(shell_complete(group, {}, "lift", "_LIFT_COMPLETE", instruction))
