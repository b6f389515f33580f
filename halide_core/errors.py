"""The errors that people see."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

_HERE = str(Path(__file__).parent)


class HalideError(RuntimeError):
    """A misuse of the language or a failed check; the message names the Func, loop or buffer at fault.

    As a text of its own it begins with "Error: ", as Halide's; within another text it stands alone."""

    def __str__(self) -> str:
        return f"Error: {self.text}"

    @property
    def text(self) -> str:
        """The message alone."""
        return str(self.args[0]) if self.args else ""

    def __format__(self, spec: str) -> str:
        return format(self.text, spec)


class ArgumentError(HalideError, TypeError):
    """Arguments of kinds or names that a function does not take."""

    def __str__(self) -> str:
        return self.text


class ValueNotTaken(HalideError, ValueError):
    """A value of the right kind that has no meaning there, such as an Expr for a condition of Python's."""

    def __str__(self) -> str:
        return self.text


def not_a_condition(e: object) -> ValueNotTaken:
    """What is raised where Python asks an Expr whether it is true."""
    return ValueNotTaken(
        f"The halide.Expr ({e}) cannot be converted to a bool. If this error occurs using the 'and'/'or' keywords, "
        "consider using the '&'/'|' operators instead."
    )


class NoSuchVariable(HalideError, KeyError):
    """A dimension that an RDom does not have."""


def warn_user(message: str) -> None:
    """A RuntimeWarning at the line outside of this package that led here."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_HERE):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, RuntimeWarning, stacklevel=level + 1)
