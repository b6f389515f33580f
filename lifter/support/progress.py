"""The line at the bottom of a terminal that says what is being done.

It has no thread of its own, which a fork would leave behind half-way; whoever waits refreshes it."""

from __future__ import annotations

import os
from types import TracebackType

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text


class StatusLine:
    """Shown on terminals that move their cursor, and where nobody has asked for plain output by NO_COLOR."""

    def __init__(self, console: Console) -> None:
        self._spinner = Spinner("dots")
        shown = console.is_terminal and not console.is_dumb_terminal and not os.environ.get("NO_COLOR")
        self._live = Live(
            self._spinner, console=console, auto_refresh=False, transient=True, redirect_stdout=False,
            redirect_stderr=False,
        ) if shown else None

    def __enter__(self) -> StatusLine:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: object, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, text: str) -> None:
        """Shows a text, and that time goes on."""
        if self._live is not None:
            self._spinner.update(text=Text(text, no_wrap=True, overflow="ellipsis"))
            self._live.refresh()
