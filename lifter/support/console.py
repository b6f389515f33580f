"""Where text for people goes."""

from __future__ import annotations

import os

from rich.console import Console

_WIDE = 1000


def open_console(stderr: bool = True) -> Console:
    """A console that wraps nothing and, where NO_COLOR is set, writes text alone."""
    plain = bool(os.environ.get("NO_COLOR"))
    console = Console(
        stderr=stderr, highlight=False, emoji=False, soft_wrap=True, force_terminal=False if plain else None
    )
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDE  # through a pipe nothing is cut: a line is as long as it is
    return console
