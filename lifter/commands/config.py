"""`lift.toml`: options that a project keeps, in a table [tool.lift] and one for each command below it.

    [tool.lift]
    emit = ["dsl", "shared"]
    timeout = 20
    flags = ["-Iinclude"]          # for the compiler, as after `--`

    [tool.lift.batch]
    exclude = ["third_party/"]

The file is looked for in the folder of what is lifted and in those above it; what the command line says comes first."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from lifter.support.errors import LiftError

NAME = "lift.toml"


class ConfigError(LiftError):
    """A configuration that cannot be used; the text says which file, what and why."""


@dataclass(frozen=True, slots=True)
class Config:
    """What a project says of one command."""

    options: dict[str, Any] = field(default_factory=dict)
    """By the names of the command's parameters."""
    flags: tuple[str, ...] = ()
    """For the compiler."""


def config_for(arguments: Sequence[str], command: click.Command, name: str, others: Sequence[str]) -> Config:
    """The configuration for a command (`name`, "" for `lift` itself) and what it is asked to lift; `others` are the
    names of all commands.  Raises ConfigError."""
    path = _found(_start(arguments))
    if path is None:
        return Config()
    try:
        whole = tomllib.loads(path.read_text())
    except (OSError, ValueError) as problem:
        raise ConfigError(f"cannot read {path}: {problem}") from None
    table = whole.get("tool", {}).get("lift") if isinstance(whole.get("tool", {}), dict) else None
    if not isinstance(table, dict):
        raise ConfigError(f"{path} has no table [tool.lift]")
    common = {k: v for k, v in table.items() if k not in others}
    own = table.get(name, {}) if name else {}
    if not isinstance(own, dict):
        raise ConfigError(f"{path}: '{name}' in [tool.lift] must be a table")
    known = _parameters(command)
    options: dict[str, Any] = {}
    flags: tuple[str, ...] = ()
    for key, value in [*common.items(), *((k, v) for k, v in own.items())]:
        if key == "flags":
            flags = _strings(path, key, value)
            continue
        parameter = known.get(key)
        if parameter is None:
            if key in common and _is_of_another(key):
                continue
            close = difflib.get_close_matches(key, [*known, "flags"], 1)
            raise ConfigError(f"{path}: unknown key '{key}'" + (f"; did you mean '{close[0]}'?" if close else ""))
        options[str(parameter.name)] = _value(path, key, value, parameter)
    return Config(options, flags)


def _start(arguments: Sequence[str]) -> Path:
    """The folder of the first argument that is there, else this one."""
    for a in arguments:
        if not a.startswith("-") and os.path.exists(a):
            path = Path(a).absolute()
            return path if path.is_dir() else path.parent
    return Path.cwd()


def _found(folder: Path) -> Path | None:
    return next((d / NAME for d in (folder, *folder.parents) if (d / NAME).is_file()), None)


def _parameters(command: click.Command) -> dict[str, click.Option]:
    """By the names that the file uses: those of the long options."""
    found = {}
    for p in command.params:
        if isinstance(p, click.Option):
            name = next((o for o in p.opts if o.startswith("--")), p.opts[0]).lstrip("-")
            found[name] = p
    return found


def _is_of_another(key: str) -> bool:
    """What [tool.lift] says for several commands need not be an option of each."""
    from lifter.commands import COMMANDS, load

    return any(key in _parameters(load(name)) for name in ("", *COMMANDS))


def _strings(path: Path, key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) for v in value):
        raise ConfigError(f"{path}: '{key}' must be a list of strings")
    return tuple(value)


def _value(path: Path, key: str, value: object, parameter: click.Option) -> Any:
    if parameter.multiple:
        return _strings(path, key, [value] if isinstance(value, str) else value)
    if parameter.is_flag:
        if not isinstance(value, bool):
            raise ConfigError(f"{path}: '{key}' must be true or false")
        return value
    if isinstance(value, list):  # kinds, which have commas between them on the command line
        return ",".join(_strings(path, key, value))
    if isinstance(value, bool | dict):
        raise ConfigError(f"{path}: '{key}' must be a string or a number")
    return value
