"""Whether a pipeline of Halide could compute a function that is not lifted, as far as the reason tells.

What counts as beyond: loops whose end data decide and lists that are walked (the number of iterations is no function of
parameters), effects outside of memory, and control that no expression has.  All else counts as what could be: calls of
functions that are not at hand, structures that are not read, out of time."""

from __future__ import annotations

_BEYOND = (
    "the loop's exit depends on image data",
    "a loop changes the data that decide whether it runs",
    "advances by data",
    "recursion (call to",
    "input/output function",
    "variadic function",
    "goto backwards",
    "inline assembly",
    "setjmp",
    "string literal",
    "volatile",
)
"""Parts of the reasons that `lift` gives."""


def is_beyond(reason: str) -> bool:
    """Whether what stopped the lifting of a function is nothing that a pipeline computes."""
    return any(part in reason for part in _BEYOND)
