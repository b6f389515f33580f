"""The manual page lift(1), made from what `--help` says of each command.

    python -m lifter.manual > lift.1"""

from __future__ import annotations

import sys
from importlib import metadata

import click

from lifter.commands import COMMANDS, load


def manual() -> str:
    """In the language of man(7)."""
    lines = [f'.TH LIFT 1 "" "lift {metadata.version("lifter")}" "User Commands"', ".SH NAME"]
    lines += ["lift \\- image-processing functions in C and C++ as verified Halide", ".SH SYNOPSIS"]
    for name in ("", *COMMANDS):
        called = f"lift {name}".strip()
        context = click.Context(load(name), info_name=called)
        lines += [".br", f".B {_text(called)}", _text(" ".join(load(name).collect_usage_pieces(context)))]
    for name in ("", *COMMANDS):
        lines += _section(f"lift {name}".strip(), load(name))
    lines += [".SH FILES", ".TP", ".B lift.toml", "Options that a project keeps, in the table [tool.lift]."]
    lines += [".TP", ".B $LIFT_CACHE_DIR, ~/.cache/lift", "What lift batch keeps of earlier runs."]
    return "\n".join([*lines, ""])


def _section(called: str, command: click.Command) -> list[str]:
    context = click.Context(command, info_name=called)
    lines = [f".SH {_text(called).upper()}"]
    for paragraph in (command.help or "").split("\n\n"):
        lines += [".PP", _text(" ".join(paragraph.split()))]
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None:
            lines += [".TP", f".B {_text(record[0])}", _text(record[1])]
    if command.epilog:
        lines += [".PP", ".nf", *(_text(s) for s in command.epilog.replace("\b", "").strip().splitlines()), ".fi"]
    return lines


def _text(text: str) -> str:
    """Not as a request, hyphens as they are typed."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped


if __name__ == "__main__":
    sys.stdout.write(manual())
