"""The error that people see."""

from __future__ import annotations


class HalideError(RuntimeError):
    """A misuse of the language or a failed check; the message names the Func, loop or buffer at fault."""
