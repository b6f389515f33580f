"""Where text for people goes."""

from __future__ import annotations

import os

from rich.console import Console


def open_console(stderr: bool = True) -> Console:
    """A console that wraps nothing and, where NO_COLOR is set, writes text alone."""
    plain = bool(os.environ.get("NO_COLOR"))
    return Console(stderr=stderr, highlight=False, soft_wrap=True, force_terminal=False if plain else None)
